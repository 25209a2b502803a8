package io.tailrace.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.record.Bytes;
import io.tailrace.testkit.BrokerProcess;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.TopicReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A million rows that wait, in a router with half a gigabyte of heap: what waits is on disk. {@code mvn -Plong}; prints its figures.
 */
@Tag("long")
class MillionTest {

    private static final int ROWS = Integer.getInteger("tailrace.million.rows", 1_000_000);
    private static final int BATCH = 10_000;
    private static final int TIMED = 5_000;
    private static final Duration PATIENCE = Duration.ofMinutes(20);

    /** What the heap may hold beyond the empty router's, with a million rows or without. */
    private static final long FLAT_MEBIBYTES = 128;

    private static final Pattern USED =
            Pattern.compile("(?:def new|tenured) generation.*?used (\\d+)K", Pattern.DOTALL);

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    @TempDir
    Path directory;

    @Test
    @Timeout(3_600)
    void aMillionScheduledCommandsWaitOnDiskAndFireInTime() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(directory.resolve("broker"), Map.of());
                Far far = new Far(broker, "scheduled.commands")) {
            Instant faraway = Instant.now().plus(Duration.ofDays(30));
            try (ChildJvm router = router("scheduled", broker, true);
                    RawTopics raw = started("scheduled", router, broker)) {
                long empty = heapAfterGc(router);
                long began = System.nanoTime();
                for (int from = 0; from < ROWS; from += BATCH) {
                    int first = from;
                    raw.commit(() -> {
                        for (int row = first; row < first + BATCH; row++) {
                            raw.command(
                                    "far-" + row, "k" + row % 1_000, faraway.plusMillis(random.nextInt(86_400_000)));
                        }
                    });
                }
                raw.commit(() -> raw.command("mark", "mark", Instant.now()));
                far.awaitCount(1, PATIENCE);
                print("scheduled %,d commands in %,d ms", ROWS, millisSince(began));
                long full = heapAfterGc(router);
                print("heap after GC: %d MiB empty, %d MiB with %,d commands that wait (-Xmx512m)", empty, full, ROWS);
                assertThat(full - empty).isLessThan(FLAT_MEBIBYTES);
                lateness(raw, far, "before the restart");
                long stopped = System.nanoTime();
                router.terminate();
                router.awaitExit(Duration.ofSeconds(60));
                print("stopped in %,d ms", millisSince(stopped));
                restarted(broker, raw, far, "stopped");
            }
        }
    }

    @Test
    @Timeout(3_600)
    void aMillionParkedRowsWaitOnDiskAndDrainInOrder() throws Exception {
        String destination = "parked.events.sales";
        try (BrokerProcess broker = BrokerProcess.start(directory.resolve("broker"), Map.of());
                Far far = new Far(broker, destination)) {
            try (ChildJvm maker = router("parked", broker, true)) {
                // Makes its own topics, and would make the destination as well.
                maker.awaitLine("Router is READY", PATIENCE);
                maker.kill();
            }
            try (ChildJvm router = router("parked", broker, false);
                    RawTopics raw = started("parked", router, broker)) {
                long empty = heapAfterGc(router);
                long began = System.nanoTime();
                for (int from = 0; from < ROWS; from += BATCH) {
                    int first = from;
                    raw.commit(() -> {
                        for (int row = first; row < first + BATCH; row++) {
                            raw.event(Integer.toString(row), "sales.placed", "k" + row % 100);
                        }
                    });
                }
                // A command behind them in its own topic says nothing of the events: ask the group.
                awaitRead(broker, "parked", ROWS);
                print("parked %,d rows of 100 keys in %,d ms", ROWS, millisSince(began));
                long full = heapAfterGc(router);
                print("heap after GC: %d MiB empty, %d MiB with %,d parked rows (-Xmx512m)", empty, full, ROWS);
                assertThat(full - empty).isLessThan(FLAT_MEBIBYTES);
                router.kill();
            }
            long restart = System.nanoTime();
            try (ChildJvm router = router("parked", broker, false)) {
                router.awaitLine("Router is READY", PATIENCE);
                print("killed and running again with %,d parked rows after %,d ms", ROWS, millisSince(restart));
                try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
                    admin.createTopics(List.of(new NewTopic(destination, RouterChild.PARTITIONS, (short) 1)))
                            .all()
                            .get();
                }
                long began = System.nanoTime();
                far.awaitCount(ROWS, PATIENCE);
                print(
                        "drained %,d rows in %,d ms; heap after GC %d MiB",
                        ROWS, millisSince(began), heapAfterGc(router));
                assertThat(far.outOfOrder)
                        .as("rows behind newer ones of their key")
                        .isZero();
            }
        }
    }

    private void restarted(BrokerProcess broker, RawTopics raw, Far far, String how) throws Exception {
        long began = System.nanoTime();
        try (ChildJvm router = router("scheduled", broker, true)) {
            router.awaitLine("Router is READY", PATIENCE);
            print("%s and running again with %,d rows after %,d ms", how, ROWS, millisSince(began));
            lateness(raw, far, "after the restart");
            print("heap after GC: %d MiB", heapAfterGc(router));
            router.kill();
        }
        long killed = System.nanoTime();
        try (ChildJvm router = router("scheduled", broker, true)) {
            router.awaitLine("Router is READY", PATIENCE);
            print("killed and running again with %,d rows after %,d ms", ROWS, millisSince(killed));
            lateness(raw, far, "after the kill");
        }
    }

    /** Commands due at instants of their own over ten seconds, among a million that are not. */
    private void lateness(RawTopics raw, Far far, String when) {
        Instant start = Instant.now().plusSeconds(10);
        raw.commit(() -> {
            for (int row = 0; row < TIMED; row++) {
                raw.command("t" + row, "t" + row, start.plusMillis(random.nextInt(10_000)));
            }
        });
        List<Long> late = far.lateness(TIMED, PATIENCE);
        late.sort(null);
        print(
                "fired %,d timers %s: lateness p50 %d ms, p99 %d ms, most %d ms, least %d ms",
                TIMED, when, late.get(TIMED / 2), late.get(TIMED * 99 / 100), late.get(TIMED - 1), late.get(0));
        assertThat(late.get(0)).as("never early").isNotNegative();
    }

    private ChildJvm router(String namespace, BrokerProcess broker, boolean autoCreate) {
        return ChildJvm.of(RouterChild.class)
                .heap("512m")
                .arguments(
                        namespace,
                        broker.bootstrapServers(),
                        directory.resolve("state-" + namespace).toString(),
                        Boolean.toString(autoCreate))
                .start();
    }

    private static RawTopics started(String namespace, ChildJvm router, BrokerProcess broker) {
        router.awaitLine("Router is READY", PATIENCE);
        return new RawTopics(broker.bootstrapServers(), namespace);
    }

    private static void awaitRead(BrokerProcess broker, String namespace, long rows) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(500)).until(() -> {
                var offsets = admin.listConsumerGroupOffsets(namespace + ".router")
                        .partitionsToOffsetAndMetadata()
                        .get();
                // A marker of each transaction stands among them in each partition.
                long read = offsets.entrySet().stream()
                        .filter(each -> each.getKey().topic().equals(namespace + ".raw.events"))
                        .mapToLong(each -> each.getValue().offset())
                        .sum();
                return read >= rows + rows / BATCH;
            });
        } catch (org.awaitility.core.ConditionTimeoutException late) {
            throw new AssertionError("the router has not read " + rows + " rows", late);
        }
    }

    /** In MiB. */
    private static long heapAfterGc(ChildJvm router) throws IOException, InterruptedException {
        jcmd(router, "GC.run");
        Matcher used = USED.matcher(jcmd(router, "GC.heap_info"));
        long kibibytes = 0;
        while (used.find()) {
            kibibytes += Long.parseLong(used.group(1));
        }
        assertThat(kibibytes).as("the serial collector's words").isPositive();
        return kibibytes >> 10;
    }

    private static String jcmd(ChildJvm child, String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(child.pid()),
                        command)
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    private void print(String format, Object... arguments) {
        System.out.println("million: " + format.formatted(arguments) + " (seed " + seed + ")");
    }

    private static long millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1_000_000;
    }

    /** Reads a topic to which much goes: counts, and keeps the last row of each key. */
    private static final class Far implements AutoCloseable {

        private final KafkaConsumer<byte[], byte[]> consumer;
        private final String topic;
        private final Map<String, Integer> last = new HashMap<>();
        private int count;
        private int outOfOrder;
        private final List<Long> late = new ArrayList<>();
        private boolean isAssigned;

        Far(BrokerProcess broker, String topic) {
            this.topic = topic;
            this.consumer = new KafkaConsumer<>(
                    Map.of(
                            "bootstrap.servers",
                            broker.bootstrapServers(),
                            "isolation.level",
                            "read_committed",
                            "auto.offset.reset",
                            "earliest",
                            "allow.auto.create.topics",
                            false),
                    new ByteArrayDeserializer(),
                    new ByteArrayDeserializer());
        }

        void awaitCount(int wanted, Duration atMost) {
            long deadline = System.nanoTime() + atMost.toNanos();
            while (count < wanted) {
                assertThat(System.nanoTime()).as("%d of %d", count, wanted).isLessThan(deadline);
                poll();
            }
        }

        List<Long> lateness(int wanted, Duration atMost) {
            late.clear();
            long deadline = System.nanoTime() + atMost.toNanos();
            while (late.size() < wanted) {
                assertThat(System.nanoTime())
                        .as("%d of %d", late.size(), wanted)
                        .isLessThan(deadline);
                poll();
            }
            return new ArrayList<>(late);
        }

        private void poll() {
            if (!isAssigned) {
                List<TopicPartition> partitions = consumer.partitionsFor(topic, Duration.ofSeconds(5)).stream()
                        .map(each -> new TopicPartition(topic, each.partition()))
                        .toList();
                consumer.assign(partitions);
                consumer.seekToBeginning(partitions);
                isAssigned = !partitions.isEmpty();
                if (!isAssigned) {
                    return;
                }
            }
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                count++;
                String id = String.valueOf(TopicReader.header(record, HeaderName.CE_ID.key()));
                String due = TopicReader.header(record, HeaderName.NOT_BEFORE.key());
                if (id.startsWith("t") && due != null) {
                    // The router stamps the record with the instant at which it sent it.
                    late.add(record.timestamp() - Long.parseLong(due));
                }
                if (due == null) {
                    Integer before = last.put(Bytes.of(record.key()).utf8(), Integer.parseInt(id));
                    outOfOrder += before != null && before >= Integer.parseInt(id) ? 1 : 0;
                }
            }
        }

        @Override
        public void close() {
            consumer.close();
        }
    }
}
