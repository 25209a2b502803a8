package io.tailrace.engine.publish;

import io.tailrace.engine.source.Position;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.connect.runtime.WorkerConfig;
import org.apache.kafka.connect.storage.OffsetBackingStore;
import org.apache.kafka.connect.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The offset store that Debezium reads, within this process. It shows only positions that Kafka has committed, and takes none:
 * Debezium reads it when it starts and again before each confirmation to the slot, so the slot cannot pass what Kafka holds.
 *
 * <p>The offset is a made-up one that Debezium's own search can read in one way only. {@code lsn_commit} is the last commit, B; {@code
 * lsn} is B - 1, which no event has, because LSNs are multiples of eight. So its search never meets the event that it looks for, runs
 * to the first commit after B and begins at the BEGIN of that transaction. Both ways in which it loses rows begin with an event that
 * equals the stored LSN. The slot is confirmed at {@code lsn_commit}, B.
 *
 * <p>Debezium makes the store by class name; it finds its desk by a number among the options. Thread-safe.
 */
public final class CommittedOffsets implements OffsetBackingStore {

    private static final String DESK = "offset.storage.tailrace.desk";

    private static final Map<String, Desk> DESKS = new ConcurrentHashMap<>();

    private static final AtomicLong NUMBERS = new AtomicLong();

    private @Nullable Desk desk;

    /** Where the publisher lays down positions for the store of one run. */
    public static final class Desk implements AutoCloseable {

        private final String number = Long.toString(NUMBERS.incrementAndGet());
        private volatile Position position;

        /** A desk with the position that the run starts from. */
        public Desk(Position committed) {
            this.position = committed;
            DESKS.put(number, this);
        }

        /** What Kafka has committed; call it after the commit and before Debezium is told of the batch. */
        public void publish(Position committed) {
            position = committed;
        }

        /** The options that lead Debezium to this desk. */
        public Map<String, String> options() {
            return Map.of(DESK, number);
        }

        @Override
        public void close() {
            DESKS.remove(number);
        }
    }

    @Override
    public void configure(WorkerConfig config) {
        Object number = config.originals().get(DESK);
        desk = number == null ? null : DESKS.get(number.toString());
        if (desk == null) {
            throw new IllegalStateException("no run has laid down its position under " + DESK + "=" + number);
        }
    }

    @Override
    public void start() {}

    @Override
    public void stop() {}

    @Override
    public Future<Map<ByteBuffer, ByteBuffer>> get(Collection<ByteBuffer> keys) {
        Desk mine = desk;
        if (mine == null) {
            throw new IllegalStateException("the offset store was not configured");
        }
        Map<ByteBuffer, ByteBuffer> answer = new HashMap<>();
        for (ByteBuffer key : keys) {
            answer.put(key, ByteBuffer.wrap(offset(mine.position).getBytes(StandardCharsets.UTF_8)));
        }
        return CompletableFuture.completedFuture(answer);
    }

    /** Takes nothing: what is in these values was not necessarily committed. */
    @Override
    public Future<Void> set(Map<ByteBuffer, ByteBuffer> values, @Nullable Callback<Void> callback) {
        if (callback != null) {
            callback.onCompletion(null, null);
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public Set<Map<String, Object>> connectorPartitions(String connectorName) {
        return Set.of();
    }

    static String offset(Position position) {
        long commit = position.commitLsn();
        long before = commit - 1;
        return "{\"lsn\":%d,\"lsn_proc\":%d,\"lsn_commit\":%d,\"messageType\":\"COMMIT\"}"
                .formatted(before, before, commit);
    }
}
