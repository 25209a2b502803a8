package io.tailrace.engine.log;

import io.debezium.connector.postgresql.PostgresConnectorConfig;
import io.debezium.connector.postgresql.PostgresConnectorTask;
import io.debezium.connector.postgresql.PostgresSchema;
import io.debezium.connector.postgresql.connection.PostgresConnection;
import io.debezium.connector.postgresql.connection.ReplicationConnection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/**
 * Debezium's task for PostgreSQL: it searches the place to begin at, connects, decodes, confirms, keeps the connection alive, and beats.
 * What it has decoded is taken from it by a {@link LogTap}, and handed on as one record for each look at the log: {@link LogBatch}. For
 * Debezium's engine takes every record it is given through a queue to another thread and back, to transform and convert it, and here is
 * nothing to transform or convert.
 *
 * <p>An empty batch follows the last one that was not, so that whoever collects batches learns that no more are coming. Made by Debezium,
 * by name; polled by one thread.
 */
public final class LogTask extends PostgresConnectorTask {

    /** How often Debezium's own queue is emptied, into which it puts nothing but its heartbeats. */
    private static final long LEFTOVER_NANOS = TimeUnit.SECONDS.toNanos(10);

    private volatile @Nullable ChangeQueue queue;
    private Map<String, ?> partition = Map.of();
    private boolean silent = true;
    private long leftoversNanos = System.nanoTime();

    /** Made by Debezium, by name. */
    public LogTask() {}

    @Override
    protected ReplicationConnection buildReplicationConnection(
            PostgresConnection jdbcConnection, PostgresSchema schema, PostgresConnectorConfig config)
            throws SQLException {
        ChangeQueue ahead = new ChangeQueue(
                config.getMaxQueueSize(),
                config.getMaxQueueSizeInBytes(),
                config.getMaxBatchSize(),
                config.getPollInterval());
        ReplicationConnection connection = super.buildReplicationConnection(jdbcConnection, schema, config);
        partition = Map.of("server", config.getLogicalName());
        queue = ahead;
        LogRun.of(config.getConfig().asMap()).ifPresent(run -> run.readsInto(ahead));
        return new TappedConnection(connection, ahead);
    }

    @Override
    public List<SourceRecord> doPoll() throws InterruptedException {
        throwOrForget();
        List<Change> changes =
                Objects.requireNonNull(queue, "polled before it was started").take();
        if (changes.isEmpty() && silent) {
            return List.of();
        }
        silent = changes.isEmpty();
        return List.of(new LogBatch(partition, changes));
    }

    /** Debezium's own poll throws what has ended the reader; else what it brings is of no interest, for the tap has told it. */
    private void throwOrForget() throws InterruptedException {
        boolean ended = getErrorHandler()
                .map(errors -> errors.getProducerThrowable() != null)
                .orElse(false);
        long now = System.nanoTime();
        if (ended || now - leftoversNanos > LEFTOVER_NANOS) {
            leftoversNanos = now;
            var unused = super.doPoll();
        }
    }
}
