package io.tailrace.operations;

import static io.tailrace.operations.Tables.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.CommitNote;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.RedactConfig;
import io.tailrace.contract.config.SubscriptionConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.upkeep.Rhythm;
import io.tailrace.operations.upkeep.Upkeep;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which rows are sent again, and when not. The test is engine, router and executor: it says what they have passed. */
@RealParts
class ReconcilerTest {

    private static final Duration NEVER = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** What the log holds of control messages. */
    private static final Pattern WAKE =
            Pattern.compile("\"act\" : \"wake\", \"id\" : \"[0-9a-f-]{34}([0-9a-f]{2})\".*?\"turn\" : (\\d+)");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void rowsThatNobodyHasAreSentAgainOnceAllIsPassedAndLagIsToldAsLag(Stack stack) throws Exception {
        Tables tables = Tables.on(stack);
        new ParkedRows(tables.config);
        Topics topics = tables.config.topicNames();
        stack.execute("SELECT pg_create_logical_replication_slot('watch_" + stack.namespace() + "', 'pgoutput')");
        tables.command(0x11, "PENDING", null, "now() - interval '20 minutes'");
        tables.command(0x12, "PENDING", null, "'-infinity'");
        tables.set(0x12, "turn = 3, place = 7, not_before = now() - interval '16 minutes'");
        tables.standing(0x12, "lost", 7);
        // What stands behind it goes with it.
        tables.command(0x14, "PENDING", null, "now() - interval '1 hour'");
        tables.standing(0x14, "lost", 8);
        tables.command(0x13, "DEAD", null, "now() - interval '1 hour'");
        tables.set(0x13, "turn = 5, place = 8, failed_at = now() - interval '16 minutes'");
        // Not yet; waits rightly; runs now; is known to be dead; paused; in the hands of an external handler.
        tables.command(0x21, "PENDING", null, "now() - interval '14 minutes'");
        tables.command(0x22, "PENDING", null, "now() - interval '1 hour'");
        tables.set(0x22, "not_before = now() + interval '1 hour'");
        tables.command(0x23, "PENDING", null, "now() - interval '1 hour'");
        tables.command(0x24, "DEAD", null, "now() - interval '1 hour'");
        tables.set(0x24, "announced_at = now(), failed_at = now() - interval '1 hour'");
        tables.command(0x25, "PENDING", null, "now() - interval '1 hour'");
        tables.set(0x25, "hold = 'mail'");
        stack.execute("INSERT INTO tailrace.pause (name) VALUES ('mail')");
        tables.command(0x26, "PENDING", null, "now() - interval '1 hour'");
        tables.set(0x26, "claimed_until = now() + interval '1 hour'");
        // Each behind one of those that wait rightly, or did until a moment ago; and one behind such a one.
        for (int head : List.of(0x21, 0x22, 0x25, 0x26)) {
            tables.standing(head, "k" + head, 10);
            for (int place = 11; place <= 12; place++) {
                int follower = head + 0x10 * (place - 10);
                tables.command(follower, "PENDING", null, "now() - interval '1 hour'");
                tables.standing(follower, "k" + head, place);
            }
        }

        begun(stack, tables);
        write(tables, topics.rawCommands(), Duration.ofMinutes(20));
        try (Connection worker = stack.connect();
                Upkeep upkeep = new Upkeep(
                        tables.config,
                        new Rhythm(Duration.ZERO, Duration.ofMillis(500), Duration.ofMinutes(15), NEVER, NEVER),
                        registry,
                        Clock.systemUTC())) {
            worker.setAutoCommit(false);
            worker.createStatement()
                    .execute("SELECT FROM tailrace.internal_command WHERE id = '" + id(0x23) + "' FOR UPDATE");
            upkeep.start();
            tables.readAll();
            await().atMost(PATIENCE).until(() -> {
                tables.readAll();
                return gauge("lagging") == 1;
            });
            assertThat(gauge("overdue.rows")).isEqualTo(5);
            assertThat(gauge("oldest.overdue.age")).isBetween(3_500.0, 3_900.0);
            assertThat(wakes(stack, tables))
                    .as("the router has not passed what was written")
                    .isEmpty();

            // It passes it. What is written later does not matter, nor do the ends of transactions.
            passed(stack, tables, 1);
            write(tables, topics.rawCommands(), Duration.ZERO);
            await().atMost(PATIENCE).until(() -> {
                tables.readAll();
                return wakes(stack, tables).size() >= 4;
            });
            assertThat(wakes(stack, tables).subList(0, 4))
                    .containsExactlyInAnyOrder("11 at 0", "12 at 3", "13 at 5", "14 at 1");
            assertThat(gauge("lagging")).isZero();
        }
        assertThat(counter("woken.rows")).isGreaterThanOrEqualTo(3);
        assertThat(counter("woken.rows") % 3).isZero();
        assertThat(counter("announced.rows")).isGreaterThanOrEqualTo(1);
        assertThat(tables.column(0x12, "concat(status, turn, attempts, place)")).isEqualTo("PENDING307");
    }

