package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One transaction of PostgreSQL that takes many of Kafka, with a kill in the middle: the server spills it to its disk and sends it once
 * it has committed, Debezium keeps no more of it than its queue holds, and the position names the last row that is in Kafka.
 */
@RealParts
class GiantTransactionTest {

    private static final int KEYS = 50;

    @Test
    void aTransactionOfManyBatchesIsCapturedOnceThroughAKill(Stack stack) throws Exception {
        captured(stack, 30_000, 500, "128m", Duration.ofSeconds(120));
    }

    /** {@code mvn -Plong}: nobody waits for it on every change. */
    @Tag("long")
    @Test
    void halfAMillionRowsOfOneTransactionFitIntoHalfAGigabyte(Stack stack) throws Exception {
        captured(stack, 500_000, EngineFixture.MAX_BATCH_SIZE, "512m", Duration.ofSeconds(600));
    }

    private static void captured(Stack stack, int rows, int maxBatchSize, String heap, Duration patience)
            throws Exception {
        EngineFixture.migrate(stack);
        Tally tally = new Tally();
        try (ChildJvm first = EngineProcess.start(stack, heap, maxBatchSize)) {
            first.awaitLine(EngineProcess.READY, patience);
            stack.execute("INSERT INTO tailrace.outbox (event_name, ordering_key, headers, payload)"
                    + " SELECT 'giant.row', 'k' || n %% %d, json_build_object('n', n::text), to_json(repeat('x', 400))"
                            .formatted(KEYS)
                    + " FROM generate_series(0, " + (rows - 1) + ") n");
            long began = System.nanoTime();
            try (Witness witness = new Witness(stack.bootstrapServers(), stack.namespace() + ".raw.events")) {
                witness.readUntil(tally::add, () -> tally.read > 0, patience);
                first.kill();
                witness.readToEnd(tally::add);
                int atTheKill = tally.read;
                assertThat(atTheKill).as("killed in the middle").isBetween(1, rows - 1);
                try (ChildJvm second = EngineProcess.start(stack, heap, maxBatchSize)) {
                    witness.readUntil(tally::add, () -> tally.seen.cardinality() == rows, patience);
                    // What would come twice comes before this.
                    stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('the.end')");
                    witness.readUntil(tally::add, () -> tally.ended, patience);
                    assertThat(second.output()).noneMatch(line -> line.contains("OutOfMemory"));
                }
                System.out.printf(
                        "%d rows of one transaction, killed at %d: %d ms%n",
                        rows,
                        atTheKill,
                        Duration.ofNanos(System.nanoTime() - began).toMillis());
            }
        }
        assertThat(tally.seen.cardinality()).isEqualTo(rows);
        assertThat(tally.read).as("none twice").isEqualTo(rows);
        assertThat(tally.disorder).as("out of order within their keys").isZero();
        // One before the kill and one after it; what is a backlog by then may come in one.
        assertThat(tally.transactions()).as("transactions of Kafka").isGreaterThanOrEqualTo(2);
    }

    /** What was read, row by row. */
    private static final class Tally {

        private final BitSet seen = new BitSet();
        private final Map<String, Integer> lastOfKey = new HashMap<>();
        private final Map<Integer, Long> lastOfPartition = new HashMap<>();
        private final Map<Integer, Integer> transactions = new HashMap<>();
        private int read;
        private int disorder;
        private boolean ended;

        void add(ConsumerRecord<byte[], byte[]> record) {
            if ("the.end".equals(TopicReader.header(record, "ce_type"))) {
                ended = true;
                return;
            }
            int n = Integer.parseInt(EngineFixture.header(record, "n"));
            Integer before = lastOfKey.put(EngineFixture.header(record, "ce_partitionkey"), n);
            disorder += before != null && before >= n ? 1 : 0;
            seen.set(n);
            read++;
            Long offset = lastOfPartition.put(record.partition(), record.offset());
            // What ends a transaction takes an offset.
            if (offset == null || record.offset() > offset + 1) {
                transactions.merge(record.partition(), 1, Integer::sum);
            }
        }

        int transactions() {
            return transactions.values().stream()
                    .mapToInt(Integer::intValue)
                    .max()
                    .orElse(0);
        }
    }
}
