package io.tailrace.contract.config;

import io.tailrace.contract.config.ExecutorConfig.MissingHandler;
import io.tailrace.contract.config.RedactConfig.Scrub;
import io.tailrace.contract.config.RouterConfig.Guarantee;
import io.tailrace.contract.config.RoutesConfig.Default;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.contract.route.OnDeadLetter;
import io.tailrace.contract.route.PartitionKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Every key there is, in the order of the reference page. */
final class Keys {

    static final Key<String> NAMESPACE = Key.of(
            "namespace",
            ValueType.TEXT,
            ("Names this application on the cluster: topics, slot, publication, groups and transactional ids begin with it. 1 to %d"
                            + " characters of a-z, 0-9, `_` and `-`. Chosen once: another one would be another application.")
                    .formatted(Namespace.MAX_LENGTH));

    /** The one source of most files. */
    static final SourceKeys SOURCE = new SourceKeys("source");
    /** Of several; what one of them says is for it alone. */
    static final SourceKeys SOURCES = new SourceKeys("sources[]");

    static final Key<String> BOOTSTRAP_SERVERS =
            Key.of("kafka.bootstrap-servers", ValueType.TEXT, "Comma-separated `host:port` of Kafka brokers.");
    static final Key<String> KAFKA_PROPERTIES = Key.of(
                    "kafka.properties.*",
                    ValueType.TEXT,
                    "Passed to every Kafka client as it is: security settings, mostly. What keeps Tailrace's promises cannot be changed"
                            + " here. Never printed.")
            .byDefault("")
            .asSecret();

    static final Key<Integer> PARTITIONS = Key.of(
                    "topics.partitions",
                    ValueType.NUMBER,
                    "Partitions of raw, retry, redelivery and due topics. Chosen once: a change is refused.")
            .between(1, 1000)
            .byDefault(12);
    static final Key<Integer> REPLICATION = Key.of(
                    "topics.replication", ValueType.NUMBER, "Replication factor of every topic Tailrace creates.")
            .between(1, 32)
            .byDefault(3);
    static final Key<Integer> MIN_INSYNC_REPLICAS = Key.of(
                    "topics.min-insync-replicas",
                    ValueType.NUMBER,
                    "Replicas that must have a record before it counts as written; at most `topics.replication`.")
            .between(1, 32)
            .byDefault(2);
    static final Key<Boolean> AUTO_CREATE = Key.of(
                    "topics.auto-create",
                    ValueType.SWITCH,
                    "Whether missing topics, destinations among them, are created. Otherwise they are named at start.")
            .byDefault(true);
    static final Key<Long> MAX_MESSAGE_BYTES = Key.of(
                    "topics.max-message-bytes",
                    ValueType.SIZE,
                    "Largest record of raw topics and destinations; retry, redelivery and DLQ topics take 64KiB more.")
            .between(64L << 10, 64L << 20)
            .byDefault(1L << 20);
    static final Key<Duration> RAW_RETENTION = Key.of(
                    "topics.raw-retention",
                    ValueType.DURATION,
                    "How long raw topics keep a record: at least as long as the tables keep its row.")
            .between(Duration.ofDays(14), Duration.ofDays(3650))
            .byDefault(Duration.ofDays(30));

    static final Key<OutboxMode> OUTBOX_MODE = Key.of(
                    "outbox.mode",
                    ValueType.oneOf(OutboxMode.class),
                    "What an event is: a row of the outbox table, or a message in the write-ahead log, written by"
                            + " `tailrace.emit(…)`, which is cheaper to carry but can be neither queried nor published again. Both"
                            + " are carried always; this says which of them handlers write and nobody is surprised by.")
            .byDefault(OutboxConfig.DEFAULT.mode());

