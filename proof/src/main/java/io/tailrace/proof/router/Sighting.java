package io.tailrace.proof.router;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A committed record as a reader has met it; only what is asked of it later, since there are many.
 *
 * @param offset where it stands in its partition
 * @param id of its row
 * @param seq what it names as its place; null if it names none
 * @param attempt as its headers have it, 0 if they have none
 * @param notBefore what it waits for, in milliseconds since the epoch; 0 if it waits for no instant
 * @param replay that has brought it back; null if none has
 * @param late whether it says so
 * @param hasValue whether it is no tombstone
 * @param atNanos when it was met, by {@link System#nanoTime}
 */
record Sighting(
        String topic,
        long offset,
        String id,
        Optional<Kind> kind,
        @Nullable Place seq,
        int attempt,
        long notBefore,
        @Nullable String replay,
        boolean late,
        boolean hasValue,
        long atNanos) {

    static Sighting of(ConsumerRecord<byte[], byte[]> record, long atNanos) {
        Headers headers = KafkaHeaders.from(record.headers());
        return new Sighting(
                record.topic(),
                record.offset(),
                headers.text(HeaderName.CE_ID).orElseGet(() -> key(record)),
                headers.kind(),
                headers.place(HeaderName.SEQ).orElse(null),
                headers.smallNumber(HeaderName.ATTEMPT).orElse(0),
                headers.number(HeaderName.NOT_BEFORE).orElse(0),
                headers.text(HeaderName.REPLAY_ID).orElse(null),
                headers.text(HeaderName.LATE).isPresent(),
                record.value() != null,
                atNanos);
    }

    private static String key(ConsumerRecord<byte[], ?> record) {
        byte[] key = record.key();
        return key == null ? "(neither id nor key)" : Bytes.of(key).utf8();
    }
}
