package io.tailrace.contract.config;

import io.tailrace.contract.config.Section.Value;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.contract.route.OnDeadLetter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * From the tree of a configuration file to the configuration, or to everything that is wrong with it. Strict: what is not known is an
 * error. Knows nothing of YAML: mappings are {@link Map}, sequences {@link List}, everything else is read by its text.
 */
public final class ConfigReader {

    private ConfigReader() {}

    /**
     * Reads a whole file.
     *
     * @param tree its content
     * @param lines where keys stand, by path ({@code router.routes.rules[0].topic}); may lack any
     * @param surroundings for placeholders
     */
    public static Outcome read(Map<String, ?> tree, Map<String, Integer> lines, Surroundings surroundings) {
        Section.Report report = new Section.Report(lines, new Placeholders(surroundings), knownPaths());
        Section top = Section.top(tree, report);
        Value<TailraceConfig> config = config(top);
        List<Problem> problems = report.problems();
        return problems.isEmpty() ? new Read(config.get()) : new Refused(problems);
    }

    private static Value<TailraceConfig> config(Section top) {
        Value<String> name = top.value(Keys.NAMESPACE);
        Value<Namespace> namespace = top.make(Keys.NAMESPACE, () -> new Namespace(name.get()));
        Value<List<SourceConfig>> sources = SourceReader.read(top);
        Value<KafkaConfig> kafka = kafka(top.section("kafka"));
        Value<TopicsConfig> topics = topics(top.section("topics"));
        Value<OutboxConfig> outbox = outbox(top.section("outbox"));
        Value<EngineConfig> engine = engine(top.section("engine"));
        Map<String, Section> subscribed = top.section("subscriptions").sections();
        Value<RouterConfig> router = router(top.section("router"), namespace, List.copyOf(subscribed.keySet()));
        Value<ExecutorConfig> executor = executor(top.section("executor"));
        Value<List<SubscriptionConfig>> subscriptions = SubscriptionReader.read(subscribed, top);
        Value<RedactConfig> redact = redact(top.section("redact"));
        Value<RetentionConfig> retention = retention(top.section("retention"));
        Value<HttpConfig> http = http(top.section("http"));
        return top.make(() -> new TailraceConfig(
                namespace.get(),
                sources.get(),
                kafka.get(),
                topics.get(),
                outbox.get(),
                engine.get(),
                router.get(),
                executor.get(),
                subscriptions.get(),
                redact.get(),
                retention.get(),
                http.get()));
    }

    private static Value<KafkaConfig> kafka(Section section) {
        Value<String> servers = section.value(Keys.BOOTSTRAP_SERVERS);
        Map<String, String> properties = section.section("properties").texts();
        return section.make(() -> new KafkaConfig(servers.get(), properties));
    }

    private static Value<TopicsConfig> topics(Section section) {
        Value<Integer> partitions = section.value(Keys.PARTITIONS);
        Value<Integer> replication = section.value(Keys.REPLICATION);
        Value<Integer> minInsyncReplicas = section.value(Keys.MIN_INSYNC_REPLICAS);
        Value<Boolean> autoCreate = section.value(Keys.AUTO_CREATE);
        Value<Long> maxMessageBytes = section.value(Keys.MAX_MESSAGE_BYTES);
        var rawRetention = section.value(Keys.RAW_RETENTION);
        return section.make(() -> new TopicsConfig(
                partitions.get(),
                replication.get(),
                minInsyncReplicas.get(),
                autoCreate.get(),
                Math.toIntExact(maxMessageBytes.get()),
                rawRetention.get()));
    }

    private static Value<OutboxConfig> outbox(Section section) {
        var mode = section.value(Keys.OUTBOX_MODE);
        return section.make(() -> new OutboxConfig(mode.get()));
    }

    private static Value<EngineConfig> engine(Section section) {
        var pollInterval = section.value(Keys.POLL_INTERVAL);
        var maxBatchSize = section.value(Keys.MAX_BATCH_SIZE);
        var maxQueueSize = section.value(Keys.MAX_QUEUE_SIZE);
        var maxQueueBytes = section.value(Keys.MAX_QUEUE_BYTES);
        var heartbeatInterval = section.value(Keys.HEARTBEAT_INTERVAL);
        var stopTimeout = section.value(Keys.ENGINE_STOP_TIMEOUT);
        return section.make(() -> new EngineConfig(
                pollInterval.get(),
                maxBatchSize.get(),
                maxQueueSize.get(),
                maxQueueBytes.get(),
                heartbeatInterval.get(),
                stopTimeout.get()));
    }

    private static Value<RouterConfig> router(Section section, Value<Namespace> namespace, List<String> subscriptions) {
        Value<RetryPolicy> retry = retry(section.section("retry"), Keys.ROUTER_RETRY);
        Value<RoutesConfig> routes = RoutesReader.read(section.section("routes"), namespace, retry, subscriptions);
        var guarantee = section.value(Keys.GUARANTEE);
        var commitInterval = section.value(Keys.COMMIT_INTERVAL);
        var threads = section.value(Keys.THREADS);
        var stateDirectory = section.value(Keys.STATE_DIRECTORY);
        var instanceId = section.value(Keys.INSTANCE_ID);
        var streamsErrorHeaders = section.value(Keys.STREAMS_ERROR_HEADERS);
        return section.make(() -> new RouterConfig(
                routes.get(),
                retry.get(),
                guarantee.get(),
                commitInterval.get(),
                threads.get(),
                Path.of(stateDirectory.get()),
                instanceId.get(),
                streamsErrorHeaders.get()));
    }