    static final Key<Duration> POLL_INTERVAL = Key.of(
                    "engine.poll-interval",
                    ValueType.DURATION,
                    "How long changes are collected before a batch that is not full: the floor of latency.")
            .between(Duration.ofMillis(1), Duration.ofSeconds(5))
            .byDefault(Duration.ofMillis(5));
    static final Key<Integer> MAX_BATCH_SIZE = Key.of(
                    "engine.max-batch-size",
                    ValueType.NUMBER,
                    "Most rows that are handed on at once. A Kafka transaction holds one such batch, or several while there is a backlog.")
            .between(1, 100_000)
            .byDefault(2048);
    static final Key<Integer> MAX_QUEUE_SIZE = Key.of(
                    "engine.max-queue-size",
                    ValueType.NUMBER,
                    "Most rows read ahead; must be more than `engine.max-batch-size`.")
            .between(2, 1_000_000)
            .byDefault(8192);
    static final Key<Long> MAX_QUEUE_BYTES = Key.of(
                    "engine.max-queue-bytes",
                    ValueType.SIZE,
                    "Most bytes read ahead: what bounds the heap when payloads are large.")
            .between(1L << 20, 1L << 34)
            .byDefault(64L << 20);
    static final Key<Duration> HEARTBEAT_INTERVAL = Key.of(
                    "engine.heartbeat-interval",
                    ValueType.DURATION,
                    "How often a heartbeat is written to the WAL, so that the slot moves while the tables are idle.")
            .between(Duration.ofMillis(100), Duration.ofMinutes(5))
            .byDefault(Duration.ofSeconds(5));
    static final Key<Duration> ENGINE_STOP_TIMEOUT = Key.of(
                    "engine.stop-timeout", ValueType.DURATION, "How long a stop waits for Debezium.")
            .between(Duration.ofSeconds(1), Duration.ofSeconds(9))
            .byDefault(Duration.ofSeconds(5));

    static final Key<Default> ROUTES_DEFAULT = Key.of(
                    "router.routes.default",
                    ValueType.oneOf(Default.class),
                    "Where an event goes that no rule takes: `context` is `<namespace>.events.<first segment of its name>`; with"
                            + " `none` it has no route, and is a dead letter after one retry.")
            .byDefault(Default.CONTEXT);
    static final Key<Boolean> ROUTES_AUDIT = Key.of(
                    "router.routes.audit",
                    ValueType.SWITCH,
                    "Whether delivered events are copied to `<namespace>.audit-feed`.")
            .byDefault(true);
    static final Key<OnDeadLetter> ROUTES_ON_DEAD_LETTER = Key.of(
                    "router.routes.on-dead-letter",
                    ValueType.oneOf(OnDeadLetter.class),
                    "What a dead letter does to its key: the rows behind it go on, or wait until an operator replays, skips or"
                            + " discards it.")
            .byDefault(OnDeadLetter.CONTINUE);
    static final Key<String> RULE_PATTERN = Key.of(
            "router.routes.rules[].pattern",
            ValueType.TEXT,
            "Which events: a name with its version (`sales.order.v2`), a name, whole segments followed by `.*`, or `*`. The most"
                    + " specific rule wins, in this order, longer prefixes first; the order of the file does not matter.");
    static final Key<String> RULE_TOPIC = Key.of(
                    "router.routes.rules[].topic",
                    ValueType.TEXT,
                    "Destination of those events; `{context}`, `{name}` and `{version}` are filled in. Without it they go where"
                            + " they would without a rule.")
            .byDefault("");
    static final Key<String> RULE_LEGACY_TOPIC = Key.of(
                    "router.routes.rules[].legacy-topic",
                    ValueType.TEXT,
                    "A second destination while readers move from one topic to the other, written like `topic`: each event goes to"
                            + " both in one transaction.")
            .byDefault("");
    static final Key<PartitionKey> RULE_PARTITION_KEY = Key.of(
                    "router.routes.rules[].partition-key",
                    ValueType.PARTITION_KEY,
                    "Key of the records at the destination: the ordering key (else the row id), an origin field, or a header of the"
                            + " row; of a row without it the ordering key. Order is kept within one key of the destination only.")
            .byDefault(PartitionKey.ORDERING_KEY);
    static final Key<OnDeadLetter> RULE_ON_DEAD_LETTER =
            ROUTES_ON_DEAD_LETTER.at("router.routes.rules[].on-dead-letter");
    static final Key<Boolean> RULE_AUDIT = Key.of(
                    "router.routes.rules[].audit",
                    ValueType.SWITCH,
                    "Whether those events are copied to the audit feed.")
            .byDefault(true);
    static final Key<Guarantee> GUARANTEE = Key.of(
                    "router.guarantee",
                    ValueType.oneOf(Guarantee.class),
                    "What `read_committed` readers of the routed topics may rely on.")
            .byDefault(Guarantee.EXACTLY_ONCE);
    static final Key<Duration> COMMIT_INTERVAL = Key.of(
                    "router.commit-interval",
                    ValueType.DURATION,
                    "How often the router commits: half the latency of a row, and the price of a commit.")
            .between(Duration.ofMillis(1), Duration.ofSeconds(30))
            .byDefault(Duration.ofMillis(20));
    static final Key<Integer> THREADS = Key.of("router.threads", ValueType.NUMBER, "Stream threads of this instance.")
            .between(1, 64)
            .byDefault(1);
    static final Key<String> STATE_DIRECTORY = Key.of(
                    "router.state-directory",
                    ValueType.TEXT,
                    "Directory of the stores of waiting rows; one that survives a restart makes the restart fast.")
            .byDefault(".tailrace/state");
    static final Key<String> INSTANCE_ID = Key.of(
                    "router.instance-id",
                    ValueType.TEXT,
                    "Static membership: unique for each instance, the same after its restart.")
            .byDefaultText("${HOSTNAME:-tailrace-1}");
    static final Key<Boolean> STREAMS_ERROR_HEADERS = Key.of(
                    "router.streams-error-headers",
                    ValueType.SWITCH,
                    "Whether dead letters carry their trail a second time, under the names that Kafka Streams gives to its own"
                            + " (`__streams.errors.*`).")
            .byDefault(false);