    /** A handler may run for a day, and its key have rows behind it: by the note beside the offset, all the others are looked for. */
    @Test
    void whatAnExecutorHasNotFinishedIsLeftAloneAndTheRestSentAgain(Stack stack) throws Exception {
        Tables tables = Tables.on(stack);
        new ParkedRows(tables.config);
        String due = tables.config.topicNames().commands();
        stack.execute("SELECT pg_create_logical_replication_slot('watch_" + stack.namespace() + "', 'pgoutput')");
        for (int n = 0x31; n <= 0x34; n++) {
            tables.command(n, "PENDING", null, "now() - interval '1 hour'");
        }
        tables.set(0x32, "ordering_key = 'busy'");
        tables.set(0x33, "ordering_key = 'other'");
        passed(stack, tables, 0);
        // A row of the busy key runs, and behind it in the topic one without a key; with what lies between the executor
        // is done.
        write(tables, due, Duration.ofMinutes(20), row(0x30, "busy"), row(0x33, "other"), row(0x34, null));
        try (Upkeep upkeep = new Upkeep(
                        tables.config,
                        new Rhythm(Duration.ZERO, Duration.ofMillis(500), Duration.ofMinutes(15), NEVER, NEVER),
                        registry,
                        Clock.systemUTC());
                Tables.Reading engine = tables.reading()) {
            upkeep.start();
            await().atMost(PATIENCE).until(() -> gauge("lagging") == 1);
            assertThat(gauge("overdue.rows")).isEqualTo(4);
            assertThat(wakes(stack, tables)).isEmpty();

            stands(stack, tables, new CommitNote(true, 0, 4, List.of(0L, 2L)));
            await().atMost(PATIENCE).until(() -> wakes(stack, tables).size() >= 4);
            assertThat(wakes(stack, tables).stream().distinct()).containsExactlyInAnyOrder("31 at 0", "33 at 0");
            assertThat(gauge("overdue.rows")).isEqualTo(2);
            assertThat(gauge("lagging")).isZero();

            // When nothing else is left it is lag, and what a note had no room for is so too.
            tables.set(0x31, "status = 'COMPLETED'");
            tables.set(0x33, "status = 'COMPLETED'");
            await().atMost(PATIENCE).until(() -> gauge("lagging") == 1);
            assertThat(gauge("overdue.rows")).isEqualTo(2);
            stands(stack, tables, new CommitNote(true, 0, 1, List.of(0L)));
            tables.set(0x31, "status = 'PENDING'");
            await().atMost(PATIENCE).until(() -> gauge("overdue.rows") == 3);
            assertThat(gauge("lagging")).isEqualTo(1);
        }
    }

