package io.tailrace.router.topology;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.RedactConfig;
import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.config.SubscriptionConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.router.deadletter.LetterForm;
import io.tailrace.router.decide.Decider;
import io.tailrace.router.decide.Destination;
import io.tailrace.router.decide.LiveRoutes;
import io.tailrace.router.decide.Routes;
import io.tailrace.router.decode.Door;
import io.tailrace.router.lane.LaneLimits;
import io.tailrace.router.observe.RouterMetrics;
import io.tailrace.router.redact.Redaction;
import io.tailrace.testkit.MutableClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.test.TestRecord;
import org.jspecify.annotations.Nullable;

/** The whole topology on a test driver, with a clock and destinations to set. */
final class Rig implements AutoCloseable {

    static final String SUBSCRIPTION = "billing";

    static final int MAX_BYTES = 1 << 20;

    private static final LetterForm LETTERS = new LetterForm(MAX_BYTES + (64 << 10), false);

    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    /** What the subscription takes. */
    static final List<SubscriptionConfig> SUBSCRIBED =
            List.of(new SubscriptionConfig(SUBSCRIPTION, List.of("sales.subscribed")));

    final MutableClock clock = MutableClock.at(START);
    final Map<String, Destination> destinations = new HashMap<>();
    final Topics topics;
    final LiveRoutes live;

    @Nullable
    RuntimeException thrownByDestinations;

    final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private final TopologyTestDriver driver;
    private final Map<String, TestOutputTopic<byte[], byte[]>> outputs = new HashMap<>();

    Rig(RoutesConfig.Default byDefault, RoutesConfig.Rule... rules) {
        this(LaneLimits.DEFAULT, byDefault, rules);
    }

    Rig(LaneLimits limits, RoutesConfig.Default byDefault, RoutesConfig.Rule... rules) {
        this(limits, new RoutesConfig(byDefault, List.of(rules)), RedactConfig.NONE);
    }

    Rig(RoutesConfig routes, RedactConfig redact) {
        this(LaneLimits.DEFAULT, routes, redact);
    }

    private Rig(LaneLimits limits, RoutesConfig routes, RedactConfig redact) {
        this(limits, routes, redact, Stores::persistentKeyValueStore);
    }

