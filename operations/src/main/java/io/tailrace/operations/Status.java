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
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;

/**
 * How far everything has come: slot and position of each source, what waits, what is dead. Looks at PostgreSQL and Kafka from outside and so works
 * while the parts are down; what cannot be reached is said, and the rest is still told. Thread-safe.
 */
public final class Status {

    /** Names in {@link Report#unknown}. */
    public static final String SLOT = "slot";

    public static final String COMMANDS = "commands";
    public static final String POSITION = "position";
    public static final String LAGS = "lags";
    public static final String DEAD_LETTERS = "deadLetters";
    public static final String HALTED_KEYS = "haltedKeys";

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
     * @param sources in the order of the configuration
     * @param lags by reader
     * @param deadLetters by {@code x}, then by reason
     * @param haltedKeys dead letters at which a key stops
     * @param unknown what could not be looked at, by its name, with a few words why: none of it is known to be absent
     * @param problems what could not be reached, of all sources too, in words
     */
    public record Report(
            List<OfSource> sources,
            List<Lag> lags,
            Map<String, Map<String, Long>> deadLetters,
            long haltedKeys,
            Map<String, String> unknown,
            List<String> problems) {}

    /**
     * What was seen of one source.
     *
     * @param name of the source
     * @param slot absent when there is none
     * @param position the engine's, as it stands in Kafka; absent before its first start
     * @param commands by state
     * @param dueCommands pending ones that may run by now
     * @param unknown as in {@link Report}
     */
    public record OfSource(
            String name,
            Optional<SlotState> slot,
            Optional<Position> position,
            Map<Command.Status, Long> commands,
            long dueCommands,
            Map<String, String> unknown) {

        private static final Pattern COMMIT = Pattern.compile("\"lsnCommit\":\"([0-9A-F]+)/([0-9A-F]+)\"");

        /** Log between the last commit that is in Kafka and the log's end; empty when one of the two is not known. */
        public Optional<Long> positionLagBytes() {
            Matcher commit = COMMIT.matcher(position.map(Position::json).orElse(""));
            if (!commit.find()) {
                return Optional.empty();
            }
            long known = lsn(commit.group(1), commit.group(2));
            return slot.flatMap(seen -> seen.confirmedLsn().map(text -> {
                String[] halves = text.split("/", 2);
                // The server moves on between the two looks; what is ahead of it is not behind.
                return Math.max(0, lsn(halves[0], halves[1]) + seen.lagBytes() - known);
            }));
        }

        private static long lsn(String high, String low) {
            return Long.parseLong(high, 16) << 32 | Long.parseLong(low, 16);
        }
    }

