package io.tailrace.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tailrace.contract.Health;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import io.tailrace.testkit.guarantees.History;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The router on a real broker, seen by a reader of committed records. */
@RealParts
class OutboxRouterTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir(cleanup = CleanupMode.ALWAYS)
    Path state;

    @Test
    void aPoisonedKeyWaitsAndIsParkedWhileAllOthersFlowAndCommandsComeWhenTheyAreDue(Stack stack) {
        String ns = stack.namespace();
        // Long enough that a busy machine gets everything else through meanwhile.
        RetryPolicy slow = new RetryPolicy(Duration.ofSeconds(5), Duration.ofSeconds(10), 2);
        OutboxRouter router = RouterChild.router(ns, stack.bootstrapServers(), state, slow, true);
        router.start();
        try (router;
                RawTopics raw = new RawTopics(stack.bootstrapServers(), ns)) {
            awaitReady(router);
            Instant due = Instant.now().plusMillis(1_500);
            List<History.Row> rows = new ArrayList<>(List.of(new History.Row("first", null)));
            raw.commit(() -> raw.event("first", "sales.order-placed", null));
            awaitCount(stack, 1, ns + ".events.sales");
            raw.commit(() -> {
                raw.event("poison", "stock.counted", "k0");
                raw.command("scheduled", "k0", due);
                raw.command("at-once", "k0", Instant.EPOCH);
                for (int i = 0; i < 500; i++) {
                    String key = "k" + i % 20;
                    raw.event("e" + i, "sales.order-placed", key);
                    rows.add(new History.Row("e" + i, key));
                }
            });

            List<ConsumerRecord<byte[], byte[]>> routed = awaitCount(stack, 501, ns + ".events.sales");
            History.of(rows).compare(routed, OutboxRouterTest::id).assertClean();

            List<ConsumerRecord<byte[], byte[]>> dead = awaitCount(stack, 1, ns + ".events.dlq");
            assertThat(ids(dead)).containsExactly("poison");
            assertThat(TopicReader.header(dead.get(0), "tailrace-reason")).isEqualTo("no-route");
            // Those that follow the poison came after its death, those of other keys did not wait for it.
            long death = dead.get(0).timestamp();
            assertThat(times(routed, key -> key.equals("k0"))).hasSize(25).allMatch(time -> time >= death);
            assertThat(times(routed, key -> !key.equals("k0"))).hasSize(476).allMatch(time -> time < death);

            List<ConsumerRecord<byte[], byte[]>> commands = awaitCount(stack, 2, ns + ".commands");
            assertThat(ids(commands)).containsExactlyInAnyOrder("at-once", "scheduled");
            assertThat(commands)
                    .filteredOn(record -> id(record).equals("scheduled"))
                    .allMatch(record -> record.timestamp() >= due.toEpochMilli());
        }
        assertThat(router.health().state()).isEqualTo(Health.State.STOPPED);
    }

    @Test
    void killedMidStreamAgainAndAgainItLosesNothingDoublesNothingAndKeepsTheOrderOfEachKey(Stack stack) {
        String ns = stack.namespace();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<History.Row> rows = new ArrayList<>();
        int written = 0;
        ChildJvm child = child(stack);
        try (RawTopics raw = new RawTopics(stack.bootstrapServers(), awaitTopics(stack))) {
            for (int kill = 0; kill < 3; kill++) {
                child.kill();
                // While it is dead, so that it comes back to thousands of rows and is killed among them.
                int visible = rows.size();
                written += writeRows(raw, random, rows, written);
                child = child(stack);
                awaitCount(stack, visible + 200, ns + ".events.sales");
            }
            List<ConsumerRecord<byte[], byte[]>> routed = awaitCount(stack, rows.size(), ns + ".events.sales");
            int dead = written - rows.size();
            awaitCount(stack, dead, ns + ".events.dlq");
            History.Findings findings = History.of(rows).compare(routed, OutboxRouterTest::id);
            assertThat(findings.clean()).as("seed %d, %s", seed, findings).isTrue();
            assertThat(stack.reader().read(ns + ".events.dlq")).hasSize(dead);
        } finally {
            child.close();
        }
    }

    /** Some hundred to a transaction, one in two hundred without a route. */
    private static int writeRows(RawTopics raw, Random random, List<History.Row> rows, int first) {
        int count = 8_000;
        for (int from = first; from < first + count; from += 400) {
            int start = from;
            raw.commit(() -> IntStream.range(start, start + 400).forEach(i -> {
                String key = "k" + random.nextInt(50);
                boolean isPoison = random.nextInt(200) == 0;
                raw.event("e" + i, isPoison ? "stock.counted" : "sales.order-placed", key);
                if (!isPoison) {
                    rows.add(new History.Row("e" + i, key));
                }
            }));
        }
        return count;
    }

    @Test
    void rowsOfADestinationThatIsMissingWaitWhileOthersFlowAndReadinessNamesIt(Stack stack) throws Exception {
        String ns = stack.namespace();
        try (OutboxRouter first = RouterChild.router(ns, stack.bootstrapServers(), state)) {
            first.start();
        }
        stack.createTopic("events.billing", 3);
        OutboxRouter router = RouterChild.router(ns, stack.bootstrapServers(), state, RouterChild.RETRY, false);
        router.start();
        try (router;
                RawTopics raw = new RawTopics(stack.bootstrapServers(), ns)) {
            awaitReady(router);
            raw.commit(() -> IntStream.range(0, 20).forEach(i -> {
                raw.event("s" + i, "sales.order-placed", "k" + i % 4);
                raw.event("b" + i, "billing.invoice-sent", "j" + i % 4);
                raw.event("u" + i, "sales.order-placed", null);
            }));
            awaitCount(stack, 20, ns + ".events.billing");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(router.health().detail())
                            .contains(ns + ".events.sales is MISSING")
                            .doesNotContain("billing"));
            assertThat(router.health().state()).isEqualTo(Health.State.WAITING);

            stack.createTopic("events.sales", 3);
            List<ConsumerRecord<byte[], byte[]>> routed = awaitCount(stack, 40, ns + ".events.sales");
            List<History.Row> rows = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                rows.add(new History.Row("s" + i, "k" + i % 4));
                rows.add(new History.Row("u" + i, null));
            }
            History.of(rows).compare(routed, OutboxRouterTest::id).assertClean();
            assertThat(stack.reader().read(ns + ".events.dlq")).isEmpty();
            awaitReady(router);

            try (Admin admin = stack.admin()) {
                admin.deleteTopics(List.of(ns + ".events.billing")).all().get();
            }
            await().atMost(PATIENCE).until(() -> router.health().detail().contains(ns + ".events.billing is MISSING"));
        }
    }

    @Test
    void aTopicThatKafkaDoesNotMakeBesideAnotherHoldsUpItsOwnRowsOnly(Stack stack) {
        String ns = stack.namespace();
        OutboxRouter router = RouterChild.router(ns, stack.bootstrapServers(), state);
        router.start();
        try (router;
                RawTopics raw = new RawTopics(stack.bootstrapServers(), ns)) {
            awaitReady(router);
            raw.commit(() -> raw.event("dotted", "names.a.b", null));
            awaitCount(stack, 1, ns + ".names.a.b");
            raw.commit(() -> raw.event("underscored", "names.a_b", null));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(router.health().detail())
                            .contains(ns + ".names.a_b is FORBIDDEN")
                            .contains("collides"));
            raw.commit(() -> raw.event("after", "sales.order-placed", null));
            awaitCount(stack, 1, ns + ".events.sales");
            assertThat(stack.reader().read(ns + ".events.dlq")).isEmpty();
        }
    }

    @Test
    void aRowThatIsLargerThanTheRouterMayWriteGoesOnWithoutItsPayload(Stack stack) throws Exception {
        String ns = stack.namespace();
        OutboxRouter router = RouterChild.router(ns, stack.bootstrapServers(), state);
        router.start();
        try (router;
                RawTopics raw = new RawTopics(stack.bootstrapServers(), ns)) {
            awaitReady(router);
            // As an engine that was started anew before the router was.
            raise(stack, ns + ".raw.events", ns + ".raw.commands");
            String large = "x".repeat(3 << 20);
            raw.commit(() -> {
                raw.event("large", "sales.order-placed", "k", large);
                raw.event("after", "sales.order-placed", "k");
                raw.command("command", "k", Instant.EPOCH, large);
            });
            awaitCount(stack, 1, ns + ".events.sales");
            ConsumerRecord<byte[], byte[]> dead =
                    awaitCount(stack, 1, ns + ".events.dlq").get(0);
            assertThat(TopicReader.headers(dead))
                    .containsEntry("ce_id", "large")
                    .containsEntry("tailrace-reason", "too-large")
                    .containsEntry("tailrace-payload", "omitted");
            assertThat(TopicReader.header(dead, "tailrace-error-message")).contains("raise topics.max-message-bytes");
            ConsumerRecord<byte[], byte[]> command =
                    awaitCount(stack, 1, ns + ".commands").get(0);
            assertThat(command.value()).isNull();
            assertThat(TopicReader.headers(command))
                    .containsEntry("ce_id", "command")
                    .containsEntry("tailrace-payload", "omitted")
                    .doesNotContainKey("tailrace-reason");
        }
    }

    private static void raise(Stack stack, String... topics) throws Exception {
        ConfigEntry entry = new ConfigEntry("max.message.bytes", Integer.toString(8 << 20));
        Map<ConfigResource, Collection<AlterConfigOp>> changes = new HashMap<>();
        for (String topic : topics) {
            changes.put(
                    new ConfigResource(ConfigResource.Type.TOPIC, topic),
                    List.of(new AlterConfigOp(entry, AlterConfigOp.OpType.SET)));
        }
        try (Admin admin = stack.admin()) {
            admin.incrementalAlterConfigs(changes).all().get();
        }
    }

    @Test
    void anOutageLongerThanTheWholeRetryBudgetUsesNoAttemptAndEndsByItself(Stack stack) throws Exception {
        String ns = stack.namespace();
        OutboxRouter router = RouterChild.router(ns, stack.bootstrapServers(), state);
        router.start();
        try (router) {
            awaitReady(router);
            List<History.Row> rows = new ArrayList<>();
            try (RawTopics raw = new RawTopics(stack.bootstrapServers(), ns)) {
                raw.commit(() -> IntStream.range(0, 300).forEach(i -> {
                    raw.event("e" + i, "sales.order-placed", "k" + i % 10);
                    rows.add(new History.Row("e" + i, "k" + i % 10));
                }));
            }
            awaitCount(stack, 1, ns + ".events.sales");
            stack.kafka().stop();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(router.health().state()).isEqualTo(Health.State.WAITING));
            Instant longerThanTheBudget = Instant.now().plus(RouterChild.RETRY.cap());
            await().atMost(PATIENCE).until(() -> Instant.now().isAfter(longerThanTheBudget));
            stack.kafka().start();
            try (RawTopics raw = new RawTopics(stack.bootstrapServers(), ns)) {
                raw.commit(() -> {
                    raw.event("after", "sales.order-placed", "k0");
                    rows.add(new History.Row("after", "k0"));
                });
            }
            List<ConsumerRecord<byte[], byte[]>> routed = awaitCount(stack, rows.size(), ns + ".events.sales");
            History.of(rows).compare(routed, OutboxRouterTest::id).assertClean();
            assertThat(stack.reader().read(ns + ".events.dlq")).isEmpty();
            assertThat(stack.reader().read(ns + ".events.retry")).isEmpty();
        }
    }

    @Test
    void anIdleRouterCommitsNothing(Stack stack) throws Exception {
        String ns = stack.namespace();
        OutboxRouter router = RouterChild.router(ns, stack.bootstrapServers(), state);
        router.start();
        try (router;
                RawTopics raw = new RawTopics(stack.bootstrapServers(), ns);
                Admin admin = stack.admin()) {
            awaitReady(router);
            raw.commit(() -> {
                raw.event("a", "sales.order-placed", "k");
                raw.command("in an hour", "k", Instant.now().plusSeconds(3600));
            });
            awaitCount(stack, 1, ns + ".events.sales");
            await().atMost(PATIENCE).untilAsserted(() -> {
                long before = committedOffsets(admin);
                Instant later = Instant.now().plusMillis(500);
                await().until(() -> Instant.now().isAfter(later));
                assertThat(committedOffsets(admin)).isEqualTo(before);
            });
        }
    }

    /** How many records the topic of committed offsets has ever had. */
    private static long committedOffsets(Admin admin) throws Exception {
        String topic = "__consumer_offsets";
        Map<TopicPartition, OffsetSpec> partitions = new HashMap<>();
        for (TopicDescription found :
                admin.describeTopics(List.of(topic)).allTopicNames().get().values()) {
            found.partitions()
                    .forEach(each -> partitions.put(new TopicPartition(topic, each.partition()), OffsetSpec.latest()));
        }
        return admin.listOffsets(partitions).all().get().values().stream()
                .mapToLong(each -> each.offset())
                .sum();
    }

    @Test
    void aGroupThatHasBegunAndLostItsOffsetsIsRefusedByName(Stack stack) throws Exception {
        String ns = stack.namespace();
        try (OutboxRouter router = RouterChild.router(ns, stack.bootstrapServers(), state)) {
            router.start();
            awaitReady(router);
        }
        try (Admin admin = stack.admin()) {
            String group = ns + ".router";
            // A static member is known to the group until its session ends.
            admin.removeMembersFromConsumerGroup(
                            group, new org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions())
                    .all()
                    .get();
            admin.deleteConsumerGroupOffsets(group, java.util.Set.of(new TopicPartition(ns + ".raw.events", 1)))
                    .all()
                    .get();
        }
        try (OutboxRouter again = RouterChild.router(ns, stack.bootstrapServers(), state)) {
            assertThatThrownBy(again::start)
                    .isInstanceOf(StartRefused.class)
                    .hasMessageContaining("no offset for " + ns + ".raw.events-1")
                    .hasMessageContaining("--reset-offsets");
            assertThat(again.health().state()).isEqualTo(Health.State.FAILED);
        }
    }

    private ChildJvm child(Stack stack) {
        return ChildJvm.of(RouterChild.class)
                .arguments(stack.namespace(), stack.bootstrapServers(), state.toString())
                .start();
    }

    /** The engine makes the raw topics; here the router does, when it starts. */
    private static String awaitTopics(Stack stack) {
        await().atMost(PATIENCE)
                .until(() -> stack.topics().contains(stack.namespace() + ".commands.dlq")
                        && stack.topics().contains(stack.namespace() + ".raw.events"));
        return stack.namespace();
    }

    /** Destinations are made when the first row asks for them. */
    private static List<ConsumerRecord<byte[], byte[]>> awaitCount(Stack stack, int count, String topic) {
        await().atMost(PATIENCE).until(() -> stack.topics().contains(topic));
        return stack.reader().awaitCount(count, PATIENCE, topic);
    }

    private static void awaitReady(OutboxRouter router) {
        await().atMost(PATIENCE).until(() -> router.health().isReady());
    }

    private static List<Long> times(List<ConsumerRecord<byte[], byte[]>> records, Predicate<String> ofKey) {
        return records.stream()
                .filter(record -> ofKey.test(String.valueOf(TopicReader.text(record.key()))))
                .map(ConsumerRecord::timestamp)
                .toList();
    }

    private static List<String> ids(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream().map(OutboxRouterTest::id).toList();
    }

    private static String id(ConsumerRecord<byte[], byte[]> record) {
        return String.valueOf(TopicReader.header(record, "ce_id"));
    }
}