    @Test
    void eventsThatNobodyHasAreReadAgainFromWhereTheyWereCapturedOrBuried(Stack stack) throws Exception {
        Tables tables = Tables.on(stack);
        TailraceConfig config = tables.config
                .subscribing(List.of(new SubscriptionConfig("billing", List.of("a.*"))))
                .with(new RedactConfig(Map.of("a.secret", List.of("card")), Map.of(), RedactConfig.Scrub.ON_DONE));
        ParkedRows topics = new ParkedRows(config);
        Topics names = config.topicNames();
        topics.capture(id(0x11), "{\"n\":1}", "blue");
        tables.waitingDelivery("billing", 0x11, "k", 7, "now() - interval '20 minutes'", 0);
        // What stands behind it goes with it, and what the raw topic has at its place is another event.
        tables.waitingDelivery("billing", 0x12, "k", 8, "NULL", 0);
        tables.waitingDelivery("billing", 0x13, "gone", 9, "now() - interval '20 minutes'", 1_000);
        // The outbox still has it.
        tables.waitingDelivery("billing", 0x15, "kept", 11, "now() - interval '20 minutes'", 1_000);
        stack.execute(
                "INSERT INTO tailrace.outbox (id, event_name, event_version, ordering_key, payload, headers, tenant_id) VALUES ('"
                        + id(0x15) + "', 'a.thing', 2, 'kept', '{ \"n\":5 }', '{\"colour\":\"red\"}', 'tenant-1')");
        tables.waitingDelivery("billing", 0x16, "secret", 12, "now() - interval '20 minutes'", 1_000);
        stack.execute("INSERT INTO tailrace.outbox (id, event_name, payload) VALUES ('" + id(0x16)
                + "', 'a.secret', '{\"card\":null}')");
        tables.waitingDelivery("billing", 0x14, "dead", 10, "NULL", 1_000);
        tables.setDelivery(0x14, "status = 'DEAD', reason = 'rejected', failed_at = now() - interval '20 minutes'");
        // Not yet, and so not what stands behind it; waits rightly; is known to be dead; of somebody else.
        tables.waitingDelivery("billing", 0x21, "soon", 11, "now() - interval '14 minutes'", 0);
        tables.waitingDelivery("billing", 0x22, "soon", 12, "NULL", 0);
        tables.waitingDelivery("billing", 0x23, "waits", 13, "now() + interval '1 hour'", 0);
        tables.waitingDelivery("billing", 0x24, "held", 14, "now() - interval '1 hour'", 0);
        tables.setDelivery(0x24, "hold = 'billing'");
        tables.deadDelivery("billing", 0x25, "1 hour");
        tables.waitingDelivery("elsewhere", 0x26, "k", 7, "now() - interval '1 hour'", 0);

        passedDeliveries(stack, config, 0);
        write(tables, names.retry("billing"), Duration.ofMinutes(20));
        try (Upkeep upkeep = new Upkeep(
                config,
                new Rhythm(Duration.ZERO, Duration.ofMillis(500), Duration.ofMinutes(15), NEVER, NEVER),
                registry,
                Clock.systemUTC())) {
            upkeep.start();
            await().atMost(PATIENCE).until(() -> gauge("lagging") == 1);
            assertThat(gauge("overdue.rows")).isEqualTo(6);
            assertThat(stack.reader().read(names.redelivery("billing"))).isEmpty();

            passedDeliveries(stack, config, 1);
            await().atMost(PATIENCE)
                    .until(() ->
                            stack.reader().read(names.redelivery("billing")).size() >= 6);
            assertThat(gauge("lagging")).isZero();
        }
        List<ConsumerRecord<byte[], byte[]>> sent = stack.reader().read(names.redelivery("billing"));
        assertThat(sent.stream().map(ReconcilerTest::told).distinct())
                .containsExactlyInAnyOrder(
                        id(0x11) + " redelivery 1:7 at 2 as 1:7 of k: {\"n\":1}",
                        id(0x12) + " bury 1:8 at 2 as 1:8 of k: null",
                        id(0x13) + " bury 1:9 at 2 as 1:9 of gone: null",
                        id(0x14) + " redelivery 1:10 at 2 as 1:10 of dead: null",
                        id(0x15) + " redelivery 1:11 at 2 as 1:11 of kept: { \"n\":5 }",
                        id(0x16) + " bury 1:12 at 2 as 1:12 of secret: null");
        assertThat(sent.stream().filter(record -> told(record).startsWith(id(0x15))))
                .allSatisfy(record -> assertThat(TopicReader.headers(record))
                        .containsEntry("ce_type", "a.thing")
                        .containsEntry("ce_eventversion", "2")
                        .containsEntry("ce_tenantid", "tenant-1")
                        .containsEntry("content-type", "application/json")
                        .containsEntry("colour", "red"));
        assertThat(sent.stream().filter(record -> told(record).startsWith(id(0x11))))
                .allSatisfy(record -> {
                    assertThat(TopicReader.headers(record))
                            .containsEntry("token", "blue")
                            .containsEntry("colour", "blue");
                    assertThat(record.partition())
                            .isEqualTo(BuiltInPartitioner.partitionForKey("k".getBytes(StandardCharsets.UTF_8), 4));
                });
        assertThat(sent.stream()
                        .filter(record -> told(record).contains("bury"))
                        .map(record -> TopicReader.header(record, "tailrace-reason")))
                .containsOnly("row-gone");
        assertThat(tables.ofDelivery(0x11, "concat(status, turn, attempts)"))
                .as("the row is only read")
                .isEqualTo("PENDING20");
    }

    private static String told(ConsumerRecord<byte[], byte[]> record) {
        return "%s %s %s at %s as %s of %s: %s"
                .formatted(
                        TopicReader.header(record, "ce_id"),
                        TopicReader.header(record, "tailrace-kind"),
                        TopicReader.header(record, "tailrace-place"),
                        TopicReader.header(record, "tailrace-turn"),
                        TopicReader.header(record, "tailrace-seq"),
                        TopicReader.header(record, "ce_partitionkey"),
                        TopicReader.text(record.value()));
    }