    /**
     * The replication slot.
     *
     * @param walStatus {@code reserved}, {@code extended}, {@code unreserved} or {@code lost}
     * @param lagBytes WAL written and not yet confirmed
     * @param retainedBytes WAL that the server keeps for it
     * @param safeBytes WAL that may still be written before the slot is in danger; empty when nothing limits it
     * @param failover whether standbys keep a copy of it; empty before PostgreSQL 17
     */
    public record SlotState(
            String name,
            boolean active,
            String walStatus,
            Optional<String> confirmedLsn,
            long lagBytes,
            long retainedBytes,
            Optional<Long> safeBytes,
            Optional<Boolean> failover) {}

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
        return look(source -> Optional.empty(), Optional.empty());
    }

    /**
     * Looks at everything once, but not at a server that is known not to answer.
     *
     * @param sourceProblem why PostgreSQL need not be asked, by the configuration of each source; for the problems of the report
     * @param kafkaProblem why Kafka need not be asked
     */
    public Report look(Function<TailraceConfig, Optional<String>> sourceProblem, Optional<String> kafkaProblem) {
        List<String> problems = new ArrayList<>();
        Optional<String> noKafka = kafkaProblem.map(said -> "Kafka does not answer");
        List<OfSource> sources = config.eachSource().stream()
                .map(one -> source(one, sourceProblem.apply(one), noKafka, problems))
                .toList();
        kafkaProblem.ifPresent(problems::add);
        Looking looking = new Looking(problems);
        List<Lag> lags = looking.at(LAGS, noKafka, () -> new GroupLags(config, kafka).read(), List.of());
        Map<String, Map<String, Long>> deadLetters = new TreeMap<>();
        long halted = 0;
        for (String x : everyX()) {
            Optional<List<DeadLetter>> letters = looking.at(
                    DEAD_LETTERS, noKafka, () -> Optional.of(deadLetters(x)), Optional.<List<DeadLetter>>empty());
            letters.ifPresent(all -> deadLetters.put(x, byReason(all)));
            if (letters.isEmpty()) {
                looking.unknown.put(HALTED_KEYS, "the dead letters could not be looked at");
            } else {
                halted += looking.at(HALTED_KEYS, noKafka, () -> halted(letters.get(), looking), 0L);
            }
        }
        return new Report(sources, lags, deadLetters, halted, looking.unknown, List.copyOf(problems));
    }

    private List<String> everyX() {
        return Stream.concat(Stream.of(Topics.EVENTS, Topics.COMMANDS), config.subscriptionNames().stream())
                .toList();
    }

    private OfSource source(
            TailraceConfig one, Optional<String> problem, Optional<String> noKafka, List<String> problems) {
        problem.ifPresent(problems::add);
        Optional<String> noSource = problem.map(said -> "PostgreSQL does not answer");
        Looking looking = new Looking(problems);
        SourceProbe probe = new SourceProbe(one);
        return new OfSource(
                one.source().name(),
                looking.at(SLOT, noSource, probe::slot, Optional.empty()),
                looking.at(POSITION, noKafka, () -> position(one.slot()), Optional.empty()),
                looking.at(COMMANDS, noSource, () -> new Commands(one.source()).count(Optional.empty()), Map.of()),
                looking.at(COMMANDS, noSource, probe::dueCommands, 0L),
                looking.unknown);
    }

    private Optional<Position> position(String slot) {
        return new CompactedTopic(kafka, config.topicNames().positions())
                .read(Bytes.utf8(slot), PATIENCE)
                .map(live -> new Position(live.value().utf8(), clock.millis() - live.timestampMs()));
    }

    private List<DeadLetter> deadLetters(String x) {
        return new CompactedTopic(kafka, config.topicNames().deadLetters(x))
                .read(PATIENCE).values().stream()
                        .map(live -> DeadLetter.of(x, live))
                        .toList();
    }

    private static Map<String, Long> byReason(List<DeadLetter> letters) {
        Map<String, Long> counts = new TreeMap<>();
        letters.forEach(letter -> counts.merge(letter.reason(), 1L, Long::sum));
        return counts;
    }

    private long halted(List<DeadLetter> letters, Looking looking) {
        HaltedKeys keys = new HaltedKeys(config);
        // A database that does not answer is not waited for once more.
        Halts seen = looking.problems.isEmpty() ? keys.look(letters) : keys.ofLanes(letters);
        if (!seen.isComplete()) {
            looking.unknown.put(
                    HALTED_KEYS,
                    "%d or more, not all could be seen".formatted(seen.byRow().size()));
        }
        return seen.byRow().size();
    }

    /** What goes wrong while looking. */
    private static final class Looking {
        private final List<String> problems;
        private final Map<String, String> unknown = new TreeMap<>();

        Looking(List<String> problems) {
            this.problems = problems;
        }

        <T> T at(String what, Optional<String> notAsked, Supplier<T> seen, T otherwise) {
            if (notAsked.isPresent()) {
                unknown.put(what, notAsked.get());
                return otherwise;
            }
            try {
                return seen.get();
            } catch (OperationFailed | KafkaException outOfReach) {
                unknown.put(what, "see below");
                problems.add(String.valueOf(outOfReach.getMessage()));
                return otherwise;
            }
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
