package io.tailrace.operations;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.operations.Replay.Order;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What a replay writes: the letter itself to the retry topic, a tombstone to the dead letter topic. What is cleared goes nowhere, and the
 * operations topic keeps who did it and why.
 */
final class ReplayRecords {

    /** What a dead letter says again under other names. */
    private static final List<HeaderName> TOLD_TWICE = Arrays.stream(HeaderName.values())
            .filter(name -> name.key().startsWith(HeaderName.STREAMS_PREFIX))
            .toList();

    private final Topics topics;
    private final Order order;

    ReplayRecords(Topics topics, Order order) {
        this.topics = topics;
        this.order = order;
    }

    List<ProducerRecord<byte[], byte[]>> of(DeadLetter letter) {
        return List.of(replay(letter), tombstone(letter));
    }

    List<ProducerRecord<byte[], byte[]>> clear(DeadLetter letter, String because) {
        return List.of(tombstone(letter), note(letter, because));
    }

    /** Its timestamp says when. The key is its own: nothing is compacted away. */
    private ProducerRecord<byte[], byte[]> note(DeadLetter letter, String because) {
        String key = "cleared/%s/%s/%s".formatted(letter.x(), letter.rowId(), order.id());
        String line = "cleared (%s): of=%s row=%s reason=%s by=%s"
                .formatted(because, letter.x(), letter.rowId(), letter.reason(), order.by());
        return new ProducerRecord<>(
                topics.operations(),
                Bytes.utf8(key).array(),
                Bytes.utf8(line.replaceAll("\\p{Cntrl}", " ")).array());
    }

    private ProducerRecord<byte[], byte[]> replay(DeadLetter letter) {
        String key = letter.orderingKey().orElse(letter.rowId());
        // A dead letter's value is never null, because null would be its tombstone; here it is what the row holds.
        byte[] value = letter.payload() == DeadLetter.Payload.NULL
                ? null
                : letter.value().array();
        return new ProducerRecord<>(
                topics.retry(letter.x()), null, Bytes.utf8(key).array(), value, KafkaHeaders.to(headers(letter)));
    }

    /** Reason, errors and first failure stay until the row succeeds or fails anew; attempts and waits begin again. */
    private Headers headers(DeadLetter letter) {
        Headers.Builder headers = letter.headers().toBuilder();
        TOLD_TWICE.forEach(headers::remove);
        return headers.put(HeaderName.KIND, Kind.REPLAY.text())
                .put(HeaderName.ATTEMPT, 0)
                .remove(HeaderName.NOT_BEFORE)
                .remove(HeaderName.WAIT)
                .remove(HeaderName.ERROR_STACK)
                .put(HeaderName.REPLAY_ID, order.id())
                .put(HeaderName.REPLAY_COUNT, letter.replayCount() + 1L)
                .put(HeaderName.REPLAY_BY, order.by())
                .build();
    }

    /** To the partition the dead letter was read from: elsewhere it would take nothing away. */
    private ProducerRecord<byte[], byte[]> tombstone(DeadLetter letter) {
        byte[] key = Bytes.utf8(letter.rowId()).array();
        return new ProducerRecord<>(topics.deadLetters(letter.x()), letter.partition(), key, null);
    }
}
