package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.broker.TopicCatalog;
import io.tailrace.broker.TopicKeeper;
import io.tailrace.contract.config.RedactConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Kind;
import io.tailrace.executor.metric.ExecutorMetrics;
import io.tailrace.executor.scrub.Scrubber;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rows are said to be done on the retry topics, as router and operators say it. */
@RealParts
class ScrubberTest {

    private static final RedactConfig SECRETS = new RedactConfig(
            Map.of("sales.*", List.of("card")), Map.of("charge", List.of("card")), RedactConfig.Scrub.ON_DONE);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void whatIsDoneIsScrubbedOnceItCanBeSeenAndTheLagTellsWhatIsNot(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack);
                Connection writer = stack.connect();
                KafkaProducer<byte[], byte[]> router =
                        new KafkaProducer<>(ClientSettings.producer(shop.config.kafka()))) {
            TailraceConfig config = withSecrets(shop);
            UUID done = event(stack, "sales.placed");
            UUID withoutPaths = event(stack, "stock.counted");
            UUID elsewhere = event(stack, "sales.placed");
            UUID command = command(stack, "CANCELLED");
            UUID dead = command(stack, "DEAD");
            writer.setAutoCommit(false);
            UUID unseen = UUID.randomUUID();
            long xid = insertUnseen(writer, unseen);
            String own = config.ceSource();
            say(router, config, Topics.EVENTS, headers(done, "sales.placed", own));
            say(router, config, Topics.EVENTS, headers(withoutPaths, "stock.counted", own));
            say(router, config, Topics.EVENTS, headers(elsewhere, "sales.placed", "another/base"));
            say(
                    router,
                    config,
                    Topics.EVENTS,
                    headers(unseen, "sales.placed", own).toBuilder()
                            .put(HeaderName.XID, xid)
                            .build());
            router.flush();
            Duration limit = Duration.ofSeconds(30);
            try (HikariDataSource pool = Pool.open(config, limit);
                    Scrubber scrubber =
                            new Scrubber(config, pool, new ExecutorMetrics(registry, "shop", 1), Clock.systemUTC())) {
                scrubber.start();
                shop.awaitUntil(() -> lag() > 1);
                assertThat(has(stack, done))
                        .as("it does not wait for one that is not visible")
                        .isFalse();
                writer.commit();
                shop.awaitUntil(() -> !has(stack, unseen));
                assertThat(has(stack, done)).as("still").isFalse();
                for (UUID each : List.of(command, dead)) {
                    say(
                            router,
                            config,
                            Topics.COMMANDS,
                            headers(each, "charge", own).toBuilder()
                                    .put(HeaderName.TURN, 1)
                                    .build());
                }
                router.flush();
                shop.awaitUntil(() -> !has(stack, command) && lag() == 0);
                assertThat(List.of(withoutPaths, elsewhere, dead)).allMatch(id -> has(stack, id));
                assertThat(registry.get("tailrace.executor.scrubbed.rows")
                                .counter()
                                .count())
                        .isEqualTo(3);
            }
        }
    }

    /** What the router says of a row that it gives up may quote it. */
    @Test
    void whatIsWrittenDownOfABuriedCommandHidesItsSecrets(Stack stack) throws Exception {
        RedactConfig channel =
                new RedactConfig(Map.of(), Map.of("*", List.of("headers.channel")), RedactConfig.Scrub.NEVER);
        try (Shop shop = Shop.open(stack)) {
            shop.executor(shop.config.with(channel), registry);
            UUID buried = shop.insert("..", "k");
            shop.bury(buried, "..", "k", "name-invalid", "cannot take it: channel 'web', page webmail");
            assertThat(shop.awaitStatus(buried, "DEAD").get("last_error"))
                    .contains("channel '[redacted]', page webmail");
            assertThat(shop.answersTo(buried, 1).get(0))
                    .containsEntry("tailrace-stage", "decide")
                    .containsEntry("tailrace-error-message", "cannot take it: channel '[redacted]', page webmail");
        }
    }

    @Test
    void aDatabaseThatIsDownIsWaitedForAndTheLagGrows(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack);
                KafkaProducer<byte[], byte[]> router =
                        new KafkaProducer<>(ClientSettings.producer(shop.config.kafka()))) {
            TailraceConfig config = withSecrets(shop);
            UUID done = event(stack, "sales.placed");
            say(router, config, Topics.EVENTS, headers(done, "sales.placed", config.ceSource()));
            router.flush();
            try (HikariDataSource pool = Pool.open(config, Duration.ofSeconds(30));
                    HikariDataSource closed = Pool.open(config, Duration.ofSeconds(30))) {
                closed.close();
                try (Scrubber scrubber =
                        new Scrubber(config, closed, new ExecutorMetrics(registry, "shop", 1), Clock.systemUTC())) {
                    scrubber.start();
                    shop.awaitUntil(() -> lag() > 3);
                    assertThat(has(stack, done)).isTrue();
                }
                registry.clear();
                try (Scrubber next =
                        new Scrubber(config, pool, new ExecutorMetrics(registry, "shop", 1), Clock.systemUTC())) {
                    next.start();
                    shop.awaitUntil(() -> !has(stack, done) && lag() == 0);
                }
            }
        }
    }

    /** A trigger or a constraint may want the value; an application may hold the row for hours. Neither is an outage. */
    @Test
    void oneRowThatCannotBeScrubbedHoldsUpNoOther(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack);
                Connection application = stack.connect();
                KafkaProducer<byte[], byte[]> router =
                        new KafkaProducer<>(ClientSettings.producer(shop.config.kafka()))) {
            TailraceConfig config = withSecrets(shop);
            UUID refused = event(stack, "sales.refused");
            UUID locked = event(stack, "sales.locked");
            UUID behind = event(stack, "sales.behind");
            stack.execute("ALTER TABLE tailrace.outbox ADD CHECK"
                    + " (event_name <> 'sales.refused' OR payload->>'card' IS NOT NULL) NOT VALID");
            application.setAutoCommit(false);
            application.createStatement().execute("SELECT FROM tailrace.outbox WHERE id = '" + locked + "' FOR UPDATE");
            for (UUID each : List.of(refused, locked, behind)) {
                say(router, config, Topics.EVENTS, headers(each, "sales.any", config.ceSource()));
            }
            router.flush();
            try (HikariDataSource pool = Pool.open(config, Duration.ofSeconds(30))) {
                try (Scrubber first =
                        new Scrubber(config, pool, new ExecutorMetrics(registry, "shop", 1), Clock.systemUTC())) {
                    first.start();
                    shop.awaitUntil(() -> !has(stack, behind));
                    assertThat(has(stack, locked)).isTrue();
                    assertThat(lag()).isPositive();
                    assertThat(refusals()).isEqualTo(1);
                }
                registry.clear();
                try (Scrubber next =
                        new Scrubber(config, pool, new ExecutorMetrics(registry, "shop", 1), Clock.systemUTC())) {
                    next.start();
                    application.commit();
                    shop.awaitUntil(() -> !has(stack, locked) && lag() == 0);
                }
            }
            assertThat(has(stack, refused)).isTrue();
        }
    }

    /** What its handler has done is done, and uses no attempt. */
    @Test
    void aCommandThatCannotBeScrubbedIsCompletedAllTheSame(Stack stack) throws Exception {
        RedactConfig secrets = new RedactConfig(Map.of(), Map.of("*", List.of("n")), RedactConfig.Scrub.ON_DONE);
        try (Shop shop = Shop.open(stack)) {
            stack.execute("ALTER TABLE tailrace.internal_command ADD CHECK (payload->>'n' IS NOT NULL) NOT VALID");
            withSecrets(shop);
            shop.executor(shop.config.with(secrets), registry, Effects.succeeding("charge"));
            UUID id = shop.due("charge", "k");
            assertThat(shop.awaitStatus(id, "COMPLETED")).containsEntry("attempts", "0");
            assertThat(shop.effects(id)).isEqualTo(1);
            assertThat(refusals()).isEqualTo(1);
        }
    }

    /** DETAIL of the server quotes the row, cut short: whoever looks for the secret would not find it whole. */
    @Test
    void whatTheDatabaseSaysOfARefusedRowDoesNotQuoteIt(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            stack.execute("ALTER TABLE tailrace.internal_command ADD CHECK (status <> 'COMPLETED') NOT VALID");
            shop.executor(Effects.succeeding("charge"));
            UUID id = shop.due("charge", "k");
            shop.awaitUntil(() ->
                    shop.count("SELECT count(*) FROM tailrace.internal_command WHERE last_error IS NOT NULL") == 1);
            assertThat(shop.row(id).get("last_error"))
                    .contains("violates check constraint")
                    .doesNotContain("Failing row", "\"n\"");
        }
    }

    /** With the topics of a router. */
    private static TailraceConfig withSecrets(Shop shop) {
        try (Admin admin = shop.stack.admin()) {
            new TopicKeeper(admin, shop.stack.bootstrapServers(), true)
                    .ensure(new TopicCatalog(shop.config.topicNames(), shop.config.topics()).all(List.of()));
        }
        return shop.config.with(SECRETS);
    }

    private double refusals() {
        return registry.get("tailrace.executor.scrub.refused.rows").counter().count();
    }

    private double lag() {
        return registry.get("tailrace.executor.scrub.lag")
                .tag("source", "shop")
                .gauge()
                .value();
    }

    private static Headers headers(UUID id, String name, String source) {
        return Headers.builder()
                .put(HeaderName.CE_ID, id.toString())
                .put(HeaderName.CE_TYPE, name)
                .put(HeaderName.CE_SOURCE, source)
                .put(HeaderName.KIND, Kind.DONE.text())
                .put(HeaderName.SEQ, "1:0")
                .build();
    }

    /** All in one partition, and so in one poll. */
    private static void say(KafkaProducer<byte[], byte[]> router, TailraceConfig config, String x, Headers headers) {
        router.send(new ProducerRecord<>(
                config.topicNames().retry(x), 0, new byte[1], (byte @Nullable []) null, KafkaHeaders.to(headers)));
    }

    private static UUID event(Stack stack, String name) throws SQLException {
        UUID id = UUID.randomUUID();
        stack.execute("INSERT INTO tailrace.outbox (id, event_name, payload) VALUES ('" + id + "', '" + name
                + "', '{\"card\":4711}')");
        return id;
    }

    private static UUID command(Stack stack, String status) throws SQLException {
        UUID id = UUID.randomUUID();
        stack.execute("INSERT INTO tailrace.internal_command (id, command_name, status, payload) VALUES ('" + id
                + "', 'charge', '" + status + "', '{\"card\":4711}')");
        return id;
    }

    private static long insertUnseen(Connection writer, UUID id) throws SQLException {
        try (ResultSet row = writer.createStatement()
                .executeQuery(
                        "INSERT INTO tailrace.outbox (id, event_name, payload) VALUES ('" + id
                                + "', 'sales.placed', '{\"card\":4711}') RETURNING pg_current_xact_id()::text::bigint & 4294967295")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static boolean has(Stack stack, UUID id) {
        try (Connection connection = stack.connect();
                ResultSet rows = connection
                        .createStatement()
                        .executeQuery("SELECT count(*) FROM (SELECT id, payload FROM tailrace.outbox UNION ALL"
                                + " SELECT id, payload FROM tailrace.internal_command) t WHERE id = '" + id
                                + "' AND payload::text LIKE '%4711%'")) {
            rows.next();
            return rows.getInt(1) == 1;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