    /** @param stores by name */
    Rig(
            LaneLimits limits,
            RoutesConfig routes,
            RedactConfig redact,
            Function<String, KeyValueBytesStoreSupplier> stores) {
        RetryPolicy retry = new RetryPolicy(Duration.ofSeconds(10), Duration.ofSeconds(300), 5);
        TailraceConfig config = Configs.of("shop", "nowhere:9092", 1, routes, retry, temporary());
        topics = config.topicNames();
        List<String> problems = new ArrayList<>();
        live = new LiveRoutes(Routes.compile(routes, retry, topics, List.of(), problems));
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(problems.toString());
        }
        Decider decider = new Decider(live, this::destination);
        RouterMetrics metrics = new RouterMetrics(registry, clock);
        boolean scrubs = redact.scrub() == RedactConfig.Scrub.ON_DONE;
        Redaction redaction = new Redaction(redact.secrets(), topics, MAX_BYTES, scrubs, SUBSCRIBED);
        RowRules rowRules = new RowRules(new Door(MAX_BYTES), limits, redaction, LETTERS);
        Properties settings = StreamsSettings.of(config);
        driver = new TopologyTestDriver(
                RouterTopology.of(
                        new Assembly(topics, List.of(SUBSCRIPTION), decider, rowRules, metrics, clock), stores),
                settings,
                START);
    }

    /** From now on these, as after a reload. */
    void reroute(RoutesConfig routes) {
        live.become(Routes.compile(routes, live.get().retry(), topics, List.of(), new ArrayList<>()));
    }

    private Destination destination(String topic) {
        if (thrownByDestinations != null) {
            throw thrownByDestinations;
        }
        return destinations.getOrDefault(topic, Destination.writable(1 << 20));
    }

    /** An event as the engine writes it. */
    void event(String id, String name, @Nullable String key) {
        pipe(topics.rawEvents(), raw(id, name, key, Kind.EVENT), key == null ? id : key, "payload of " + id);
    }

    /** An event of another database than the rest are of. */
    void eventOf(String source, String id, String name, @Nullable String key) {
        Headers headers = raw(id, name, key, Kind.EVENT).toBuilder()
                .put(HeaderName.CE_SOURCE, source)
                .build();
        pipe(topics.rawEvents(), headers, key == null ? id : key, "payload of " + id);
    }

    /** A command as the engine writes it. */
    void command(String id, String name, @Nullable String key, Instant runAt) {
        Headers headers = raw(id, name, key, Kind.COMMAND).toBuilder()
                .put(HeaderName.NOT_BEFORE, runAt.toEpochMilli())
                .build();
        pipe(topics.rawCommands(), headers, key == null ? id : key, "payload of " + id);
    }

    /** Word of a change to a command. */
    void control(String act, String id, @Nullable String key, int turn, @Nullable String place, @Nullable Instant at) {
        Headers.Builder headers = raw(id, "ship-order", key, Kind.CONTROL).toBuilder()
                .put(HeaderName.CONTROL, act)
                .put(HeaderName.TURN, turn)
                .putIfPresent(HeaderName.PLACE, place);
        if (at != null) {
            headers.put(HeaderName.NOT_BEFORE, at.toEpochMilli());
        }
        pipe(topics.rawCommands(), headers.build(), key == null ? id : key, null);
    }

    /** What an executor answers for a row. */
    void answer(Kind kind, String id, @Nullable String key, int turn, String place, Map<HeaderName, String> more) {
        Headers.Builder headers = raw(id, "ship-order", key, kind).toBuilder()
                .put(HeaderName.SEQ, "1:0")
                .put(HeaderName.TURN, turn)
                .put(HeaderName.PLACE, place);
        more.forEach(headers::put);
        pipe(topics.retry(Topics.COMMANDS), headers.build(), key == null ? id : key, "payload of " + id);
    }

    static Headers raw(String id, String name, @Nullable String key, Kind kind) {
        return Headers.builder()
                .put(HeaderName.CE_SPECVERSION, "1.0")
                .put(HeaderName.CE_ID, id)
                .put(HeaderName.CE_TYPE, name)
                .put(HeaderName.CE_SOURCE, "shop/shop")
                .put(HeaderName.CE_TIME, START.toString())
                .putIfPresent(HeaderName.CE_PARTITIONKEY, key)
                .put(HeaderName.CONTENT_TYPE, "application/json")
                .put(HeaderName.KIND, kind.text())
                .put(HeaderName.SEQ, "1")
                .put(HeaderName.XID, "77")
                .put(HeaderName.PAYLOAD, "inline")
                .build();
    }

    void pipe(String topic, Headers headers, @Nullable String key, @Nullable String value) {
        byte[] keyBytes = key == null ? null : Bytes.utf8(key).array();
        byte[] valueBytes = value == null ? null : Bytes.utf8(value).array();
        driver.createInputTopic(topic, new ByteArraySerializer(), new ByteArraySerializer())
                .pipeInput(new TestRecord<>(keyBytes, valueBytes, KafkaHeaders.to(headers), clock.millis()));
    }

    /** Time passes, in one step, and the timers get their chance. */
    void pass(Duration time) {
        clock.advance(time);
        driver.advanceWallClockTime(time);
    }

    /** What a topic has received since the last call. */
    List<Out> read(String topic) {
        TestOutputTopic<byte[], byte[]> output = outputs.computeIfAbsent(
                topic,
                name -> driver.createOutputTopic(name, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
        return output.readRecordsToList().stream()
                .map(record -> new Out(text(record.key()), text(record.value()), KafkaHeaders.from(record.headers())))
                .toList();
    }

    /** Row ids that a topic has received since the last call. */
    List<String> ids(String topic) {
        return read(topic).stream().map(Out::id).toList();
    }

    private static @Nullable String text(byte @Nullable [] bytes) {
        return bytes == null ? null : Bytes.of(bytes).utf8();
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("tailrace-router-test-");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        driver.close();
    }

    record Out(@Nullable String key, @Nullable String value, Headers headers) {

        String id() {
            return headers.text(HeaderName.CE_ID).orElse("");
        }

        String text(HeaderName name) {
            return headers.text(name).orElse("");
        }
    }
}
