package io.tailrace.executor;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.broker.TopicCatalog;
import io.tailrace.broker.TopicKeeper;
import io.tailrace.contract.config.ExecutorConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Kind;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.intake.Intake;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A database with commands and a table of effects, and the topics around an executor; the test is the router: it writes due records as the router
 * would, and reads the answers.
 */
final class Shop implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(30);

    final Stack stack;
    final TailraceConfig config;
    private final KafkaProducer<byte[], byte[]> router;
    private final List<AutoCloseable> opened = new ArrayList<>();
    private boolean hurry;

    private Shop(Stack stack, ExecutorConfig executor) throws SQLException {
        this.stack = stack;
        this.config = Configs.of(
                stack.namespace(), stack.postgres().port(), stack.database(), stack.bootstrapServers(), executor);
        try (Connection connection = stack.connect()) {
            Schema.migrate(
                    connection, TableNames.DEFAULT, Scope.ALL, Ownership.of(config.namespace(), stack.database()));
        }
        stack.execute("CREATE TABLE effect (n bigserial PRIMARY KEY, command uuid, key text, attempt int, note text)");
        try (Admin admin = stack.admin()) {
            new TopicKeeper(admin, stack.bootstrapServers(), true)
                    .ensure(new TopicCatalog(config.topicNames(), config.topics()).executor(List.of()));
        }
        this.router = new KafkaProducer<>(ClientSettings.producer(config.kafka()));
    }

    static Shop open(Stack stack) throws SQLException {
        return new Shop(stack, Configs.executor(4));
    }

    static Shop open(Stack stack, ExecutorConfig executor) throws SQLException {
        return new Shop(stack, executor);
    }

    /** Starts an executor that is closed with the shop. */
    CommandExecutor executor(CommandHandler... handlers) {
        return executor(config, new SimpleMeterRegistry(), handlers);
    }

    CommandExecutor executor(TailraceConfig how, MeterRegistry registry, CommandHandler... handlers) {
        return executor(how, registry, Handlers.of(handlers));
    }

    CommandExecutor executor(TailraceConfig how, MeterRegistry registry, Handlers handlers) {
        CommandExecutor executor = new CommandExecutor(how, handlers, registry, Clock.systemUTC());
        opened.add(executor);
        executor.start();
        return executor;
    }

    /** A committed row, and the record that says that it is due. */
    UUID due(String name, @Nullable String key) throws SQLException {
        UUID id = insert(name, key);
        due(id, name, key, 0);
        return id;
    }

    UUID insert(String name, @Nullable String key) throws SQLException {
        try (Connection connection = stack.connect()) {
            return insert(connection, name, key);
        }
    }

    static UUID insert(Connection connection, String name, @Nullable String key) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO tailrace.internal_command (command_name, ordering_key, payload, headers,
                    tenant_id, user_id, user_roles, correlation_id, causation_id, traceparent)
                VALUES (?, ?, '{"n": 1}', '{"channel":"web"}', 'acme', 'u7', 'clerk,admin', 'c-1', 'k-1',
                    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')
                RETURNING id""")) {
            insert.setString(1, name);
            insert.setString(2, key);
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return row.getObject(1, UUID.class);
            }
        }
    }

    /** A record in {@code <ns>.commands} as the router writes it. */
    void due(UUID id, String name, @Nullable String key, int turn) {
        due(id, name, key, turn, null);
    }

    void due(UUID id, String name, @Nullable String key, int turn, @Nullable Long xid) {
        Headers.Builder headers = business(id, name, key)
                .put(HeaderName.KIND, Kind.COMMAND.text())
                .put(HeaderName.SEQ, "1:0")
                .put(HeaderName.TURN, turn)
                .put(HeaderName.PAYLOAD, "inline");
        if (xid != null) {
            headers.put(HeaderName.XID, xid);
        }
        write(config.topicNames().commands(), id, key, headers.build());
    }

    /** A record in the redelivery topic as the router writes it. */
    void redelivered(UUID id, String name, @Nullable String key, int turn, String place) {
        redelivered(id, name, key, turn, place, null);
    }

    void redelivered(UUID id, String name, @Nullable String key, int turn, String place, @Nullable Long xid) {
        Headers.Builder headers = business(id, name, key)
                .put(HeaderName.KIND, Kind.REDELIVERY.text())
                .put(HeaderName.SEQ, "1:0")
                .put(HeaderName.TURN, turn)
                .put(HeaderName.PLACE, place)
                .put(HeaderName.PAYLOAD, "inline");
        if (xid != null) {
            headers.put(HeaderName.XID, xid);
        }
        write(config.topicNames().redelivery(Topics.COMMANDS), id, key, headers.build());
    }

    /** A record of an event as the router writes it to a destination. */
    void routed(String topic, UUID id, String name, @Nullable String key, Map<HeaderName, String> more) {
        Headers.Builder headers = business(id, name, key).put(HeaderName.SEQ, "1:0");
        more.forEach(headers::put);
        write(topic, id, key, headers.build());
    }

    void bury(UUID id, String name, @Nullable String key, String reason) {
        bury(id, name, key, reason, "no such name");
    }

    void bury(UUID id, String name, @Nullable String key, String reason, String message) {
        write(
                config.topicNames().commands(),
                id,
                key,
                business(id, name, key)
                        .put(HeaderName.KIND, Kind.BURY.text())
                        .put(HeaderName.SEQ, "1:0")
                        .put(HeaderName.TURN, 0)
                        .put(HeaderName.REASON, reason)
                        .put(HeaderName.STAGE, "decide")
                        .put(HeaderName.ERROR_CLASS, "NameInvalid")
                        .put(HeaderName.ERROR_MESSAGE, message)
                        .build());
    }

    /** Sends the row of an answer out again, as its lane would: with the turn and place of the answer. */
    void release(ConsumerRecord<byte[], byte[]> answer) {
        Headers headers = KafkaHeaders.from(answer.headers());
        write(
                config.topicNames().redelivery(Topics.COMMANDS),
                answer.key(),
                answer.value(),
                headers.toBuilder()
                        .put(HeaderName.KIND, Kind.REDELIVERY.text())
                        .remove(HeaderName.WAIT)
                        .build());
    }

    /** Something to remember, in the operations topic. */
    void operation(String key, String value) {
        write(
                config.topicNames().operations(),
                key.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                value.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                Headers.empty());
    }

    private Headers.Builder business(UUID id, String name, @Nullable String key) {
        return Headers.builder()
                .put(HeaderName.CE_SPECVERSION, "1.0")
                .put(HeaderName.CE_ID, id.toString())
                .put(HeaderName.CE_TYPE, name)
                .put(HeaderName.CE_SOURCE, config.namespace().source(stack.database()))
                .putIfPresent(HeaderName.CE_PARTITIONKEY, key)
                .put(HeaderName.CONTENT_TYPE, "application/json");
    }

    private void write(String topic, UUID id, @Nullable String key, Headers headers) {
        write(
                topic,
                (key == null ? id.toString() : key).getBytes(java.nio.charset.StandardCharsets.UTF_8),
                "{\"n\": 1}".getBytes(java.nio.charset.StandardCharsets.UTF_8),
                headers);
    }

    /** As so many calls of {@link #due(UUID, String, String, int)}, in a hurry. */
    void due(List<UUID> ids, String name, String key) {
        hurry = true;
        ids.forEach(id -> due(id, name, key, 0));
        hurry = false;
        router.flush();
    }

    private void write(String topic, byte[] key, byte @Nullable [] value, Headers headers) {
        try {
            var sent = router.send(new ProducerRecord<>(topic, null, key, value, KafkaHeaders.to(headers)));
            if (!hurry) {
                sent.get();
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The answers so far, once there are at least so many. */
    List<ConsumerRecord<byte[], byte[]>> answers(int atLeast) {
        return stack.reader().awaitCount(atLeast, PATIENCE, config.topicNames().retry(Topics.COMMANDS));
    }

    /** The answers to one row, once there are at least so many. */
    List<Map<String, @Nullable String>> answersTo(UUID id, int atLeast) {
        List<Map<String, @Nullable String>> answers = new ArrayList<>();
        answerRecordsTo(id, atLeast).forEach(answer -> answers.add(TopicReader.headers(answer)));
        return answers;
    }

    List<ConsumerRecord<byte[], byte[]>> answerRecordsTo(UUID id, int atLeast) {
        return stack
                .reader()
                .await(
                        atLeast + " answers to " + id,
                        read -> read.stream()
                                        .filter(answer -> isAbout(answer, id))
                                        .count()
                                >= atLeast,
                        PATIENCE,
                        config.topicNames().retry(Topics.COMMANDS))
                .stream()
                .filter(answer -> isAbout(answer, id))
                .toList();
    }

    static boolean isAbout(ConsumerRecord<byte[], byte[]> answer, UUID id) {
        return id.toString().equals(TopicReader.header(answer, "ce_id"));
    }

    /** Every answer that there is now. */
    List<ConsumerRecord<byte[], byte[]>> allAnswers() {
        return stack.reader().read(config.topicNames().retry(Topics.COMMANDS));
    }

    /** A row, column by column, as text. */
    Map<String, @Nullable String> row(UUID id) throws SQLException {
        try (Connection connection = stack.connect();
                PreparedStatement select =
                        connection.prepareStatement("SELECT * FROM tailrace.internal_command WHERE id = ?")) {
            select.setObject(1, id);
            try (ResultSet rows = select.executeQuery()) {
                rows.next();
                Map<String, @Nullable String> row = new HashMap<>();
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    row.put(rows.getMetaData().getColumnName(i), rows.getString(i));
                }
                return row;
            }
        }
    }

    Map<String, @Nullable String> awaitStatus(UUID id, String status) {
        awaitUntil(() -> status.equals(row(id).get("status")));
        try {
            return row(id);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void awaitUntil(java.util.concurrent.Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .ignoreExceptions()
                .until(condition);
    }

    void awaitMeter(MeterRegistry registry, String name, String tag, String value, double atLeast) {
        awaitUntil(() -> count(registry, name, tag, value) >= atLeast);
    }

    static double count(MeterRegistry registry, String name, String tag, String value) {
        var counter = registry.find(name).tag(tag, value).counter();
        return counter == null ? 0 : counter.count();
    }

    void awaitCount(String sql, long wanted) {
        awaitUntil(() -> count(sql) == wanted);
    }

    long count(String sql) throws SQLException {
        try (Connection connection = stack.connect();
                PreparedStatement select = connection.prepareStatement(sql);
                ResultSet row = select.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    long effects(UUID id) throws SQLException {
        return count("SELECT count(*) FROM effect WHERE command = '" + id + "'");
    }

    /** Notes of a key's effects, in the order in which they were written. */
    List<String> effectsOf(String key) throws SQLException {
        try (Connection connection = stack.connect();
                PreparedStatement select =
                        connection.prepareStatement("SELECT command::text FROM effect WHERE key = ? ORDER BY n")) {
            select.setString(1, key);
            try (ResultSet rows = select.executeQuery()) {
                List<String> all = new ArrayList<>();
                while (rows.next()) {
                    all.add(rows.getString(1));
                }
                return all;
            }
        }
    }

    /** The offsets that the group has committed, as {@code topic-partition} to offset, are at the ends of the topics. */
    void awaitAllPassed() {
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).until(this::allPassed);
    }

    boolean allPassed() throws Exception {
        List<String> topics = Intake.topics(config);
        List<ConsumerRecord<byte[], byte[]>> all = stack.reader().read(topics.toArray(String[]::new));
        try (Admin admin = stack.admin()) {
            var offsets = admin.listConsumerGroupOffsets(Intake.group(config))
                    .partitionsToOffsetAndMetadata()
                    .get();
            return all.stream().allMatch(record -> {
                var committed =
                        offsets.get(new org.apache.kafka.common.TopicPartition(record.topic(), record.partition()));
                return committed != null && committed.offset() > record.offset();
            });
        }
    }

    /** Ids of the answers of a kind, in order. */
    static List<String> idsOf(List<ConsumerRecord<byte[], byte[]>> answers, Kind kind) {
        return answers.stream()
                .filter(answer -> kind.text().equals(TopicReader.header(answer, "tailrace-kind")))
                .map(answer -> Objects.requireNonNull(TopicReader.header(answer, "ce_id")))
                .toList();
    }

    static List<String> texts(UUID... ids) {
        return List.of(ids).stream().map(UUID::toString).toList();
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable part : opened) {
            part.close();
        }
        router.close(Duration.ofSeconds(1));
    }
}