    static Value<RetryPolicy> retry(Section section, RetryKeys keys) {
        var base = section.value(keys.base);
        var cap = section.value(keys.cap);
        var maxAttempts = section.value(keys.maxAttempts);
        return section.make(() -> new RetryPolicy(base.get(), cap.get(), maxAttempts.get()));
    }

    private static Value<ExecutorConfig> executor(Section section) {
        var workers = section.value(Keys.WORKERS);
        Value<RetryPolicy> retry = retry(section.section("retry"), Keys.EXECUTOR_RETRY);
        Value<OnDeadLetter> onDeadLetter = section.value(Keys.EXECUTOR_ON_DEAD_LETTER);
        Map<String, Value<RetryPolicy>> byName = new HashMap<>();
        Map<String, Value<OnDeadLetter>> onDeadLetterByName = new HashMap<>();
        section.section("retry-by-name").sections().forEach((name, below) -> {
            RetryPolicy common = retry.orNull() == null ? RetryPolicy.COMMANDS : retry.get();
            byName.put(name, retry(below, Keys.RETRY_BY_NAME.ofName(common)));
            if (below.has("on-dead-letter")) {
                onDeadLetterByName.put(name, below.value(Keys.ON_DEAD_LETTER_BY_NAME));
            }
        });
        var handlerTimeout = section.value(Keys.HANDLER_TIMEOUT);
        var onMissingHandler = section.value(Keys.ON_MISSING_HANDLER);
        var stopTimeout = section.value(Keys.EXECUTOR_STOP_TIMEOUT);
        Map<String, String> switchedOff = section.section("switched-off").texts();
        var externalLease = section.value(WebhookKeys.EXTERNAL_LEASE);
        Map<String, Value<WebhookConfig>> webhooks = new HashMap<>();
        section.section("webhooks").sections().forEach((name, below) -> webhooks.put(name, WebhookReader.read(below)));
        return section.make(() -> new ExecutorConfig(
                workers.get(),
                retry.get(),
                valuesOf(byName),
                handlerTimeout.get(),
                onMissingHandler.get(),
                stopTimeout.get(),
                switchedOff,
                externalLease.get(),
                valuesOf(webhooks),
                new DeadLetterPolicy(onDeadLetter.get(), valuesOf(onDeadLetterByName))));
    }

    private static Value<RedactConfig> redact(Section section) {
        Map<String, List<String>> events = section.section("events").lists();
        Map<String, List<String>> commands = section.section("commands").lists();
        var scrub = section.value(Keys.SCRUB);
        return section.make(() -> new RedactConfig(events, commands, scrub.get()));
    }

    private static Value<RetentionConfig> retention(Section section) {
        var done = section.value(Keys.RETENTION_DONE);
        var dead = section.value(Keys.RETENTION_DEAD);
        var every = section.value(Keys.RETENTION_EVERY);
        return section.make(() -> new RetentionConfig(done.get(), dead.get(), every.get()));
    }

    private static Value<HttpConfig> http(Section section) {
        var enabled = section.value(Keys.HTTP_ENABLED);
        var host = section.value(Keys.HTTP_HOST);
        var port = section.value(Keys.HTTP_PORT);
        return section.make(() -> new HttpConfig(enabled.get(), host.get(), port.get()));
    }

    private static <T> Map<String, T> valuesOf(Map<String, Value<T>> values) {
        Map<String, T> all = new HashMap<>();
        values.forEach((name, value) -> all.put(name, value.get()));
        return all;
    }

    /** Keys and the sections they stand in. */
    private static List<String> knownPaths() {
        Set<String> paths = new LinkedHashSet<>();
        for (Key<?> key : Keys.ALL) {
            String path = key.path().replace(".*", "");
            paths.add(path);
            for (int dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
                String section = path.substring(0, dot);
                paths.add(section.endsWith("[]") ? section.substring(0, section.length() - 2) : section);
            }
        }
        return List.copyOf(paths);
    }

    /** What became of a file. */
    public sealed interface Outcome {
        /** Takes one of the two ways. */
        <T> T match(Function<TailraceConfig, T> read, Function<List<Problem>, T> refused);
    }

    private record Read(TailraceConfig config) implements Outcome {
        @Override
        public <T> T match(Function<TailraceConfig, T> read, Function<List<Problem>, T> refused) {
            return read.apply(config);
        }
    }

    private record Refused(List<Problem> problems) implements Outcome {
        @Override
        public <T> T match(Function<TailraceConfig, T> read, Function<List<Problem>, T> refused) {
            return refused.apply(problems);
        }
    }
}
