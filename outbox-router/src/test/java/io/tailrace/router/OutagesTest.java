package io.tailrace.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.broker.TopicCatalog;
import io.tailrace.broker.TopicKeeper;
import io.tailrace.contract.Health;
import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.router.topology.Configs;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import io.tailrace.testkit.guarantees.History;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * An outage is not a failure: each lasts longer than the whole retry budget, uses no attempt and parks no row; health and a metric
 * name the culprit, and when it is over all goes on by itself.
 */
@RealParts
class OutagesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** Two attempts with a wait of at most 120 ms between them. */
    private static final RetryPolicy RETRY = new RetryPolicy(Duration.ofMillis(100), Duration.ofMillis(200), 2);

    private static final Duration OUTAGE = Duration.ofSeconds(2);

    @TempDir(cleanup = CleanupMode.ALWAYS)
    Path state;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    /** By topic, what must be there in the end and nothing else. */
    private final Map<String, List<History.Row>> expected = new HashMap<>();

    private Stack stack;
    private String ns;
    private TailraceConfig config;
    private OutboxRouter router;
    private int written;

    @BeforeEach
    void start(Stack given) {
        stack = given;
        ns = stack.namespace();
        RoutesConfig routes =
                new RoutesConfig(RoutesConfig.Default.NONE, List.of(new RoutesConfig.Rule("to.*", ns + ".{name}")));
        config = Configs.of(ns, stack.bootstrapServers(), RouterChild.PARTITIONS, routes, RETRY, state, false);
        try (Admin admin = stack.admin()) {
            new TopicKeeper(admin, stack.bootstrapServers(), true)
                    .ensure(catalog().router(List.of()));
        }
        // The broker never waits for more replicas than a partition has, and neither must we.
        stack.createTopic("to.good", 3, Map.of("min.insync.replicas", "2"));
        stack.createTopic("to.deleted", 3);
        stack.createTopic("to.forbidden", 3);
        router = new OutboxRouter(config, registry, Clock.systemUTC());
        router.start();
        await().atMost(PATIENCE).until(() -> router.health().isReady());
    }

    @AfterEach
    void stop() {
        router.close();
    }

    @Test
    void brokerAwayThenDeadLettersUnwritableThenTwoDestinationsDownThenAuditFeedDeleted() throws Exception {
        write("to.good", "to.deleted", "to.forbidden");
        awaitAll();

        stack.kafka().stop();
        awaitCulprit("Kafka does not answer");
        lastLongerThanTheBudget();
        stack.kafka().start();
        write("to.good");
        awaitAll();
        assertNothingBurned(0);

        String deadLetters = ns + ".events.dlq";
        stack.forbidWrites(deadLetters);
        awaitCulprit(deadLetters + " is FORBIDDEN");
        assertThat(topicDown(deadLetters, "forbidden")).isTrue();
        assertThat(registry.get("tailrace.router.intake.stopped").gauge().value())
                .isEqualTo(1);
        write("to.good");
        writePoison();
        lastLongerThanTheBudget();
        stack.allowWrites(deadLetters);
        awaitAll();
        stack.reader().awaitCount(1, PATIENCE, deadLetters);
        assertNothingBurned(1);

        String deleted = ns + ".to.deleted";
        String forbidden = ns + ".to.forbidden";
        delete(deleted);
        expected.remove(deleted);
        stack.forbidWrites(forbidden);
        write("to.deleted", "to.forbidden");
        awaitCulprit(deleted + " is MISSING");
        awaitCulprit(forbidden + " is FORBIDDEN");
        assertThat(topicDown(deleted, "missing")).isTrue();
        assertThat(topicDown(forbidden, "forbidden")).isTrue();
        assertThat(registry.get("tailrace.router.destinations.down").gauge().value())
                .isEqualTo(2);
        write("to.good");
        awaitDelivered(ns + ".to.good");
        lastLongerThanTheBudget();
        stack.createTopic("to.deleted", 3);
        stack.allowWrites(forbidden);
        write("to.deleted", "to.forbidden");
        awaitAll();
        assertNothingBurned(1);

        String auditFeed = config.topicNames().auditFeed();
        delete(auditFeed);
        awaitCulprit("kafka-topics.sh --bootstrap-server %s --create --topic %s"
                .formatted(stack.bootstrapServers(), auditFeed));
        int before = stack.reader().read(ns + ".to.good").size();
        write("to.good");
        lastLongerThanTheBudget();
        assertThat(stack.reader().read(ns + ".to.good"))
                .as("nothing is taken in")
                .hasSize(before);
        try (Admin admin = stack.admin()) {
            new TopicKeeper(admin, stack.bootstrapServers(), true)
                    .ensure(List.of(catalog().auditFeed()));
        }
        awaitAll();
        assertNothingBurned(1);
        assertThat(registry.find("tailrace.router.topic.down").gauges()).isEmpty();
    }

    /** Rows with keys, none of them of two destinations, and without. */
    private void write(String... names) {
        try (RawTopics raw = new RawTopics(stack.bootstrapServers(), ns)) {
            raw.commit(() -> {
                for (String name : names) {
                    for (int i = 0; i < 20; i++) {
                        String key = i % 5 == 0 ? null : name + i % 5;
                        String id = "e" + written++;
                        raw.event(id, name, key);
                        expected(ns + "." + name).add(new History.Row(id, key));
                    }
                }
            });
        }
    }

    /** A row for the dead letters, whatever is down, and one behind it. */
    private void writePoison() {
        try (RawTopics raw = new RawTopics(stack.bootstrapServers(), ns)) {
            raw.commit(() -> {
                raw.event("poison", "not a name", "to.good1");
                raw.event("behind", "to.good", "to.good1");
                expected(ns + ".to.good").add(new History.Row("behind", "to.good1"));
            });
        }
    }

    private List<History.Row> expected(String topic) {
        return expected.computeIfAbsent(topic, any -> new ArrayList<>());
    }

    private void awaitAll() {
        expected.keySet().forEach(this::awaitDelivered);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(router.health()).isEqualTo(new Health(Health.State.READY, "")));
    }

    private void awaitDelivered(String topic) {
        List<History.Row> rows = expected(topic);
        List<ConsumerRecord<byte[], byte[]>> delivered = stack.reader().awaitCount(rows.size(), PATIENCE, topic);
        History.of(rows)
                .compare(delivered, record -> String.valueOf(TopicReader.header(record, "ce_id")))
                .assertClean();
    }

    private void awaitCulprit(String culprit) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(router.health().detail()).contains(culprit);
            assertThat(router.health().state()).isEqualTo(Health.State.WAITING);
        });
    }

    private static void lastLongerThanTheBudget() {
        await().pollDelay(OUTAGE).atMost(OUTAGE.multipliedBy(10)).until(() -> true);
    }

    private void assertNothingBurned(int deadLetters) {
        assertThat(stack.reader().read(ns + ".events.dlq")).hasSize(deadLetters);
        assertThat(stack.reader().read(ns + ".events.retry"))
                .allMatch(shown -> "0".equals(TopicReader.header(shown, "tailrace-attempt")));
        assertThat(registry.find("tailrace.router.retried").counters())
                .allSatisfy(counter -> assertThat(counter.count()).isZero());
        assertThat(registry.get("tailrace.router.attempts").summary().totalAmount())
                .as("attempts, of which each dead letter used its one")
                .isEqualTo(deadLetters);
    }

    private boolean topicDown(String topic, String why) {
        return registry.find("tailrace.router.topic.down")
                        .tags("topic", topic, "state", why)
                        .gauge()
                != null;
    }

    private void delete(String topic) throws Exception {
        try (Admin admin = stack.admin()) {
            admin.deleteTopics(List.of(topic)).all().get();
        }
    }

    private TopicCatalog catalog() {
        return new TopicCatalog(config.topicNames(), config.topics());
    }
}
