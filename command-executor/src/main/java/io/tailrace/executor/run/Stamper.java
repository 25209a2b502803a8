package io.tailrace.executor.run;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.redact.Veil;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.claim.ClaimRequest;
import io.tailrace.executor.claim.CommandRow;
import io.tailrace.executor.claim.RowTable;
import io.tailrace.executor.claim.Stamp;
import io.tailrace.executor.intake.Task;
import io.tailrace.executor.intake.Work.Turn;
import io.tailrace.executor.metric.ExecutorMetrics;
import io.tailrace.executor.metric.ExecutorMetrics.Outcome;
import io.tailrace.executor.settle.Answer;
import io.tailrace.executor.settle.Answers;
import io.tailrace.executor.settle.Replies;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes down what became of a claimed row, ends the transaction, and words the answer that is sent afterwards: never before, because an
 * answer about a stamp that did not commit would be a lie. How old an answer is counts from before the transaction ends: the process may
 * be stopped in the middle of a commit. Thread-safe.
 */
public final class Stamper {

    private static final Logger LOG = LoggerFactory.getLogger(Stamper.class);

    /** Rows of a key that are stamped behind another one in one statement. */
    private static final int MOST_BEHIND = 1000;

    private final RowTable table;
    private final Replies replies;
    private final Handling handling;
    private final ExecutorMetrics metrics;
    private final Predicate<String> halting;
    private final Unavailability unavailability;

    /**
     * Over one database.
     *
     * @param halting names of rows whose keys stop when they are dead
     */
    public Stamper(
            RowTable table, Replies replies, Handling handling, ExecutorMetrics metrics, Predicate<String> halting) {
        this.table = table;
        this.replies = replies;
        this.handling = handling;
        this.metrics = metrics;
        this.halting = halting;
        this.unavailability = new Unavailability(metrics, System::nanoTime);
    }

    ExecutorMetrics metrics() {
        return metrics;
    }

    /** COMPLETED has committed. */
    Step completed(Task task, Claim claim) {
        unavailability.over(claim.request().id());
        metrics.settled(meterName(claim.theRow().name()), Outcome.COMPLETED);
        return Step.finished(task, () -> passDone(task, claim));
    }

    /** Found done or cancelled. Whoever did it may not know yet that it is on the disk; a commit after the lock of the row makes sure. */
    Step settled(Connection connection, Task task, Claim claim) throws SQLException {
        if (table.commitsLazily()) {
            connection.commit();
        } else {
            connection.rollback();
        }
        metrics.settled(meterName(claim.theRow().name()), Outcome.SETTLED);
        return Step.finished(task, () -> passDone(task, claim));
    }

    /** There is no row: nothing to stamp, and its key goes on. */
    Step gone(Connection connection, Task task, Claim claim) throws SQLException {
        connection.rollback();
        metrics.settled(meterName(task.record().name()), Outcome.ROW_GONE);
        LOG.warn("Command has no row, its transaction is {}: {}", claim.detail(), task.record());
        return Step.finished(task, () -> replies.send(task, Answers.gone(task.record(), claim)));
    }

    /** Not due, and not so soon that it is waited for here. Nothing is stamped. */
    Step early(Connection connection, Task task, Claim claim) throws SQLException {
        long asOf = System.nanoTime();
        connection.rollback();
        metrics.settled(meterName(claim.theRow().name()), Outcome.EARLY);
        return Step.finished(
                task, () -> replies.send(task, Answers.early(task.record(), claim.theRow(), claim.waitMillis()), asOf));
    }

    /** The row was stamped at this turn by somebody whose answer may not have got through. What is queued behind it waits too. */
    Step repeated(Connection connection, Turn turn, Claim claim) throws SQLException {
        Task head = turn.head();
        CommandRow row = claim.theRow();
        metrics.settled(meterName(row.name()), Outcome.REPEATED);
        if (row.isDead()) {
            // What stands on the row: the names whose keys stop may be others by now, or an operator has let this one
            // go on.
            boolean halts = table.halts(connection, head.record().row());
            long asOf = System.nanoTime();
            connection.rollback();
            Answer answer = Answers.repeated(head.record(), claim);
            return Step.finished(
                    head,
                    () -> replies.sendDead(
                            head,
                            halts ? answer.halting() : answer,
                            row.progress().turn(),
                            asOf));
        }
        Place place = Objects.requireNonNullElse(
                row.progress().place(), head.record().row().place());
        Followers followers = behindOf(connection, turn, row, place);
        long asOf = System.nanoTime();
        connection.commit();
        return Step.finished(followers.with(head), () -> {
            replies.send(head, ofItsLane(Answers.repeated(head.record(), claim), row.name()), asOf);
            followers.answer(head.record().row().id(), asOf);
        });
    }

