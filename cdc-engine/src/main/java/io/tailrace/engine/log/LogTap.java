package io.tailrace.engine.log;

import io.debezium.connector.postgresql.PostgresValueConverter;
import io.debezium.connector.postgresql.connection.LogicalDecodingMessage;
import io.debezium.connector.postgresql.connection.Lsn;
import io.debezium.connector.postgresql.connection.ReplicationMessage;
import io.debezium.connector.postgresql.connection.ReplicationMessage.Column;
import io.debezium.connector.postgresql.connection.ReplicationStream.ReplicationMessageProcessor;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes rows and messages between Debezium's decoder and what Debezium makes of them: a structure with a schema for each row, its
 * metrics and its offset, which would only be taken apart again. Begins and ends of transactions, heartbeats and all else go on into
 * Debezium. Where a change stood is noted here as Debezium notes it in its offsets.
 *
 * <p>Used by the thread that reads the log.
 */
final class LogTap {

    /** What the prefixes of all messages begin with that anybody here wants. */
    private static final String OURS = "tailrace.";

    /** How often a commit is told for its own sake. Rows tell of the commit before them; this is for a log without rows. */
    private static final long COMMIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ChangeQueue queue;
    private @Nullable Columns columns;
    private @Nullable Columns others;
    private long commitLsn;
    private long commitToldNanos = System.nanoTime();
    private @Nullable Instant commitTime;
    private long commitMicros;

    /** A tap that begins after the commit that ends at {@code commitLsn}. */
    LogTap(ChangeQueue queue, long commitLsn) {
        this.queue = queue;
        this.commitLsn = commitLsn;
    }

    void take(ReplicationMessage message, @Nullable Lsn received, ReplicationMessageProcessor debezium)
            throws SQLException, InterruptedException {
        long lsn = received == null ? 0 : received.asLong();
        switch (message.getOperation()) {
            case INSERT -> queue.put(row(point(message, lsn), message.getNewTupleList()));
            case MESSAGE -> {
                LogicalDecodingMessage told = (LogicalDecodingMessage) message;
                if (told.getPrefix().startsWith(OURS)) {
                    queue.put(Change.message(point(message, lsn), told.getPrefix(), told.getContent()));
                }
            }
            case COMMIT -> {
                debezium.process(message);
                commit(lsn);
            }
            default -> debezium.process(message);
        }
    }

    private void commit(long lsn) throws InterruptedException {
        commitLsn = lsn;
        long now = System.nanoTime();
        if (now - commitToldNanos > COMMIT_NANOS) {
            commitToldNanos = now;
            queue.put(Change.commit(new LogPoint(lsn, 0, lsn, 0)));
        }
    }

    private Change row(LogPoint at, List<Column> row) {
        @Nullable Object[] values = new Object[row.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = value(row.get(i));
        }
        return Change.row(at, columns(row), values);
    }

    /** Rows of two tables come in turn at most. */
    private Columns columns(List<Column> row) {
        Columns last = columns;
        if (last != null && last.isOf(row)) {
            return last;
        }
        Columns next = others != null && others.isOf(row) ? others : Columns.of(row);
        others = last;
        columns = next;
        return next;
    }

    private static @Nullable Object value(Column column) {
        // The connection is asked for types that Debezium does not know; the columns that are captured have none.
        Object value = column.getValue(null, false);
        if (value instanceof OffsetDateTime instant) {
            if (instant.equals(PostgresValueConverter.POSITIVE_INFINITY_OFFSET_DATE_TIME)) {
                return PostgresValueConverter.POSITIVE_INFINITY_TIMESTAMP_PG_STRING;
            }
            return instant.equals(PostgresValueConverter.NEGATIVE_INFINITY_OFFSET_DATE_TIME)
                    ? PostgresValueConverter.NEGATIVE_INFINITY_TIMESTAMP_PG_STRING
                    : instant.toString();
        }
        return value;
    }

    private LogPoint point(ReplicationMessage message, long lsn) {
        Instant time = message.getCommitTime();
        // The same object for all of a transaction.
        if (time != commitTime) {
            commitTime = time;
            commitMicros = time == null ? 0 : ChronoUnit.MICROS.between(Instant.EPOCH, time);
        }
        return new LogPoint(commitLsn, message.getTransactionId().orElse(0), lsn, commitMicros);
    }
}
