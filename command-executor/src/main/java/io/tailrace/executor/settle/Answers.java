package io.tailrace.executor.settle;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.claim.ClaimRequest;
import io.tailrace.executor.claim.CommandRow;
import io.tailrace.executor.claim.Stamp;
import io.tailrace.executor.intake.DueRecord;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Words the answers to a due record. Pure. An answer carries the record it answers, with delivery headers replaced: what the last failure
 * left on a record stays until the row succeeds or fails anew.
 */
public final class Answers {

    private static final String STAGE = "handler";

    /** Where the frames begin in what {@link ErrorTrail} keeps of a stack. */
    private static final Pattern FRAME = Pattern.compile("\\n\\s+at ");

    /** What a record that is completed has from the row, or not at all. */
    private static final List<HeaderName> OF_THE_ROW = List.of(
            HeaderName.CONTENT_TYPE,
            HeaderName.CE_TENANTID,
            HeaderName.CE_USERID,
            HeaderName.CE_USERROLES,
            HeaderName.CE_CORRELATIONID,
            HeaderName.CE_CAUSATIONID,
            HeaderName.TRACEPARENT);

    private Answers() {}

    /**
     * The row failed or was put off, and waits until it is due again.
     *
     * @param row as it was claimed; absent only when nothing but the stamp is known
     * @param trail of the failure; absent when it was put off without one
     */
    public static Answer waits(DueRecord due, @Nullable CommandRow row, Stamp stamp, @Nullable ErrorTrail trail) {
        Headers.Builder headers = stamped(due, row, Kind.FAILED, stamp).put(HeaderName.WAIT, stamp.waitMillis());
        putInstant(headers, HeaderName.NOT_BEFORE, stamp.notBeforeMillis());
        if (trail != null) {
            describe(headers, trail);
        }
        return answer(due, row, Kind.FAILED, headers);
    }

    /**
     * The row stands behind a waiting one.
     *
     * @param met the row it met, absent when that has gone since
     */
    public static Answer behind(DueRecord due, @Nullable CommandRow row, Stamp stamp, @Nullable UUID met) {
        Headers.Builder headers = stamped(due, row, Kind.BEHIND, stamp);
        if (met != null) {
            headers.put(HeaderName.BEHIND, met.toString());
        }
        return answer(due, row, Kind.BEHIND, headers);
    }

    /** The row is not due by the clock of the database; nothing was stamped. */
    public static Answer early(DueRecord due, CommandRow row, long waitMillis) {
        CommandRow.Progress progress = row.progress();
        Headers.Builder headers = fresh(due, Kind.EARLY)
                .put(HeaderName.TURN, Math.max(progress.turn(), due.row().turn()))
                .put(HeaderName.WAIT, waitMillis);
        Place place = progress.place() != null
                ? progress.place()
                : due.released() ? due.row().place() : null;
        if (place != null) {
            headers.put(HeaderName.PLACE, place.text());
        }
        return answer(due, row, Kind.EARLY, headers);
    }

    /** A released row is done, or was found done or cancelled. */
    public static Answer done(DueRecord due, CommandRow row) {
        Headers.Builder headers = fresh(due, Kind.DONE)
                .put(HeaderName.TURN, Math.max(row.progress().turn(), due.row().turn()))
                .put(HeaderName.PLACE, due.row().place().text());
        if (due.row().event() == null) {
            // By it the scrub knows the row's secrets.
            headers.put(HeaderName.CE_TYPE, row.name());
        }
        // Of a row that is found settled no more than that was read.
        return answer(due, null, Kind.DONE, headers);
    }

    /** The row was stamped dead. */
    public static Answer dead(DueRecord due, CommandRow row, Stamp stamp, Reason reason, ErrorTrail trail) {
        Headers.Builder headers = stamped(due, row, Kind.DEAD, stamp).put(HeaderName.REASON, reason.text());
        describe(headers, trail);
        if (due.row().bury()) {
            // It was given up before any handler saw it: who did that says where.
            headers.putIfPresent(
                    HeaderName.STAGE, due.headers().text(HeaderName.STAGE).orElse(null));
        }
        headers.put(HeaderName.ERROR_STACK, trail.stack());
        return answer(due, row, Kind.DEAD, headers);
    }

    /** There is no row. */
    public static Answer gone(DueRecord due, Claim claim) {
        ClaimRequest row = due.row();
        ErrorTrail trail =
                ErrorTrail.of("RowGone", "the row is not in its table; its transaction is " + claim.detail());
        Headers.Builder headers = fresh(due, Kind.DEAD)
                .put(HeaderName.TURN, row.turn() + 1L)
                .put(HeaderName.PLACE, row.place().text())
                .put(HeaderName.REASON, Reason.ROW_GONE.text());
        describe(headers, trail);
        return answer(due, null, Kind.DEAD, headers);
    }

    /** Another worker stamped this turn: says of a row that waits or is dead what the row says. */
    public static Answer repeated(DueRecord due, Claim claim) {
        CommandRow row = claim.theRow();
        Stamp stamp = asStamped(due, claim);
        if (row.isDead()) {
            return dead(due, row, stamp, reasonOf(row), trailOf(row));
        }
        if (row.progress().notBeforeMillis() == null) {
            return behind(due, row, stamp, claim.met());
        }
        return waits(due, row, stamp, row.progress().error() == null ? null : trailOf(row));
    }

