package io.tailrace.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.testkit.BrokerProcess;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.TopicReader;
import io.tailrace.testkit.guarantees.History;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The only broker there is and the router are killed together, while the router has a transaction open. */
class ClusterCrashTest {

    /** How often; more for whoever doubts it. */
    private static final int KILLS = Integer.getInteger("tailrace.crash.kills", 2);

    /** Settings of the broker, {@code name=value,…}: to see what they do. */
    private static final String BROKER = System.getProperty("tailrace.crash.broker", "");

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    /** At least, before each kill. */
    private static final int ROWS = 4_000;

    private static final String NAMESPACE = "crash";
    private static final String DESTINATION = NAMESPACE + ".events.sales";

    @TempDir(cleanup = CleanupMode.ALWAYS)
    Path directory;

    @Test
    @Timeout(1_800)
    void noRoutedEventIsMissingOrDoubledWhenBrokerAndRouterAreKilledTogether() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<History.Row> rows = new ArrayList<>();
        ChildJvm router = null;
        try (BrokerProcess broker = BrokerProcess.start(directory.resolve("broker"), settings())) {
            router = router(broker);
            awaitTopics(broker);
            for (int kill = 0; kill < KILLS; kill++) {
                int before = rows.size();
                ChildJvm running = router;
                // A router that has nothing left to do has no transaction: rows come until one was caught.
                AtomicBoolean caught = new AtomicBoolean();
                CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> write(broker, random, rows, caught));
                try {
                    stopWithAnOpenTransaction(broker, running, before + random.nextInt(ROWS / 2));
                } finally {
                    caught.set(true);
                }
                writing.join();
                CompletableFuture<Void> killing = CompletableFuture.runAsync(running::kill);
                broker.kill();
                killing.join();
                broker.start();
                router = router(broker);
                List<ConsumerRecord<byte[], byte[]>> routed =
                        TopicReader.on(broker.bootstrapServers()).awaitCount(rows.size(), PATIENCE, DESTINATION);
                History.Findings findings = History.of(rows).compare(routed, ClusterCrashTest::id);
                assertThat(findings.clean())
                        .as("kill %d, seed %d, %s", kill, seed, findings)
                        .isTrue();
            }
        } finally {
            if (router != null) {
                router.close();
            }
        }
    }

    /** The router stands still, alive for nobody but the broker, with records out that it has not committed. */
    private static void stopWithAnOpenTransaction(BrokerProcess broker, ChildJvm router, int visible) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            await().atMost(PATIENCE).until(() -> end(admin, IsolationLevel.READ_COMMITTED) >= visible);
            await("a transaction of the router is open")
                    .pollInterval(Duration.ofMillis(1))
                    .atMost(PATIENCE)
                    .until(() -> {
                        router.pause();
                        if (isOpen(admin)) {
                            return true;
                        }
                        router.resume();
                        return false;
                    });
        }
    }

    private static boolean isOpen(Admin admin) {
        return end(admin, IsolationLevel.READ_UNCOMMITTED) > end(admin, IsolationLevel.READ_COMMITTED);
    }

    /** Of all partitions of the destination together; 0 before it is there. */
    private static long end(Admin admin, IsolationLevel isolation) {
        try {
            if (!admin.listTopics().names().get().contains(DESTINATION)) {
                return 0;
            }
            Map<TopicPartition, OffsetSpec> latest = IntStream.range(0, RouterChild.PARTITIONS)
                    .mapToObj(partition -> new TopicPartition(DESTINATION, partition))
                    .collect(Collectors.toMap(Function.identity(), partition -> OffsetSpec.latest()));
            return admin.listOffsets(latest, new ListOffsetsOptions(isolation)).all().get().values().stream()
                    .mapToLong(end -> end.offset())
                    .sum();
        } catch (ExecutionException | InterruptedException failed) {
            throw new AssertionError(failed);
        }
    }

    private static void write(BrokerProcess broker, Random random, List<History.Row> rows, AtomicBoolean enough) {
        try (RawTopics raw = new RawTopics(broker.bootstrapServers(), NAMESPACE)) {
            int least = rows.size() + ROWS;
            while (rows.size() < least || !enough.get()) {
                int start = rows.size();
                raw.commit(() -> IntStream.range(start, start + 200).forEach(i -> {
                    String key = "k" + random.nextInt(50);
                    raw.event("e" + i, "sales.order-placed", key);
                    rows.add(new History.Row("e" + i, key));
                }));
            }
        }
    }

    private ChildJvm router(BrokerProcess broker) {
        return ChildJvm.of(RouterChild.class)
                .arguments(
                        NAMESPACE,
                        broker.bootstrapServers(),
                        directory.resolve("state").toString())
                .start();
    }

    private static void awaitTopics(BrokerProcess broker) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            await().atMost(PATIENCE).until(() -> {
                var names = admin.listTopics().names().get();
                return names.contains(NAMESPACE + ".commands.dlq") && names.contains(NAMESPACE + ".raw.events");
            });
        }
    }

    private static Map<String, String> settings() {
        return BROKER.lines()
                .flatMap(line -> java.util.Arrays.stream(line.split(",")))
                .filter(setting -> !setting.isBlank())
                .collect(Collectors.toMap(
                        setting -> setting.substring(0, setting.indexOf('=')),
                        setting -> setting.substring(setting.indexOf('=') + 1)));
    }

    private static String id(ConsumerRecord<?, ?> record) {
        return String.valueOf(TopicReader.header(record, "ce_id"));
    }
}
