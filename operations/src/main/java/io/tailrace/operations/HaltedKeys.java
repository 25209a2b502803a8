package io.tailrace.operations;

import io.tailrace.broker.ClientSettings;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Place;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Which keys stop at a dead letter ({@code halt-key}). Of events the changelog of the rows that wait tells: the router keeps such a row on the
 * lane of its key although its letter is written. Only partitions in which a letter of a key lies are read, and none if there is none. Of
 * commands and of a subscription the row tells, whatever the lanes know; they tell better how much waits behind it.
 */
final class HaltedKeys {

    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final TailraceConfig config;
    private final String changelog;

    HaltedKeys(TailraceConfig config) {
        this.config = config;
        this.changelog = config.namespace().routerApplicationId() + "-parked-changelog";
    }

    /**
     * What was seen.
     *
     * @param foreign row ids of letters whose rows are in no database that the configuration names; none of events
     */
    record Seen(Halts halts, Set<String> foreign) {}

    /** Of letters of one {@code x}, within a patience. While a database cannot be reached, not all is seen. */
    Halts look(List<DeadLetter> letters) {
        Halts lanes = ofLanes(letters);
        try {
            return withRows(lanes, letters).halts();
        } catch (OperationFailed outOfReach) {
            return new Halts(lanes.byRow(), false);
        }
    }

    /**
     * The same for who acts on it.
     *
     * @throws OperationFailed when a database cannot be reached
     */
    Seen judge(List<DeadLetter> letters) {
        return withRows(ofLanes(letters), letters);
    }

    private Seen withRows(Halts lanes, List<DeadLetter> letters) {
        String x = letters.isEmpty() ? Topics.EVENTS : letters.get(0).x();
        if (x.equals(Topics.EVENTS)) {
            return new Seen(lanes, Set.of());
        }
        HaltingRows.Seen rows = new HaltingRows(config).look(x, letters);
        Map<String, Halt> halts = new HashMap<>(rows.byRow());
        halts.putAll(lanes.byRow());
        return new Seen(new Halts(halts, rows.foreign().isEmpty() || lanes.isComplete()), rows.foreign());
    }

    /** As far as the router has heard. */
    Halts ofLanes(List<DeadLetter> letters) {
        List<DeadLetter> keyed = letters.stream()
                .filter(letter ->
                        letter.orderingKey().isPresent() && letter.place().isPresent())
                .toList();
        if (keyed.isEmpty()) {
            return Halts.NONE;
        }
        Map<String, Object> settings = ClientSettings.consumer(config.kafka());
        settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            if (!consumer.listTopics().containsKey(changelog)) {
                // Deleted, or of another cluster: nothing is known, and a key may stop all the same.
                return new Halts(Map.of(), false);
            }
            int partitions = consumer.partitionsFor(changelog).size();
            WaitingRows rows = new WaitingRows(keyed.get(0).x());
            NewerRows.Deadline deadline = new NewerRows.Deadline(PATIENCE);
            boolean isComplete = true;
            Set<Integer> wanted = new HashSet<>();
            keyed.forEach(letter -> wanted.add(NewerRows.partitionOf(letter, partitions)));
            for (int partition : wanted) {
                isComplete &= rows.read(consumer, new TopicPartition(changelog, partition), deadline);
            }
            Map<String, Halt> halts = new HashMap<>();
            keyed.forEach(letter -> halt(letter, rows).ifPresent(halt -> halts.put(letter.rowId(), halt)));
            return new Halts(halts, isComplete);
        }
    }

    private static Optional<Halt> halt(DeadLetter letter, WaitingRows rows) {
        NavigableMap<Place, Boolean> lane = new TreeMap<>(rows.lane(NewerRows.keyOf(letter)));
        return letter.place()
                .filter(place -> lane.getOrDefault(place, false))
                .map(place -> new Halt(
                        lane.tailMap(place, false).values().stream()
                                .filter(isHalted -> !isHalted)
                                .count(),
                        lane.firstKey().equals(place)));
    }
}
