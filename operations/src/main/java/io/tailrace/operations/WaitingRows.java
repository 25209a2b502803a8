package io.tailrace.operations;

import io.tailrace.contract.record.Place;
import io.tailrace.operations.NewerRows.Key;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Rows of one {@code x} that wait on the lanes of their keys, as the changelog of the router's store tells: one partition holds those of a
 * partition of the raw topic. Of a record only the key is looked at, and how the value begins; their layout is the router's {@code LaneCodec}'s, and a
 * test holds them together.
 */
final class WaitingRows {

    private static final Duration POLL = Duration.ofMillis(200);

    /** The sort of lane that has an ordering key. */
    private static final int KEYED = 1;

    /** How the value of a row begins: its layout, its place in sevens of bits, its state. */
    private static final int LAYOUT = 1;

    private static final int HALTED = 3;

    private final String x;

    /** By key: the rows on its lane, and whether the key stops there. */
    private final Map<Key, NavigableMap<Place, Boolean>> waiting = new HashMap<>();

    /** @param x {@code events}, {@code commands} or a subscription */
    WaitingRows(String x) {
        this.x = x;
    }

    /** @return whether it was read to its end; a changelog that was never made is empty */
    boolean read(KafkaConsumer<byte[], byte[]> consumer, TopicPartition changelog, NewerRows.Deadline deadline) {
        if (!consumer.listTopics().containsKey(changelog.topic())) {
            return true;
        }
        consumer.assign(List.of(changelog));
        consumer.seekToBeginning(List.of(changelog));
        long end = consumer.endOffsets(List.of(changelog)).getOrDefault(changelog, 0L);
        while (consumer.position(changelog) < end) {
            if (deadline.isOver()) {
                return false;
            }
            consumer.poll(POLL).forEach(this::apply);
        }
        return true;
    }

    boolean has(Key key, Place place) {
        return lane(key).containsKey(place);
    }

    /** Rows of the key that are on its lane, in order: whether the key stops at them. */
    NavigableMap<Place, Boolean> lane(Key key) {
        return waiting.getOrDefault(key, Collections.emptyNavigableMap());
    }

    private void apply(ConsumerRecord<byte[], byte[]> record) {
        Optional.ofNullable(record.key()).flatMap(this::rowOf).ifPresent(row -> {
            if (record.value() == null) {
                waiting.getOrDefault(row.key(), new TreeMap<>()).remove(row.place());
            } else {
                waiting.computeIfAbsent(row.key(), any -> new TreeMap<>()).put(row.place(), isHalted(record.value()));
            }
        });
    }

    private static boolean isHalted(byte[] row) {
        int at = 1;
        while (at < row.length && row[at] < 0) {
            at++;
        }
        return row[0] == LAYOUT && at + 1 < row.length && row[at + 1] == HALTED;
    }

    private record Row(Key key, Place place) {}

    /** Sort, x, source and key, each text with its length, then the place. Empty for a row of another kind. */
    private Optional<Row> rowOf(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (in.get() != KEYED || !text(in).equals(x)) {
            return Optional.empty();
        }
        Key key = new Key(text(in), text(in));
        return Optional.of(new Row(key, Place.unpacked(in.getLong())));
    }

    private static String text(ByteBuffer in) {
        int length = 0;
        int shift = 0;
        int part;
        do {
            part = in.get();
            length |= (part & 0x7F) << shift;
            shift += 7;
        } while ((part & 0x80) != 0);
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
