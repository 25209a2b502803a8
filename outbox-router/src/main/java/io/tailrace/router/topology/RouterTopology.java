package io.tailrace.router.topology;

import io.tailrace.broker.TopicSpec;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.config.TopicsConfig;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.router.deliver.Outgoing;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.jspecify.annotations.Nullable;

/**
 * The wiring: one sub-topology, so that one task owns a key in all its topics.
 *
 * <pre>
 *   raw.events  raw.commands  events.retry  commands.retry  <subscription>.retry …  ──► scrubber, in executors
 *                        │
 *                      router ── lane, parked, due, past
 *                        │
 *                       out      (the topic is named by the record)
 * </pre>
 *
 * <p>The scrubber of each source hears on both retry topics which of its rows are done; nothing is deleted there that it has not read.
 *
 * <p>Every node, store and so every changelog is named by hand: names that are counted out change with the wiring, and a changelog
 * under a new name is an empty one.
 */
public final class RouterTopology {

    static final String LANE_STORE = "lane";
    static final String PARKED_STORE = "parked";
    static final String DUE_STORE = "due";
    static final String PAST_STORE = "past";

    private static final String SOURCE = "rows";
    private static final String ROUTER = "router";
    private static final String SINK = "out";

    private RouterTopology() {}

    /** Wires it. */
    static Topology of(Assembly assembly) {
        return of(assembly, Stores::persistentKeyValueStore);
    }

    /** @param stores by name */
    static Topology of(Assembly assembly, Function<String, KeyValueBytesStoreSupplier> stores) {
        return new Topology()
                .addSource(
                        SOURCE,
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer(),
                        sources(assembly.topics(), assembly.subscriptions()))
                .addProcessor(ROUTER, () -> new RouterProcessor(assembly), SOURCE)
                .addStateStore(store(stores.apply(LANE_STORE)), ROUTER)
                .addStateStore(store(stores.apply(PARKED_STORE)), ROUTER)
                .addStateStore(store(stores.apply(DUE_STORE)), ROUTER)
                .addStateStore(store(stores.apply(PAST_STORE)), ROUTER)
                .<byte[], Outgoing>addSink(
                        SINK,
                        (key, outgoing, context) -> outgoing.topic(),
                        new ByteArraySerializer(),
                        (topic, outgoing) -> valueOf(outgoing),
                        ROUTER);
    }

    /** What the router reads. All have the same partition count and the same partitioner. */
    public static String[] sources(Topics topics, List<String> subscriptions) {
        return Stream.concat(
                        Stream.of(
                                topics.rawEvents(),
                                topics.rawCommands(),
                                topics.retry(Topics.EVENTS),
                                topics.retry(Topics.COMMANDS)),
                        subscriptions.stream().map(topics::retry))
                .toArray(String[]::new);
    }

    /** What has no retention, and who reads it. */
    public static Map<String, Trimmer.Readers> trimmed(TailraceConfig config) {
        Topics topics = config.topicNames();
        Namespace namespace = config.namespace();
        Trimmer.Readers router = new Trimmer.Readers(Set.of(namespace.routerApplicationId()), Set.of());
        Map<String, Trimmer.Readers> readers = new HashMap<>();
        readers.put(topics.retry(Topics.EVENTS), router);
        Stream.concat(Stream.of(Topics.COMMANDS), config.subscriptionNames().stream())
                .forEach(x -> {
                    readers.put(topics.retry(x), router);
                    readers.put(
                            topics.redelivery(x), ofEachSource(config, source -> namespace.executorGroup(x, source)));
                });
        if (config.redact().scrubs()) {
            Trimmer.Readers scrubbers = ofEachSource(config, namespace::scrubGroup);
            topics.doneNotes().forEach(topic -> readers.merge(topic, scrubbers, Trimmer.Readers::and));
        }
        return Map.copyOf(readers);
    }

    /** Those of a source that another process serves are found by their name. */
    private static Trimmer.Readers ofEachSource(TailraceConfig config, UnaryOperator<String> group) {
        return new Trimmer.Readers(
                config.sources().stream()
                        .map(source -> group.apply(source.name()))
                        .collect(Collectors.toSet()),
                Set.of(group.apply("")));
    }

    /** Where the stores are kept: rows whole, in a format of their own. */
    public static List<TopicSpec> changelogs(TailraceConfig config) {
        TopicsConfig topics = config.topics();
        return Stream.of(LANE_STORE, PARKED_STORE, DUE_STORE, PAST_STORE)
                .map(store -> new TopicSpec(
                        "%s-%s-changelog".formatted(config.namespace().routerApplicationId(), store),
                        topics.partitions(),
                        topics.replication(),
                        topics.minInsyncReplicas(),
                        TopicSpec.Cleanup.COMPACT,
                        TopicSpec.FOREVER,
                        topics.maxRequestBytes()))
                .toList();
    }

    private static byte @Nullable [] valueOf(Outgoing outgoing) {
        Bytes value = outgoing.value();
        return value == null ? null : value.array();
    }

    /** On disk and in a changelog, without a cache: what is written is small, and reading it back is rare. */
    private static StoreBuilder<KeyValueStore<org.apache.kafka.common.utils.Bytes, byte[]>> store(
            KeyValueBytesStoreSupplier store) {
        return Stores.keyValueStoreBuilder(store, Serdes.Bytes(), Serdes.ByteArray())
                .withLoggingEnabled(Map.of())
                .withCachingDisabled();
    }
}
