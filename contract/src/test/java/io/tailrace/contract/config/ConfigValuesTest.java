package io.tailrace.contract.config;

import static io.tailrace.contract.config.ConfigFixture.least;
import static io.tailrace.contract.config.ConfigFixture.leastWith;
import static io.tailrace.contract.config.ConfigFixture.read;
import static io.tailrace.contract.config.ConfigFixture.severalWith;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.config.ExecutorConfig.MissingHandler;
import io.tailrace.contract.config.RouterConfig.Guarantee;
import io.tailrace.contract.config.RoutesConfig.Default;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.contract.route.OnDeadLetter;
import io.tailrace.contract.route.PartitionKey;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Two tests for each class of the configuration: its defaults, and every key set to something else. */
class ConfigValuesTest {

    private static final TailraceConfig DEFAULTS = read(least());

    @Test
    void eventsAreRowsUnlessSaidOtherwise() {
        assertThat(DEFAULTS.outbox()).isEqualTo(new OutboxConfig(OutboxMode.TABLE));
        assertThat(read(leastWith("outbox.mode", "message")).outbox()).isEqualTo(new OutboxConfig(OutboxMode.MESSAGE));
    }

    @Test
    void namespaceIsRequired() {
        assertThat(DEFAULTS.namespace()).isEqualTo(new Namespace("shop"));
    }

    @Test
    void sourceByDefault() {
        assertThat(DEFAULTS.source())
                .isEqualTo(new SourceConfig(
                        "localhost", 5432, "shop", "app", Secret.of(""), "prefer", TableNames.DEFAULT));
    }

    @Test
    void sourceExplicitly() {
        assertThat(read(leastWith(
                                "source.name", "books",
                                "source.host", "db.example.org",
                                "source.port", 6543,
                                "source.database", "ledger",
                                "source.user", "tail",
                                "source.password", "s3cret",
                                "source.sslmode", "verify-full",
                                "source.tables.schema", "t",
                                "source.tables.outbox", "o",
                                "source.tables.internal-command", "c"))
                        .source())
                .isEqualTo(new SourceConfig(
                        "books",
                        "db.example.org",
                        6543,
                        "ledger",
                        "tail",
                        Secret.of("s3cret"),
                        "verify-full",
                        new TableNames("t", "o", "c")));
    }

    @Test
    void severalSourcesByDefault() {
        TailraceConfig config = read(
                severalWith(Map.of("database", "shop", "user", "app"), Map.of("database", "ledger", "user", "tail")));
        assertThat(config.sources())
                .containsExactly(
                        DEFAULTS.source(),
                        new SourceConfig(
                                "localhost", 5432, "ledger", "tail", Secret.of(""), "prefer", TableNames.DEFAULT));
        assertThat(config.eachSource())
                .extracting(TailraceConfig::slot)
                .containsExactly("tailrace_shop_shop", "tailrace_shop_ledger");
        assertThat(config.eachSource().get(0)).isEqualTo(DEFAULTS);
        assertThatThrownBy(config::slot).hasMessageContaining("several sources (shop, ledger)");
    }

    @Test
    void severalSourcesExplicitly() {
        TailraceConfig config = read(severalWith(
                Map.of("database", "app", "user", "app", "host", "one"),
                Map.ofEntries(
                        Map.entry("name", "books"),
                        Map.entry("host", "two"),
                        Map.entry("port", 6543),
                        Map.entry("database", "app"),
                        Map.entry("user", "tail"),
                        Map.entry("password", "s3cret"),
                        Map.entry("sslmode", "verify-full"),
                        Map.entry("tables", Map.of("schema", "t", "outbox", "o", "internal-command", "c")))));
        TailraceConfig books = config.eachSource().get(1);
        assertThat(books.source())
                .isEqualTo(new SourceConfig(
                        "books",
                        "two",
                        6543,
                        "app",
                        "tail",
                        Secret.of("s3cret"),
                        "verify-full",
                        new TableNames("t", "o", "c")));
        assertThat(books.slot()).isEqualTo("tailrace_shop_books");
        assertThat(books.publication()).isEqualTo("tailrace_shop_books");
        assertThat(books.ceSource()).isEqualTo("shop/books");
    }

    @Test
    void kafkaByDefault() {
        assertThat(DEFAULTS.kafka()).isEqualTo(new KafkaConfig("broker:9092", Map.of()));
    }

    @Test
    void kafkaExplicitly() {
        assertThat(read(leastWith(
                                "kafka.bootstrap-servers",
                                "a:1,b:2",
                                "kafka.properties",
                                Map.of("security.protocol", "SSL", "ssl", Map.of("key.password", "x"))))
                        .kafka())
                .isEqualTo(new KafkaConfig("a:1,b:2", Map.of("security.protocol", "SSL", "ssl.key.password", "x")));
    }

    @Test
    void topicsByDefault() {
        assertThat(DEFAULTS.topics()).isEqualTo(new TopicsConfig(12, 3, 2, true, 1 << 20, Duration.ofDays(30)));
    }