    /** Both groups, all partitions. */
    private static void passedDeliveries(Stack stack, TailraceConfig config, long offset) throws Exception {
        Topics topics = config.topicNames();
        try (Admin admin = stack.admin()) {
            commit(admin, config.namespace().routerApplicationId(), offset, topics.retry("billing"));
            commit(
                    admin,
                    config.namespace().executorGroup("billing", config.source().name()),
                    offset,
                    topics.redelivery("billing"));
        }
    }

    private static void begun(Stack stack, Tables tables) throws Exception {
        passed(stack, tables, 0);
    }

    /** Both groups, all partitions. */
    private static void passed(Stack stack, Tables tables, long offset) throws Exception {
        Topics topics = tables.config.topicNames();
        try (Admin admin = stack.admin()) {
            commit(
                    admin,
                    tables.config.namespace().routerApplicationId(),
                    offset,
                    topics.rawCommands(),
                    topics.retry(Topics.COMMANDS));
            commit(
                    admin,
                    tables.config
                            .namespace()
                            .executorGroup(
                                    Topics.COMMANDS, tables.config.source().name()),
                    offset,
                    topics.commands(),
                    topics.redelivery(Topics.COMMANDS));
        }
    }

    /** The executor, in partition 0 of what is due. */
    private static void stands(Stack stack, Tables tables, CommitNote note) throws Exception {
        try (Admin admin = stack.admin()) {
            admin.alterConsumerGroupOffsets(
                            tables.config
                                    .namespace()
                                    .executorGroup(
                                            Topics.COMMANDS,
                                            tables.config.source().name()),
                            Map.of(
                                    new TopicPartition(
                                            tables.config.topicNames().commands(), 0),
                                    new OffsetAndMetadata(note.offset(), note.text(CommitNote.MOST_CHARS))))
                    .all()
                    .get();
        }
    }

    private static Headers row(int n, @Nullable String key) {
        return Headers.builder()
                .put(HeaderName.CE_ID, id(n))
                .putIfPresent(HeaderName.CE_PARTITIONKEY, key)
                .build();
    }

    private static void commit(Admin admin, String group, long offset, String... topics) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (String topic : topics) {
            for (int partition = 0; partition < 4; partition++) {
                offsets.put(new TopicPartition(topic, partition), new OffsetAndMetadata(offset));
            }
        }
        admin.alterConsumerGroupOffsets(group, offsets).all().get();
    }

    /** Records in partition 0, of one transaction, as engine and router write them: its end has an offset, too. */
    private static void write(Tables tables, String topic, Duration ago) {
        write(tables, topic, ago, Headers.empty());
    }

    private static void write(Tables tables, String topic, Duration ago, Headers... records) {
        Map<String, Object> settings = ClientSettings.producer(tables.config.kafka());
        settings.put("transactional.id", tables.config.namespace().value() + ".test");
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings)) {
            producer.initTransactions();
            producer.beginTransaction();
            long then = System.currentTimeMillis() - ago.toMillis();
            for (Headers headers : records) {
                producer.send(new ProducerRecord<>(topic, 0, then, new byte[1], new byte[1], KafkaHeaders.to(headers)));
            }
            producer.commitTransaction();
        }
    }

    /** In the order of the log: the end of the id, and the turn. */
    private static List<String> wakes(Stack stack, Tables tables) throws SQLException {
        List<String> wakes = new ArrayList<>();
        try (Connection connection = stack.connect();
                Statement statement = connection.createStatement();
                ResultSet changes = statement.executeQuery(
                        "SELECT data FROM pg_logical_slot_peek_binary_changes('watch_%s', NULL, NULL, 'proto_version', '1', 'publication_names', '%s', 'messages', 'true')"
                                .formatted(stack.namespace(), tables.config.publication()))) {
            while (changes.next()) {
                Matcher wake = WAKE.matcher(new String(changes.getBytes(1), StandardCharsets.ISO_8859_1));
                if (wake.find()) {
                    wakes.add(wake.group(1) + " at " + wake.group(2));
                }
            }
        }
        return wakes;
    }

    private double gauge(String name) {
        return registry.get("tailrace.upkeep." + name).gauge().value();
    }

    private int counter(String name) {
        return (int) registry.get("tailrace.upkeep." + name).counter().count();
    }
}