    /** A row of the key that stands before this one waits: so does this one, and what is queued behind it. Uses nothing. */
    Step behind(Connection connection, Turn turn, Claim claim) throws SQLException {
        Task head = turn.head();
        CommandRow row = claim.theRow();
        Place own = Objects.requireNonNullElse(
                row.progress().place(), head.record().row().place());
        List<Task> queued = new ArrayList<>(List.of(head));
        queued.addAll(stampable(turn));
        Followers followers =
                stampBehind(connection, Objects.requireNonNull(row.orderingKey()), own.packed() - 1, queued);
        long asOf = System.nanoTime();
        connection.commit();
        UUID met = claim.met();
        return Step.finished(followers.tasks(), () -> followers.answer(met, asOf));
    }

    /**
     * The router gave the row up.
     *
     * @param veil over what it says of the row, which may quote the row's secrets
     */
    Step buried(Connection connection, Task task, Claim claim, Veil veil) throws SQLException {
        Headers headers = task.record().headers();
        Reason reason = headers.reason().orElse(Reason.MALFORMED);
        ErrorTrail trail = new ErrorTrail(
                headers.text(HeaderName.ERROR_CLASS).orElse("Buried"),
                headers.text(HeaderName.ERROR_MESSAGE).map(veil::over).orElse(reason.text()),
                headers.text(HeaderName.ERROR_STACK).map(veil::over).orElse(""));
        return dead(connection, task, claim, new Decision.Die(0, reason, trail));
    }

    /** Stamps what a run came to. */
    Step conclude(Connection connection, Turn turn, Claim claim, Decision decision) throws SQLException {
        if (decision instanceof Decision.Wait wait) {
            return waits(connection, turn, claim, wait);
        }
        if (decision instanceof Decision.Hold hold) {
            return held(connection, turn, claim, hold);
        }
        if (decision instanceof Decision.Die die) {
            return dead(connection, turn.head(), claim, die);
        }
        throw new IllegalArgumentException("nothing is stamped for " + decision);
    }

    /** Stamps a failure that has not happened, to be committed; nobody is told of it as long as this process lives. */
    Stamp accuse(Connection connection, Claim claim, Decision.Wait failure) throws SQLException {
        return required(waiting(connection, claim, failure));
    }

    private Optional<Stamp> waiting(Connection connection, Claim claim, Decision.Wait wait) throws SQLException {
        ErrorTrail trail = wait.trail();
        return table.waiting(
                connection, claim, wait.used(), wait.until(), trail == null ? null : Answers.lastError(trail));
    }

    private Step waits(Connection connection, Turn turn, Claim claim, Decision.Wait wait) throws SQLException {
        ErrorTrail trail = wait.trail();
        Stamp stamp = required(waiting(connection, claim, wait));
        Step step = waits(connection, turn, claim, stamp, trail);
        CommandRow row = claim.theRow();
        metrics.settled(meterName(row.name()), wait.outcome());
        metrics.attempted(meterName(row.name()), wait.used());
        if (wait.outcome() == Outcome.UNAVAILABLE && trail != null) {
            unavailability.again(stamp.id(), row.name(), Duration.ofMillis(stamp.waitMillis()), trail.message());
        } else {
            unavailability.over(stamp.id());
        }
        if (wait.used() > 0 && trail != null) {
            LOG.info(
                    "{} failed, it is tried again: rowId={} key={} name={} attempt={} waitMs={} error={}; more: last_error of its row",
                    handling.noun(),
                    stamp.id(),
                    row.orderingKey(),
                    row.name(),
                    stamp.attempts(),
                    stamp.waitMillis(),
                    trail.errorClass());
        }
        return step;
    }

    private Step held(Connection connection, Turn turn, Claim claim, Decision.Hold hold) throws SQLException {
        ErrorTrail trail = hold.trail();
        Stamp stamp =
                required(table.held(connection, claim, hold.name(), trail == null ? null : Answers.lastError(trail)));
        Step step = waits(connection, turn, claim, stamp, trail);
        metrics.settled(meterName(claim.theRow().name()), Outcome.HELD);
        unavailability.over(stamp.id());
        return step;
    }

