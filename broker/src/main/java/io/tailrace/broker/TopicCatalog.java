package io.tailrace.broker;

import io.tailrace.broker.TopicSpec.Cleanup;
import io.tailrace.contract.config.TopicsConfig;
import io.tailrace.contract.name.Topics;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The topics of a namespace as they must be.
 *
 * <p>Raw topics keep {@code topics.max-message-bytes}: the engine leaves out the payload of a row that does not fit with its headers.
 * Every later topic that carries a row with more headers than it came with takes {@value TopicsConfig#OVERHEAD_BYTES} bytes more, so
 * that what fits the raw topic fits them all. Retry and redelivery topics have no retention: they are trimmed only behind committed
 * offsets, by those who read them.
 *
 * @param topics the names
 * @param config the sizes
 */
public record TopicCatalog(Topics topics, TopicsConfig config) {

    public TopicCatalog {
        Objects.requireNonNull(topics, "topics");
        Objects.requireNonNull(config, "config");
    }

    /** What the engine writes, and what operators' acts on it are written to. */
    public List<TopicSpec> engine() {
        return List.of(rawEvents(), rawCommands(), positions(), operations());
    }

    /** What the router reads and writes, destinations aside; {@code subscriptions} without {@code commands}. */
    public List<TopicSpec> router(List<String> subscriptions) {
        List<TopicSpec> all = new ArrayList<>(List.of(rawEvents(), rawCommands(), operations()));
        all.addAll(routerWrites(subscriptions));
        return List.copyOf(all);
    }

    /**
     * What the router writes, destinations and changelogs aside. It can do without none of them: while one cannot be written no row is
     * taken in.
     */
    public List<TopicSpec> routerWrites(List<String> subscriptions) {
        List<TopicSpec> all = new ArrayList<>(List.of(commands(), auditFeed()));
        List.of(Topics.EVENTS, Topics.COMMANDS).forEach(x -> all.addAll(of(x)));
        subscriptions.forEach(x -> all.addAll(of(x)));
        return List.copyOf(all);
    }

    /** What the executor reads and writes, routed events aside; {@code subscriptions} without {@code commands}. */
    public List<TopicSpec> executor(List<String> subscriptions) {
        List<TopicSpec> all = new ArrayList<>(List.of(commands(), operations()));
        Stream.concat(Stream.of(Topics.COMMANDS), subscriptions.stream())
                .forEach(x -> all.addAll(List.of(retry(x), redelivery(x))));
        return List.copyOf(all);
    }

    /** Every topic of Tailrace's own; {@code subscriptions} without {@code commands}. */
    public List<TopicSpec> all(List<String> subscriptions) {
        return Stream.of(engine(), router(subscriptions), executor(subscriptions))
                .flatMap(List::stream)
                .distinct()
                .toList();
    }

    /** A topic that routed events go to. Its partition count is its owner's choice, so this is for creating it, not for checking it. */
    public TopicSpec destination(String topic) {
        return delete(topic, config.rawRetention().toMillis(), config.maxMessageBytes());
    }

    /** Rows of the outbox. */
    public TopicSpec rawEvents() {
        return delete(topics.rawEvents(), config.rawRetention().toMillis(), config.maxMessageBytes());
    }

    /** Command rows and control messages. */
    public TopicSpec rawCommands() {
        return delete(topics.rawCommands(), config.rawRetention().toMillis(), config.maxMessageBytes());
    }

    /** Commands that are due. */
    public TopicSpec commands() {
        return delete(topics.commands(), config.rawRetention().toMillis(), config.maxCarriedBytes());
    }

    /** What waits, comes back or is replayed. */
    public TopicSpec retry(String x) {
        return delete(topics.retry(x), TopicSpec.FOREVER, config.maxCarriedBytes());
    }

    /** Rows of a subscription that are due again. */
    public TopicSpec redelivery(String x) {
        return delete(topics.redelivery(x), TopicSpec.FOREVER, config.maxCarriedBytes());
    }

    /** Dead letters, partitioned by row id. */
    public TopicSpec deadLetters(String x) {
        return compact(topics.deadLetters(x), config.partitions(), config.maxCarriedBytes());
    }

    /** Copies of what was delivered. */
    public TopicSpec auditFeed() {
        return delete(topics.auditFeed(), config.rawRetention().toMillis(), config.maxCarriedBytes());
    }

    /** Positions of the engines. */
    public TopicSpec positions() {
        return compact(topics.positions(), 1, config.maxMessageBytes());
    }

    /** What operators changed. */
    public TopicSpec operations() {
        return compact(topics.operations(), 1, config.maxMessageBytes());
    }

    private List<TopicSpec> of(String x) {
        return x.equals(Topics.EVENTS)
                ? List.of(retry(x), deadLetters(x))
                : List.of(retry(x), redelivery(x), deadLetters(x));
    }

    private TopicSpec delete(String name, long retentionMs, int maxMessageBytes) {
        return new TopicSpec(
                name,
                config.partitions(),
                config.replication(),
                config.minInsyncReplicas(),
                Cleanup.DELETE,
                retentionMs,
                maxMessageBytes);
    }

    private TopicSpec compact(String name, int partitions, int maxMessageBytes) {
        return new TopicSpec(
                name,
                partitions,
                config.replication(),
                config.minInsyncReplicas(),
                Cleanup.COMPACT,
                TopicSpec.FOREVER,
                maxMessageBytes);
    }
}
