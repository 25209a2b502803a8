package io.tailrace.router.topology;

import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Place;
import io.tailrace.router.due.DueStore;
import io.tailrace.router.lane.Lane;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.lane.LaneRow;
import io.tailrace.router.lane.LaneStore;
import io.tailrace.router.lane.ParkedStore;
import io.tailrace.router.past.PastStore;
import io.tailrace.router.store.LaneCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/** The flows' stores over those of Kafka Streams: bytes to bytes, the layouts are elsewhere. */
final class TaskStores {

    /** Some tens of bytes each: milliseconds. */
    private static final int MOST_LANES_COUNTED = 10_000;

    private TaskStores() {}

    record Lanes(KeyValueStore<org.apache.kafka.common.utils.Bytes, byte[]> store) implements LaneStore {

        @Override
        public @Nullable Lane get(LaneKey key) {
            byte @Nullable [] value = store.get(kafka(LaneCodec.key(key)));
            return value == null ? null : LaneCodec.lane(Bytes.of(value));
        }

        @Override
        public OptionalInt count() {
            int counted = 0;
            try (var found = store.all()) {
                for (; found.hasNext(); counted++) {
                    if (counted == MOST_LANES_COUNTED) {
                        return OptionalInt.empty();
                    }
                    found.next();
                }
            }
            return OptionalInt.of(counted);
        }

        @Override
        public void put(LaneKey key, Lane lane) {
            store.put(kafka(LaneCodec.key(key)), LaneCodec.lane(lane).array());
        }

        @Override
        public void delete(LaneKey key) {
            store.delete(kafka(LaneCodec.key(key)));
        }
    }

    record Parked(KeyValueStore<org.apache.kafka.common.utils.Bytes, byte[]> store) implements ParkedStore {

        @Override
        public @Nullable LaneRow get(LaneKey key, Place place) {
            byte @Nullable [] value = store.get(kafka(LaneCodec.parkedKey(key, place)));
            return value == null ? null : LaneCodec.row(Bytes.of(value));
        }

        @Override
        public @Nullable LaneRow first(LaneKey key, Place from, Predicate<LaneRow> wanted) {
            var begin = kafka(LaneCodec.parkedKey(key, from));
            var end = kafka(LaneCodec.lastParkedKey(key));
            try (KeyValueIterator<org.apache.kafka.common.utils.Bytes, byte[]> rows = store.range(begin, end)) {
                while (rows.hasNext()) {
                    LaneRow row = LaneCodec.row(Bytes.of(rows.next().value));
                    if (wanted.test(row)) {
                        return row;
                    }
                }
            }
            return null;
        }

        @Override
        public void put(LaneKey key, LaneRow row) {
            store.put(
                    kafka(LaneCodec.parkedKey(key, row.place())),
                    LaneCodec.row(row).array());
        }

        @Override
        public void delete(LaneKey key, Place place) {
            store.delete(kafka(LaneCodec.parkedKey(key, place)));
        }
    }

    record Due(KeyValueStore<org.apache.kafka.common.utils.Bytes, byte[]> store) implements DueStore {

        @Override
        public void put(Bytes position, Bytes value) {
            store.put(kafka(position), value.array());
        }

        @Override
        public void delete(Bytes position) {
            store.delete(kafka(position));
        }

        @Override
        public List<Entry> from(Bytes position, int limit) {
            List<Entry> entries = new ArrayList<>();
            try (KeyValueIterator<org.apache.kafka.common.utils.Bytes, byte[]> found =
                    store.range(kafka(position), null)) {
                while (entries.size() < limit && found.hasNext()) {
                    KeyValue<org.apache.kafka.common.utils.Bytes, byte[]> next = found.next();
                    entries.add(new Entry(Bytes.of(next.key.get()), Bytes.of(next.value)));
                }
            }
            return entries;
        }
    }

    record Past(KeyValueStore<org.apache.kafka.common.utils.Bytes, byte[]> store) implements PastStore {

        @Override
        public @Nullable Bytes get(Bytes key) {
            byte @Nullable [] value = store.get(kafka(key));
            return value == null ? null : Bytes.of(value);
        }

        @Override
        public void put(Bytes key, Bytes value) {
            store.put(kafka(key), value.array());
        }

        @Override
        public void delete(Bytes key) {
            store.delete(kafka(key));
        }

        @Override
        public void each(int room, Consumer<Bytes> value) {
            try (var found = room(room)) {
                found.forEachRemaining(each -> value.accept(Bytes.of(each.value)));
            }
        }

        @Override
        public boolean isEmpty(int room) {
            try (var found = room(room)) {
                return !found.hasNext();
            }
        }

        private KeyValueIterator<org.apache.kafka.common.utils.Bytes, byte[]> room(int room) {
            return store.range(
                    kafka(Bytes.of(new byte[] {(byte) room})), kafka(Bytes.of(new byte[] {(byte) (room + 1)})));
        }
    }

    private static org.apache.kafka.common.utils.Bytes kafka(Bytes bytes) {
        return org.apache.kafka.common.utils.Bytes.wrap(bytes.array());
    }
}
