package io.tailrace.executor.claim;

import io.tailrace.contract.record.Bytes;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the database said to a claim. While the transaction is open the locks that the claim took are held, whatever the verdict.
 *
 * @param request what was asked
 * @param verdict what to do
 * @param row the locked row; absent with {@link Verdict#BUSY}, {@link Verdict#UNSEEN} and {@link Verdict#GONE}
 * @param waitMillis until the row is due, by the clock of the database
 * @param met the waiting row of the key that stands before this one
 * @param detail of {@link Verdict#GONE}: what became of the row's transaction
 * @param xid of the transaction that holds the claim; 0 without a row
 */
public record Claim(
        ClaimRequest request,
        Verdict verdict,
        @Nullable CommandRow row,
        long waitMillis,
        @Nullable UUID met,
        String detail,
        long xid) {

    /** What to do with a record. */
    public enum Verdict {
        /** Another transaction has the key or the row: step back, use nothing. */
        BUSY,
        /** The row's transaction is in progress for others: wait. */
        UNSEEN,
        /** There is no row, and there will be none. */
        GONE,
        /** Completed or cancelled. */
        SETTLED,
        /** Another worker settled this turn: repeat its outcome from the row, run nothing. */
        REPEAT,
        /** Dead at this very turn. */
        DEAD,
        /** Not due yet. */
        EARLY,
        /** An external handler had it whose lease has ended: nobody knows whether its effect has happened. An attempt is used. */
        EXPIRED,
        /** A row of the key that stands before it waits. */
        BEHIND,
        /** It is the caller's until the transaction ends. */
        RUN
    }

    /** The same with this payload and these headers in its row: they were found elsewhere. */
    public Claim with(@Nullable Bytes payload, @Nullable String headersJson) {
        CommandRow found = theRow();
        CommandRow whole = new CommandRow(
                found.name(),
                found.orderingKey(),
                payload,
                found.contentType(),
                headersJson,
                found.origin(),
                found.progress(),
                found.lagMillis());
        return new Claim(request, verdict, whole, waitMillis, met, detail, xid);
    }

    /** The row of a verdict that has one. */
    public CommandRow theRow() {
        return Objects.requireNonNull(row, () -> verdict + " has no row");
    }
}