    @Test
    void topicsExplicitly() {
        assertThat(read(leastWith(
                                "topics.partitions",
                                24,
                                "topics.replication",
                                5,
                                "topics.min-insync-replicas",
                                3,
                                "topics.auto-create",
                                false,
                                "topics.max-message-bytes",
                                "2MiB",
                                "topics.raw-retention",
                                "60d"))
                        .topics())
                .isEqualTo(new TopicsConfig(24, 5, 3, false, 2 << 20, Duration.ofDays(60)));
    }

    @Test
    void engineByDefault() {
        assertThat(DEFAULTS.engine())
                .isEqualTo(new EngineConfig(
                        Duration.ofMillis(5), 2048, 8192, 64 << 20, Duration.ofSeconds(5), Duration.ofSeconds(5)));
    }

    @Test
    void engineExplicitly() {
        assertThat(read(leastWith(
                                "engine.poll-interval", "20ms",
                                "engine.max-batch-size", 100,
                                "engine.max-queue-size", 200,
                                "engine.max-queue-bytes", "1GiB",
                                "engine.heartbeat-interval", "1m",
                                "engine.stop-timeout", "9s"))
                        .engine())
                .isEqualTo(new EngineConfig(
                        Duration.ofMillis(20), 100, 200, 1L << 30, Duration.ofMinutes(1), Duration.ofSeconds(9)));
    }

    @Test
    void routerByDefault() {
        assertThat(DEFAULTS.router())
                .isEqualTo(new RouterConfig(
                        new RoutesConfig(Default.CONTEXT, List.of()),
                        RetryPolicy.EVENTS,
                        Guarantee.EXACTLY_ONCE,
                        Duration.ofMillis(20),
                        1,
                        Path.of(".tailrace/state"),
                        "tailrace-1"));
    }

    @Test
    void routerExplicitly() {
        assertThat(read(leastWith(
                                "router.routes.default", "none",
                                "router.routes.rules", List.of(Map.of("pattern", "sales.*", "topic", "sales-{name}")),
                                "router.routes.audit", false,
                                "router.retry.base", "1s",
                                "router.retry.cap", "2s",
                                "router.retry.max-attempts", 3,
                                "router.guarantee", "at-least-once",
                                "router.commit-interval", "100ms",
                                "router.threads", 4,
                                "router.state-directory", "/var/lib/tailrace",
                                "router.instance-id", "r7",
                                "router.streams-error-headers", true))
                        .router())
                .isEqualTo(new RouterConfig(
                        new RoutesConfig(
                                Default.NONE, false, List.of(new RoutesConfig.Rule("sales.*", "sales-{name}", false))),
                        new RetryPolicy(Duration.ofSeconds(1), Duration.ofSeconds(2), 3),
                        Guarantee.AT_LEAST_ONCE,
                        Duration.ofMillis(100),
                        4,
                        Path.of("/var/lib/tailrace"),
                        "r7",
                        true));
    }

    @Test
    void ruleByDefaultIsAsWithoutARule() {
        assertThat(read(leastWith(
                                "router.routes.on-dead-letter",
                                "halt-key",
                                "router.routes.rules",
                                List.of(Map.of("pattern", "sales.*"))))
                        .router()
                        .routes())
                .isEqualTo(new RoutesConfig(
                        Default.CONTEXT,
                        true,
                        OnDeadLetter.HALT_KEY,
                        List.of(new RoutesConfig.Rule(
                                "sales.*",
                                Optional.empty(),
                                Optional.empty(),
                                PartitionKey.ORDERING_KEY,
                                Optional.empty(),
                                OnDeadLetter.HALT_KEY,
                                true))));
    }

    @Test
    void ruleExplicitly() {
        assertThat(read(leastWith(
                                "router.retry.max-attempts",
                                7,
                                "router.routes.rules",
                                List.of(Map.of(
                                        "pattern", "sales.order",
                                        "topic", "to",
                                        "legacy-topic", "was",
                                        "partition-key", "header:region",
                                        "retry", Map.of("base", "1s"),
                                        "on-dead-letter", "halt-key",
                                        "audit", false))))
                        .router()
                        .routes()
                        .rules())
                .containsExactly(new RoutesConfig.Rule("sales.order", "to", false)
                        .withLegacyTopic("was")
                        .with(PartitionKey.parse("header:region"))
                        .with(new RetryPolicy(Duration.ofSeconds(1), Duration.ofSeconds(300), 7))
                        .with(OnDeadLetter.HALT_KEY));
    }

    @Test
    void redactByDefault() {
        assertThat(DEFAULTS.redact()).isEqualTo(new RedactConfig(Map.of(), Map.of(), RedactConfig.Scrub.ON_DONE));
    }

    @Test
    void redactExplicitly() {
        assertThat(read(leastWith(
                                "redact.events", Map.of("sales.*", List.of("customer.card", "headers.*")),
                                "redact.commands", Map.of("charge", List.of("iban")),
                                "redact.scrub", "never"))
                        .redact())
                .isEqualTo(new RedactConfig(
                        Map.of("sales.*", List.of("customer.card", "headers.*")),
                        Map.of("charge", List.of("iban")),
                        RedactConfig.Scrub.NEVER));
    }

