package io.tailrace.engine.publish;

import io.tailrace.engine.source.Lsn;
import io.tailrace.engine.source.Position;
import java.util.Objects;

/**
 * What of a stream is new, and the position after it. A run is made to replay everything that committed after {@code
 * P.commitLsn}, from the BEGIN of the first such transaction; of that transaction some rows may be in Kafka already, and only of that
 * one, because a position names one transaction. They are skipped by their place within it.
 *
 * <p>Never compare {@code lsn} across transactions: commits rise, the rows of transactions that ran side by side do not. Within one
 * transaction {@code lsn} rises, and rows that share one (COPY, multi-row INSERT) come in the same order every time, so an index tells
 * them apart. {@code txId} has 32 bits, which is enough: it is compared only with the transactions of one resume.
 *
 * <p>Where a crash can fall, and what the next run does (P = last position committed to Kafka; a batch here is what one Kafka transaction holds):
 *
 * <pre>
 * crash                                     Kafka has                next run
 * before or while rows are sent             P, batch aborted         replays after P, the whole batch again
 * after the last send, before the commit    P, batch aborted         the same
 * while the commit is under way             P or P'                  initTransactions() ends it one way or the other, then reads
 *                                                                    the position of whichever it was
 * after the commit, before markProcessed    P', slot at P or older   replays after P'.commitLsn, skips up to P'.lsn and P'.index
 * after markProcessed, before LSN flush     P', slot at P or older   the same
 * after the LSN flush                       P', slot at P'.commitLsn the same
 * server crash, slot goes back              P', slot older than P    the same: the replay begins at P', not at the slot
 * batch ends within a transaction           P' names it              its BEGIN comes again, its rows up to P' are skipped
 * batch ends within the rows of one COPY    P' names its index       the same, by index
 * batch ends at a commit                    P' names no transaction  nothing is skipped
 * </pre>
 *
 * <p>Not thread-safe. A cursor that has seen a batch fail is of no further use: the run ends with it.
 */
public final class ResumeCursor {

    private Position position;
    private boolean searching;
    private long txId;
    private long lsn;
    private int index;

    /** Continues at a position. */
    public ResumeCursor(Position position) {
        this.position = Objects.requireNonNull(position);
        this.searching = position.txId() != Position.NO_TRANSACTION;
        this.txId = Position.NO_TRANSACTION;
    }

    /** Up to and including everything that was taken. */
    public Position position() {
        return position;
    }

    /** Whether rows may still be skipped. */
    public boolean isSearching() {
        return searching;
    }

    /**
     * Takes the next row or message of a transaction.
     *
     * @return true when it is new, false when Kafka has it already
     */
    public boolean takeRow(long commitBefore, long rowTxId, long rowLsn) {
        index = rowTxId == txId && rowLsn == lsn ? index + 1 : 0;
        txId = rowTxId;
        lsn = rowLsn;
        if (searching && isInKafka()) {
            return false;
        }
        searching = false;
        position = position.atRow(commitBefore, txId, lsn, index);
        return true;
    }

    /**
     * Takes a sign that everything up to a commit was passed. While rows may still be skipped it says nothing: such signs come at
     * any moment, also within the transaction that comes again, and only a row or message of another transaction ends that. One is
     * never far: every heartbeat is a message in a transaction of its own.
     */
    public void takeCommit(long commitLsn) {
        if (!searching && Lsn.compare(commitLsn, position.commitLsn()) > 0) {
            txId = Position.NO_TRANSACTION;
            position = position.atCommit(commitLsn);
        }
    }

    private boolean isInKafka() {
        if (txId != position.txId()) {
            return false;
        }
        int order = Lsn.compare(lsn, position.lsn());
        return order < 0 || (order == 0 && index <= position.index());
    }
}