    /** Commits the stamp of a row that waits, and those of the rows behind it. */
    private Step waits(Connection connection, Turn turn, Claim claim, Stamp stamp, @Nullable ErrorTrail trail)
            throws SQLException {
        Task head = turn.head();
        CommandRow row = claim.theRow();
        Followers followers = behindOf(connection, turn, row, stamp.place());
        long asOf = System.nanoTime();
        connection.commit();
        return Step.finished(followers.with(head), () -> {
            replies.send(head, Answers.waits(head.record(), row, stamp, trail), asOf);
            followers.answer(stamp.id(), asOf);
        });
    }

    private Step dead(Connection connection, Task task, Claim claim, Decision.Die die) throws SQLException {
        CommandRow row = claim.theRow();
        boolean halts = row.orderingKey() != null && halting.test(row.name());
        Stamp stamp = required(
                table.dead(connection, claim, die.used(), die.reason(), Answers.lastError(die.trail()), halts));
        long asOf = System.nanoTime();
        connection.commit();
        metrics.settled(meterName(row.name()), Outcome.DEAD);
        unavailability.over(stamp.id());
        metrics.attempted(meterName(row.name()), die.used());
        LOG.warn(
                "{} is dead{}: rowId={} key={} name={} reason={} attempts={} error={}",
                handling.noun(),
                halts ? ", and its key stops" : "",
                stamp.id(),
                row.orderingKey(),
                row.name(),
                die.reason(),
                stamp.attempts(),
                die.trail().errorClass());
        Answer answer = Answers.dead(task.record(), row, stamp, die.reason(), die.trail());
        return Step.finished(task, () -> replies.sendDead(task, halts ? answer.halting() : answer, stamp.turn(), asOf));
    }

    /** We hold the row's lock and read its turn under it: a stamp that finds nothing is a bug, or somebody wrote around the functions. */
    private static Stamp required(Optional<Stamp> stamp) throws SQLException {
        return stamp.orElseThrow(() -> new SQLException("the claim is no longer this transaction's"));
    }

    private void passDone(Task task, Claim claim) {
        if (task.record().released()) {
            replies.send(task, Answers.done(task.record(), claim.theRow()));
        } else {
            task.pass();
        }
    }

    private Followers behindOf(Connection connection, Turn turn, CommandRow row, Place place) throws SQLException {
        String key = row.orderingKey();
        return key == null
                ? new Followers(Map.of(), List.of())
                : stampBehind(connection, key, place.packed(), stampable(turn));
    }

    /** What the router gave up is not to wait but to die; it is claimed on its own. */
    private static List<Task> stampable(Turn turn) {
        return turn.behind(MOST_BEHIND).stream()
                .filter(task -> !task.record().row().bury())
                .toList();
    }

    private Followers stampBehind(Connection connection, String key, long after, List<Task> queued)
            throws SQLException {
        List<ClaimRequest> requests =
                queued.stream().map(task -> task.record().row()).toList();
        Map<UUID, Stamp> stamps = table.behind(connection, key, after, requests).stream()
                .collect(Collectors.toMap(Stamp::id, Function.identity()));
        List<Task> stamped = queued.stream()
                .filter(task -> stamps.containsKey(task.record().row().id()))
                .toList();
        return new Followers(stamps, stamped);
    }

    /** A lane that is too long asks who is to be given up: one that comes back behind says whether its key would stop. */
    private Answer ofItsLane(Answer answer, String name) {
        return answer.kind() == Kind.BEHIND && halting.test(name) ? answer.halting() : answer;
    }

    private String meterName(String name) {
        return handling.knows(name) ? name : ExecutorMetrics.NO_HANDLER;
    }

    /** Rows that were stamped behind another one. */
    private final class Followers {

        private final Map<UUID, Stamp> stamps;
        private final List<Task> tasks;

        private Followers(Map<UUID, Stamp> stamps, List<Task> tasks) {
            this.stamps = stamps;
            this.tasks = tasks;
        }

        List<Task> tasks() {
            return tasks;
        }

        List<Task> with(Task head) {
            List<Task> all = new ArrayList<>(tasks);
            all.add(head);
            return all;
        }

        void answer(@Nullable UUID met, long asOf) {
            for (Task task : tasks) {
                Stamp stamp =
                        Objects.requireNonNull(stamps.get(task.record().row().id()));
                metrics.settled(meterName(task.record().name()), Outcome.BEHIND);
                Answer answer = Answers.behind(task.record(), null, stamp, met);
                replies.send(task, ofItsLane(answer, task.record().name()), asOf);
            }
        }
    }
}