    @Test
    void retentionByDefault() {
        assertThat(DEFAULTS.retention())
                .isEqualTo(new RetentionConfig(Duration.ofDays(7), Duration.ofDays(30), Duration.ofHours(6)))
                .isEqualTo(RetentionConfig.byDefault());
    }

    @Test
    void retentionExplicitly() {
        assertThat(read(leastWith("retention.done", "0s", "retention.dead", "90d", "retention.every", "1h"))
                        .retention())
                .isEqualTo(new RetentionConfig(Duration.ZERO, Duration.ofDays(90), Duration.ofHours(1)));
    }

    @Test
    void executorByDefault() {
        assertThat(DEFAULTS.executor())
                .isEqualTo(new ExecutorConfig(
                        8,
                        RetryPolicy.COMMANDS,
                        Map.of(),
                        Duration.ofSeconds(60),
                        MissingHandler.DEAD,
                        Duration.ofSeconds(3)));
    }

    @Test
    void executorExplicitly() {
        assertThat(read(leastWith(
                                "executor.workers",
                                3,
                                "executor.retry",
                                Map.of("base", "100ms", "cap", "1s", "max-attempts", "2"),
                                "executor.retry-by-name",
                                Map.of("billing.charge", Map.of("max-attempts", 9)),
                                "executor.handler-timeout",
                                "2m",
                                "executor.on-missing-handler",
                                "wait",
                                "executor.switched-off",
                                Map.of("billing.refund", "the bank moves"),
                                "executor.stop-timeout",
                                "30s"))
                        .executor())
                .isEqualTo(new ExecutorConfig(
                        3,
                        new RetryPolicy(Duration.ofMillis(100), Duration.ofSeconds(1), 2),
                        Map.of("billing.charge", new RetryPolicy(Duration.ofMillis(100), Duration.ofSeconds(1), 9)),
                        Duration.ofMinutes(2),
                        MissingHandler.WAIT,
                        Duration.ofSeconds(30),
                        Map.of("billing.refund", "the bank moves")));
    }

    @Test
    void thePolicyOfANameIsThatOfItsVersions() {
        RetryPolicy ofName = new RetryPolicy(Duration.ofSeconds(1), Duration.ofSeconds(2), 3);
        RetryPolicy ofVersion = new RetryPolicy(Duration.ofSeconds(1), Duration.ofSeconds(2), 4);
        ExecutorConfig config = new ExecutorConfig(
                1,
                RetryPolicy.COMMANDS,
                Map.of("billing.charge", ofName, "billing.charge.v3", ofVersion),
                Duration.ofSeconds(1),
                MissingHandler.DEAD,
                Duration.ZERO);
        assertThat(config.policyOf("billing.charge.v2")).isEqualTo(ofName);
        assertThat(config.policyOf("billing.charge.v3")).isEqualTo(ofVersion);
        assertThat(config.policyOf("billing")).isEqualTo(RetryPolicy.COMMANDS);
    }

    @Test
    void aDeadCommandStopsItsKeyIfItsNameSaysSoOrAllDo() {
        ExecutorConfig one = read(leastWith(
                        "executor.retry-by-name",
                        Map.of(
                                "ledger.post", Map.of("on-dead-letter", "halt-key"),
                                "ledger.post.v3", Map.of("base", "1s"),
                                "ledger.post.v4", Map.of("on-dead-letter", "continue"))))
                .executor();
        assertThat(one.haltsKey("ledger.post.v2")).isTrue();
        assertThat(one.haltsKey("ledger.post.v3")).as("waits of its own").isTrue();
        assertThat(one.haltsKey("ledger.post.v4")).isFalse();
        assertThat(one.haltsKey("ledger.note")).isFalse();
        assertThat(one.policyOf("ledger.post")).isEqualTo(RetryPolicy.COMMANDS);
        ExecutorConfig all = read(leastWith(
                        "executor.on-dead-letter",
                        "halt-key",
                        "executor.retry-by-name",
                        Map.of("ledger.note", Map.of("on-dead-letter", "continue"), "mail", Map.of("base", "1s"))))
                .executor();
        assertThat(all.haltsKey("ledger.note")).isFalse();
        assertThat(all.haltsKey("mail")).isTrue();
        assertThat(all.haltsKey("no name!")).isTrue();
        assertThat(DEFAULTS.executor().haltsKey("ledger.post")).isFalse();
    }

    @Test
    void httpByDefault() {
        assertThat(DEFAULTS.http()).isEqualTo(new HttpConfig(true, "127.0.0.1", 9464));
    }

    @Test
    void httpExplicitly() {
        assertThat(read(leastWith("http.enabled", false, "http.host", "0.0.0.0", "http.port", 0))
                        .http())
                .isEqualTo(new HttpConfig(false, "0.0.0.0", 0));
    }
}