    static final Key<Integer> WORKERS = Key.of(
                    "executor.workers",
                    ValueType.NUMBER,
                    "Handlers that run at the same time, and so connections to the database.")
            .between(1, 1000)
            .byDefault(8);
    static final Key<Duration> HANDLER_TIMEOUT = Key.of(
                    "executor.handler-timeout",
                    ValueType.DURATION,
                    "Longest run of a handler; work that takes longer is declared external.")
            .between(Duration.ofMillis(100), Duration.ofSeconds(270))
            .byDefault(Duration.ofSeconds(60));
    static final Key<MissingHandler> ON_MISSING_HANDLER = Key.of(
                    "executor.on-missing-handler",
                    ValueType.oneOf(MissingHandler.class),
                    "What becomes of a command without a handler: dead at once, or it waits for a worker that has one.")
            .byDefault(MissingHandler.DEAD);
    static final Key<OnDeadLetter> EXECUTOR_ON_DEAD_LETTER = ROUTES_ON_DEAD_LETTER.at("executor.on-dead-letter");
    /** Of one command name and its versions; else it is as in {@code executor.on-dead-letter}. */
    static final Key<OnDeadLetter> ON_DEAD_LETTER_BY_NAME =
            ROUTES_ON_DEAD_LETTER.at("executor.retry-by-name.*.on-dead-letter");

    static final Key<String> SWITCHED_OFF = Key.of(
                    "executor.switched-off.*",
                    ValueType.TEXT,
                    "A command name that does not run in this process, and the reason, for people. Its commands wait, without using an"
                            + " attempt, for a process in which it is not switched off.")
            .byDefault("");
    static final Key<Duration> EXECUTOR_STOP_TIMEOUT = Key.of(
                    "executor.stop-timeout",
                    ValueType.DURATION,
                    "How long a stop waits for handlers that run; what it cuts short runs again, without having used an attempt.")
            .between(Duration.ZERO, Duration.ofMinutes(5))
            .byDefault(Duration.ofSeconds(3));

    static final Key<String> REDACT_EVENTS = Key.of(
                    "redact.events.*",
                    ValueType.PATHS,
                    "Secrets of the events of a name, of all names that begin with whole segments (`sales.*`), or of all (`*`). What"
                            + " several patterns say of a name counts together.")
            .byDefault("");
    static final Key<String> REDACT_COMMANDS = Key.of("redact.commands.*", ValueType.PATHS, "The same for commands.")
            .byDefault("");
    static final Key<Scrub> SCRUB = Key.of(
                    "redact.scrub",
                    ValueType.oneOf(Scrub.class),
                    "When secret values are taken out of the rows themselves: `on-done`, once a row is delivered or run, cancelled or"
                            + " discarded; `never`.")
            .byDefault(Scrub.ON_DONE);
    static final Key<Duration> RETENTION_DONE = Key.of(
                    "retention.done",
                    ValueType.DURATION,
                    "How long rows stay that were delivered, run or cancelled; 0s: for ever. The engine has read what goes, and no"
                            + " dead letter refers to it.")
            .between(Duration.ZERO, Duration.ofDays(3650))
            .byDefault(RetentionConfig.DONE);
    static final Key<Duration> RETENTION_DEAD = Key.of(
                    "retention.dead",
                    ValueType.DURATION,
                    "How long dead letters stay after their last failure, and with them the dead rows of commands, which are then"
                            + " cancelled; 0s: for ever. One at which a key stops stays.")
            .between(Duration.ZERO, Duration.ofDays(3650))
            .byDefault(RetentionConfig.DEAD);
    static final Key<Duration> RETENTION_EVERY = Key.of(
                    "retention.every",
                    ValueType.DURATION,
                    "How often such rows are looked for, by one executor process.")
            .between(Duration.ofMinutes(1), Duration.ofDays(30))
            .byDefault(RetentionConfig.EVERY);
    static final Key<Boolean> HTTP_ENABLED = Key.of(
                    "http.enabled",
                    ValueType.SWITCH,
                    "Whether `/metrics`, `/health/live` and `/health/ready` are served.")
            .byDefault(true);
    static final Key<String> HTTP_HOST = Key.of("http.host", ValueType.TEXT, "Address to listen on; `0.0.0.0` for all.")
            .byDefault("127.0.0.1");
    static final Key<Integer> HTTP_PORT = Key.of(
                    "http.port", ValueType.NUMBER, "Port to listen on; 0 takes a free one, which is logged.")
            .between(0, 65_535)
            .byDefault(9464);

