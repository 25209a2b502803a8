package io.tailrace.operations;

import io.tailrace.broker.CompactedTopic;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;

/**
 * How far everything has come: the slot, the position, what waits, what is dead. Looks at PostgreSQL and Kafka from outside and so works
 * while the parts are down; what cannot be reached is said, and the rest is still told. Thread-safe.
 */
public final class Status {

    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final TailraceConfig config;
    private final KafkaConfig kafka;
    private final Clock clock;

    public Status(TailraceConfig config, Clock clock) {
        this.config = config;
        this.kafka = impatient(config.kafka());
        this.clock = clock;
    }

    /**
     * What was seen.
     *
     * @param slot absent when there is none
     * @param position the engine's, as it stands in Kafka; absent before its first start
     * @param commands by state
     * @param dueCommands pending ones that may run by now
     * @param lags by reader
     * @param deadLetters by {@code x}, then by reason
     * @param problems what could not be reached, in words
     */
    public record Report(
            Optional<SlotState> slot,
            Optional<Position> position,
            Map<Command.Status, Long> commands,
            long dueCommands,
            List<Lag> lags,
            Map<String, Map<String, Long>> deadLetters,
            List<String> problems) {}

    /**
     * The replication slot.
     *
     * @param walStatus {@code reserved}, {@code extended}, {@code unreserved} or {@code lost}
     * @param lagBytes WAL written and not yet confirmed
     */
    public record SlotState(
            String name, boolean active, String walStatus, Optional<String> confirmedLsn, long lagBytes) {}

    /**
     * The position record.
     *
     * @param json as the engine wrote it
     * @param ageMs how long ago; an engine that runs writes it with every heartbeat
     */
    public record Position(String json, long ageMs) {}

    /**
     * How far a consumer group is behind on a topic.
     *
     * @param mostRecords that it may still get: offsets between the committed ones and the ends. The markers and the aborted records of
     *     transactions have offsets too, so that an idle group may stand before the marker of the last one in each partition; only 0 is
     *     exact
     */
    public record Lag(String reader, String topic, long mostRecords) {}

    /** Looks at everything once. */
    public Report look() {
        List<String> problems = new ArrayList<>();
        SourceProbe source = new SourceProbe(config);
        Optional<SlotState> slot = orElse(problems, source::slot, Optional.empty());
        Map<Command.Status, Long> commands =
                orElse(problems, () -> new Commands(config.source()).count(Optional.empty()), Map.of());
        long due = orElse(problems, source::dueCommands, 0L);
        Optional<Position> position = orElse(problems, this::position, Optional.empty());
        List<Lag> lags = orElse(problems, () -> new GroupLags(config, kafka).read(), List.of());
        Map<String, Map<String, Long>> deadLetters = new TreeMap<>();
        for (String x : List.of(Topics.EVENTS, Topics.COMMANDS)) {
            orElse(problems, () -> Optional.of(deadLetters(x)), Optional.<Map<String, Long>>empty())
                    .ifPresent(counts -> deadLetters.put(x, counts));
        }
        return new Report(slot, position, commands, due, lags, deadLetters, List.copyOf(problems));
    }

    private Optional<Position> position() {
        return new CompactedTopic(kafka, config.topicNames().positions())
                .read(Bytes.utf8(config.slot()), PATIENCE)
                .map(live -> new Position(live.value().utf8(), clock.millis() - live.timestampMs()));
    }

    private Map<String, Long> deadLetters(String x) {
        Map<String, Long> counts = new TreeMap<>();
        new CompactedTopic(kafka, config.topicNames().deadLetters(x))
                .read(PATIENCE)
                .values()
                .forEach(live -> counts.merge(DeadLetter.of(x, live).reason(), 1L, Long::sum));
        return counts;
    }

    private static <T> T orElse(List<String> problems, Supplier<T> seen, T otherwise) {
        try {
            return seen.get();
        } catch (OperationFailed | KafkaException outOfReach) {
            problems.add(String.valueOf(outOfReach.getMessage()));
            return otherwise;
        }
    }

    /** A status that takes a minute is none. */
    private static KafkaConfig impatient(KafkaConfig kafka) {
        Map<String, String> properties = new HashMap<>(kafka.properties());
        properties.putIfAbsent("default.api.timeout.ms", "10000");
        properties.putIfAbsent("request.timeout.ms", "5000");
        return new KafkaConfig(kafka.bootstrapServers(), properties);
    }
}
