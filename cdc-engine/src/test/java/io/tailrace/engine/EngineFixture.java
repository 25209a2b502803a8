package io.tailrace.engine;

import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.contract.config.EngineConfig;
import io.tailrace.contract.config.ExecutorConfig;
import io.tailrace.contract.config.HttpConfig;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.config.OutboxConfig;
import io.tailrace.contract.config.RouterConfig;
import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.config.Secret;
import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.config.TopicsConfig;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.engine.publish.BatchWatcher;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.Stack;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A migrated database and an engine on the shared servers; the test closes what it starts. */
final class EngineFixture implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(60);

    static final int MAX_BATCH_SIZE = 4096;

    final Stack stack;
    final Namespace namespace;
    final Topics topics;
    final MeterRegistry registry = new SimpleMeterRegistry();
    final AtomicInteger halts = new AtomicInteger();
    final CdcEngine engine;

    EngineFixture(Stack stack) {
        this(stack, config(stack));
    }

    EngineFixture(Stack stack, OutboxMode mode) {
        this(
                stack,
                config(stack.namespace(), stack.database(), stack.postgres().port(), stack.bootstrapServers())
                        .with(new OutboxConfig(mode)));
    }

    EngineFixture(Stack stack, TailraceConfig config) {
        this(stack, config, Clock.systemUTC());
    }

    EngineFixture(Stack stack, TailraceConfig config, Clock clock) {
        this(stack, config, clock, EngineState.SHORTEST_SILENCE);
    }

    EngineFixture(Stack stack, TailraceConfig config, Clock clock, Duration shortestSilence) {
        this.stack = stack;
        this.namespace = config.namespace();
        this.topics = config.topicNames();
        this.engine =
                new CdcEngine(config, registry, clock, halts::incrementAndGet, BatchWatcher.NOBODY, shortestSilence);
    }

    /** Tables, publication, slot and source row, as {@code tailrace db migrate} makes them. */
    static void migrate(Stack stack) throws SQLException {
        migrate(stack, TableNames.DEFAULT);
    }

    static void migrate(Stack stack, TableNames tables) throws SQLException {
        try (Connection connection = stack.connect()) {
            Schema.migrate(
                    connection, tables, Scope.ALL, Ownership.of(new Namespace(stack.namespace()), stack.database()));
        }
    }

    static TailraceConfig config(Stack stack) {
        return config(stack, TableNames.DEFAULT);
    }

    static TailraceConfig config(Stack stack, TableNames tables) {
        return config(
                stack.namespace(),
                stack.database(),
                stack.postgres().port(),
                stack.bootstrapServers(),
                tables,
                MAX_BATCH_SIZE);
    }

    static TailraceConfig config(String namespace, String database, int port, String bootstrapServers) {
        return config(namespace, database, port, bootstrapServers, TableNames.DEFAULT, MAX_BATCH_SIZE);
    }

    static TailraceConfig config(
            String namespace, String database, int port, String bootstrapServers, TableNames tables, int maxBatchSize) {
        return new TailraceConfig(
                new Namespace(namespace),
                new SourceConfig("127.0.0.1", port, database, "postgres", Secret.of(""), "disable", tables),
                new KafkaConfig(bootstrapServers, Map.of()),
                new TopicsConfig(3, 1, 1, true, 1_048_576, Duration.ofDays(14)),
                new EngineConfig(
                        Duration.ofMillis(10),
                        maxBatchSize,
                        4 * maxBatchSize,
                        64L << 20,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(5)),
                new RouterConfig(
                        new RoutesConfig(RoutesConfig.Default.CONTEXT, List.of()),
                        RetryPolicy.EVENTS,
                        RouterConfig.Guarantee.EXACTLY_ONCE,
                        Duration.ofMillis(20),
                        1,
                        Path.of("unused"),
                        "unused"),
                new ExecutorConfig(
                        1,
                        RetryPolicy.COMMANDS,
                        Map.of(),
                        Duration.ofSeconds(60),
                        ExecutorConfig.MissingHandler.DEAD,
                        Duration.ofSeconds(5)),
                new HttpConfig(false, "127.0.0.1", 0));
    }

    EngineFixture started() {
        engine.start();
        return this;
    }

    /** One value from this test's database. */
    static String query(Stack stack, String sql) throws SQLException {
        try (Connection connection = stack.connect()) {
            return query(connection, sql);
        }
    }

    /** One value from any database. */
    static String query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            if (!row.next()) {
                throw new AssertionError("no row: " + sql);
            }
            return String.valueOf(row.getString(1));
        }
    }

    /** Drops a slot once the server has noticed that its reader has gone, which may be a moment after the reader has. */
    static String dropSlot(String slot) {
        return """
                DO $$ BEGIN
                  FOR i IN 1..600 LOOP
                    EXIT WHEN NOT (SELECT active FROM pg_replication_slots WHERE slot_name = '%1$s');
                    PERFORM pg_sleep(0.05);
                  END LOOP;
                  PERFORM pg_drop_replication_slot('%1$s');
                END $$""".formatted(slot);
    }

    /** The value of a gauge of the engine. */
    double gauge(String name) {
        return registry.get(EngineMetrics.PREFIX + name).gauge().value();
    }

    void awaitState(Health.State state) {
        await().atMost(PATIENCE).until(() -> engine.health().state() == state);
    }

    /** The one record of a row. */
    ConsumerRecord<byte[], byte[]> record(String topic, String id) {
        return stack
                .reader()
                .await(
                        "the record of row " + id,
                        records -> records.stream().anyMatch(one -> id.equals(header(one, "ce_id"))),
                        PATIENCE,
                        topic)
                .stream()
                .filter(one -> id.equals(header(one, "ce_id")))
                .findFirst()
                .orElseThrow();
    }

    static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return String.valueOf(io.tailrace.testkit.TopicReader.header(record, name));
    }

    @Override
    public void close() {
        engine.close();
    }
}