    static final RetryKeys ROUTER_RETRY =
            new RetryKeys("router.retry", RetryPolicy.EVENTS, RetryKeys.ROUTER_MAX_ATTEMPTS);
    /** Of one rule; what it does not say is as in {@code router.retry}. */
    static final RetryKeys RULE_RETRY =
            new RetryKeys("router.routes.rules[].retry", RetryPolicy.EVENTS, RetryKeys.ROUTER_MAX_ATTEMPTS);

    static final RetryKeys EXECUTOR_RETRY =
            new RetryKeys("executor.retry", RetryPolicy.COMMANDS, RetryKeys.MAX_ATTEMPTS);
    /** Of one command name; what it does not say is as in {@code executor.retry}. */
    static final RetryKeys RETRY_BY_NAME =
            new RetryKeys("executor.retry-by-name.*", RetryPolicy.COMMANDS, RetryKeys.MAX_ATTEMPTS);

    static final List<Key<?>> ALL = all();

    private Keys() {}

    private static List<Key<?>> all() {
        List<Key<?>> all = new ArrayList<>();
        all.add(NAMESPACE);
        all.addAll(SOURCE.all());
        all.addAll(SOURCES.all());
        all.addAll(List.of(
                BOOTSTRAP_SERVERS,
                KAFKA_PROPERTIES,
                PARTITIONS,
                REPLICATION,
                MIN_INSYNC_REPLICAS,
                AUTO_CREATE,
                MAX_MESSAGE_BYTES,
                RAW_RETENTION,
                OUTBOX_MODE,
                POLL_INTERVAL,
                MAX_BATCH_SIZE,
                MAX_QUEUE_SIZE,
                MAX_QUEUE_BYTES,
                HEARTBEAT_INTERVAL,
                ENGINE_STOP_TIMEOUT,
                ROUTES_DEFAULT,
                ROUTES_AUDIT,
                ROUTES_ON_DEAD_LETTER,
                RULE_PATTERN,
                RULE_TOPIC,
                RULE_LEGACY_TOPIC,
                RULE_PARTITION_KEY,
                RULE_RETRY.base,
                RULE_RETRY.cap,
                RULE_RETRY.maxAttempts,
                RULE_ON_DEAD_LETTER,
                RULE_AUDIT,
                ROUTER_RETRY.base,
                ROUTER_RETRY.cap,
                ROUTER_RETRY.maxAttempts,
                GUARANTEE,
                COMMIT_INTERVAL,
                THREADS,
                STATE_DIRECTORY,
                INSTANCE_ID,
                STREAMS_ERROR_HEADERS,
                WORKERS,
                EXECUTOR_RETRY.base,
                EXECUTOR_RETRY.cap,
                EXECUTOR_RETRY.maxAttempts,
                RETRY_BY_NAME.base,
                RETRY_BY_NAME.cap,
                RETRY_BY_NAME.maxAttempts,
                ON_DEAD_LETTER_BY_NAME,
                EXECUTOR_ON_DEAD_LETTER,
                HANDLER_TIMEOUT,
                ON_MISSING_HANDLER,
                SWITCHED_OFF,
                EXECUTOR_STOP_TIMEOUT));
        all.addAll(WebhookKeys.all());
        all.addAll(SubscriptionKeys.all());
        all.addAll(List.of(
                REDACT_EVENTS,
                REDACT_COMMANDS,
                SCRUB,
                RETENTION_DONE,
                RETENTION_DEAD,
                RETENTION_EVERY,
                HTTP_ENABLED,
                HTTP_HOST,
                HTTP_PORT));
        return List.copyOf(all);
    }
}
