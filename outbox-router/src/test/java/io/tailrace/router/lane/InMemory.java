package io.tailrace.router.lane;

import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Place;
import io.tailrace.router.store.LaneCodec;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The stores of lanes in memory, through the same bytes as on disk, and able to go back as a crash does. */
final class InMemory implements LaneStore, ParkedStore, Wakes {

    /** Takes an event in and settles what it makes of its lane, as a flow does with nothing else to do. */
    static Heard take(Lanes lanes, LaneKey key, LaneEvent event, long now, Releaser releaser, Budget budget) {
        Change change = lanes.hear(key, event, now);
        lanes.settle(change, releaser, budget);
        return change.heard();
    }

    private TreeMap<byte[], byte[]> lanes = new TreeMap<>(Arrays::compareUnsigned);
    private TreeMap<byte[], byte[]> parked = new TreeMap<>(Arrays::compareUnsigned);
    private TreeMap<Long, TreeSet<String>> wakes = new TreeMap<>();
    private final Map<String, LaneKey> keys = new HashMap<>();
    private int rowsRead;

    @Override
    public @Nullable Lane get(LaneKey key) {
        byte[] value = lanes.get(LaneCodec.key(key).array());
        return value == null ? null : LaneCodec.lane(Bytes.of(value));
    }

    @Override
    public OptionalInt count() {
        return OptionalInt.of(lanes.size());
    }

    @Override
    public void put(LaneKey key, Lane lane) {
        lanes.put(LaneCodec.key(key).array(), LaneCodec.lane(lane).array());
    }

    @Override
    public void delete(LaneKey key) {
        lanes.remove(LaneCodec.key(key).array());
    }

    @Override
    public @Nullable LaneRow get(LaneKey key, Place place) {
        byte[] value = parked.get(LaneCodec.parkedKey(key, place).array());
        return value == null ? null : LaneCodec.row(Bytes.of(value));
    }

    @Override
    public @Nullable LaneRow first(LaneKey key, Place from, Predicate<LaneRow> wanted) {
        return parked
                .subMap(
                        LaneCodec.parkedKey(key, from).array(),
                        true,
                        LaneCodec.lastParkedKey(key).array(),
                        true)
                .values()
                .stream()
                .map(value -> LaneCodec.row(Bytes.of(value)))
                .peek(row -> rowsRead++)
                .filter(wanted)
                .findFirst()
                .orElse(null);
    }

    @Override
    public void put(LaneKey key, LaneRow row) {
        parked.put(
                LaneCodec.parkedKey(key, row.place()).array(),
                LaneCodec.row(row).array());
    }

    @Override
    public void delete(LaneKey key, Place place) {
        parked.remove(LaneCodec.parkedKey(key, place).array());
    }

    @Override
    public void add(LaneKey key, long at) {
        keys.put(key.toString(), key);
        if (!wakes.computeIfAbsent(at, any -> new TreeSet<>()).add(key.toString())) {
            throw new AssertionError("two wakes of " + key + " at " + at);
        }
    }

    @Override
    public void remove(LaneKey key, long at) {
        TreeSet<String> same = wakes.get(at);
        if (same == null || !same.remove(key.toString())) {
            throw new AssertionError("no wake of " + key + " at " + at);
        }
        if (same.isEmpty()) {
            wakes.remove(at);
        }
    }

    /** Takes the first wake that is due, as the agenda does. */
    @Nullable
    LaneKey due(long now) {
        Map.Entry<Long, TreeSet<String>> first = wakes.firstEntry();
        if (first == null || first.getKey() > now) {
            return null;
        }
        LaneKey key = keys.get(first.getValue().first());
        if (key != null) {
            remove(key, first.getKey());
        }
        return key;
    }

    int wakes() {
        return wakes.values().stream().mapToInt(TreeSet::size).sum();
    }

    /** Rows that scans have looked at. */
    int rowsRead() {
        return rowsRead;
    }

    boolean isEmpty() {
        return lanes.isEmpty() && parked.isEmpty() && wakes.isEmpty();
    }

    /** What a changelog would bring back now. */
    Runnable snapshot() {
        TreeMap<byte[], byte[]> lanesThen = new TreeMap<>(lanes);
        TreeMap<byte[], byte[]> parkedThen = new TreeMap<>(parked);
        TreeMap<Long, TreeSet<String>> wakesThen = new TreeMap<>();
        wakes.forEach((at, same) -> wakesThen.put(at, new TreeSet<>(same)));
        return () -> {
            lanes = lanesThen;
            parked = parkedThen;
            wakes = wakesThen;
        };
    }
}