    /** The trail that a row kept: {@code last_error} begins with what an exception prints first. */
    static ErrorTrail trailOf(CommandRow row) {
        String error = Objects.requireNonNullElse(row.progress().error(), "");
        Matcher frame = FRAME.matcher(error);
        boolean hasStack = frame.find();
        String head = hasStack ? error.substring(0, frame.start()) : error;
        int colon = head.indexOf(": ");
        String first = colon < 0 ? head : head.substring(0, colon);
        boolean named = first.indexOf(' ') < 0;
        return new ErrorTrail(
                named ? first : "",
                named ? head.substring(Math.min(first.length() + 2, head.length())) : head,
                hasStack ? error : "");
    }

    /** What is kept of a trail in {@code last_error}. */
    public static String lastError(ErrorTrail trail) {
        String head = trail.message().isEmpty() ? trail.errorClass() : trail.errorClass() + ": " + trail.message();
        String text = trail.stack().startsWith(trail.errorClass())
                ? trail.stack()
                : trail.stack().isEmpty() ? head : head + "\n" + trail.stack();
        return ErrorTrail.bounded(text, ErrorTrail.MAX_STACK_BYTES);
    }

    private static Stamp asStamped(DueRecord due, Claim claim) {
        CommandRow.Progress progress = claim.theRow().progress();
        return new Stamp(
                due.row().id(),
                progress.turn(),
                progress.attempts(),
                progress.place() != null ? progress.place() : due.row().place(),
                claim.waitMillis(),
                progress.notBeforeMillis(),
                progress.firstFailedMillis(),
                progress.failedMillis());
    }

    private static Reason reasonOf(CommandRow row) {
        String reason = row.progress().reason();
        return (reason == null ? java.util.Optional.<Reason>empty() : Reason.of(reason))
                .orElse(Reason.RETRIES_EXHAUSTED);
    }

    private static Headers.Builder stamped(DueRecord due, @Nullable CommandRow row, Kind kind, Stamp stamp) {
        Headers.Builder headers = fresh(due, kind)
                .put(HeaderName.TURN, stamp.turn())
                .put(HeaderName.PLACE, stamp.place().text())
                .put(HeaderName.ATTEMPT, stamp.attempts());
        putInstant(headers, HeaderName.FIRST_FAILED_AT, stamp.firstFailedMillis());
        putInstant(headers, HeaderName.FAILED_AT, stamp.failedMillis());
        return headers;
    }

    /** The record's headers without those that speak of one delivery only. */
    private static Headers.Builder fresh(DueRecord due, Kind kind) {
        return due.headers().toBuilder()
                .remove(HeaderName.CONTROL)
                .remove(HeaderName.WAIT)
                .remove(HeaderName.NOT_BEFORE)
                .remove(HeaderName.BEHIND)
                .remove(HeaderName.HALTS)
                .remove(HeaderName.PLACE)
                .remove(HeaderName.ERROR_STACK)
                .put(HeaderName.KIND, kind.text());
    }

    private static void describe(Headers.Builder headers, ErrorTrail trail) {
        headers.put(HeaderName.ERROR_CLASS, ErrorTrail.bounded(trail.errorClass(), ErrorTrail.MAX_MESSAGE_BYTES))
                .put(HeaderName.ERROR_MESSAGE, trail.message())
                .putIfPresent(HeaderName.STAGE, STAGE);
    }

    private static void putInstant(Headers.Builder headers, HeaderName name, @Nullable Long millis) {
        if (millis != null) {
            headers.put(name, millis);
        }
    }

    /**
     * A record that says nothing of its row but the id (an operator moved the row, or another one met it) is completed from the row, so
     * that a dead letter is whole and hides the row's own secrets. What it says of name, origin and headers may be another row's. An
     * event has no such row.
     *
     * @param row if its payload was read
     */
    private static Answer answer(DueRecord due, @Nullable CommandRow row, Kind kind, Headers.Builder headers) {
        if (row == null || due.value() != null || due.row().event() != null || saysThatThereIsNone(due)) {
            return new Answer(kind, due.key(), due.value(), headers.build());
        }
        Bytes payload = row.payload();
        Headers.Builder whole = headers.build().known().toBuilder();
        OF_THE_ROW.forEach(whole::remove);
        whole.put(HeaderName.CE_TYPE, row.name()).put(HeaderName.PAYLOAD, payload == null ? "null" : "inline");
        if (payload != null) {
            whole.put(HeaderName.CONTENT_TYPE, row.contentType());
        }
        putOrigin(whole, row);
        OwnHeaders.of(row.headersJson()).forEach(own -> whole.add(own.key(), own.value()));
        return new Answer(kind, due.key(), payload, whole.build());
    }

    /** Such a record came with all that its row has. */
    private static boolean saysThatThereIsNone(DueRecord due) {
        return due.headers().text(HeaderName.PAYLOAD).filter("null"::equals).isPresent();
    }

    private static void putOrigin(Headers.Builder headers, CommandRow row) {
        headers.putIfPresent(HeaderName.CE_TENANTID, row.origin().tenantId())
                .putIfPresent(HeaderName.CE_USERID, row.origin().userId())
                .putIfPresent(HeaderName.CE_USERROLES, row.origin().userRoles())
                .putIfPresent(HeaderName.CE_CORRELATIONID, row.origin().correlationId())
                .putIfPresent(HeaderName.CE_CAUSATIONID, row.origin().causationId())
                .putIfPresent(HeaderName.TRACEPARENT, row.origin().traceparent());
    }
}
