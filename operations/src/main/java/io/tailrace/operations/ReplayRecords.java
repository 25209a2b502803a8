package io.tailrace.operations;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.redact.Secrets;
import io.tailrace.operations.Replay.Order;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What a replay writes: the letter itself to the retry topic, a tombstone to the dead letter topic. What is cleared goes nowhere, and of a
 * command only the row is changed: of both the operations topic keeps who did it and why.
 */
final class ReplayRecords {

    /** What a dead letter says again under other names. */
    private static final List<HeaderName> TOLD_TWICE = Arrays.stream(HeaderName.values())
            .filter(name -> name.key().startsWith(HeaderName.STREAMS_PREFIX))
            .toList();

    private final Topics topics;
    private final Order order;

    private final Secrets secrets;

    ReplayRecords(TailraceConfig config, Order order) {
        this.topics = config.topicNames();
        this.secrets = config.redact().secrets();
        this.order = order;
    }

    List<ProducerRecord<byte[], byte[]>> of(DeadLetter letter) {
        return List.of(replay(letter), tombstone(letter));
    }

    /**
     * Takes a letter away for good, with a note of who and why, and says that nobody needs the secrets of its row any more. All who do that
     * have to do it by this: a discard, and a letter whose row can run no more.
     */
    List<ProducerRecord<byte[], byte[]>> clear(DeadLetter letter, String because) {
        ProducerRecord<byte[], byte[]> note = note(letter, "cleared", "cleared (" + because + ")");
        return hasSecrets(letter) && !letter.isOfSubscription()
                ? List.of(tombstone(letter), note, done(letter))
                : List.of(tombstone(letter), note);
    }

    private boolean hasSecrets(DeadLetter letter) {
        boolean isCommand = letter.x().equals(Topics.COMMANDS);
        return !(isCommand ? secrets.ofCommand(letter.name()) : secrets.ofEvent(letter.name())).isEmpty();
    }

    /** Says that nobody needs the row any more, to those who take the secrets out of rows. */
    private ProducerRecord<byte[], byte[]> done(DeadLetter letter) {
        Headers.Builder headers = Headers.builder()
                .put(HeaderName.CE_ID, letter.rowId())
                .put(HeaderName.CE_TYPE, letter.name())
                .put(HeaderName.CE_SOURCE, letter.source())
                .put(HeaderName.KIND, Kind.DONE.text())
                .put(HeaderName.SEQ, letter.headers().text(HeaderName.SEQ).orElse("0:0"))
                .put(HeaderName.PAYLOAD, "omitted");
        if (letter.x().equals(Topics.COMMANDS)) {
            headers.put(
                    HeaderName.TURN, letter.headers().number(HeaderName.TURN).orElse(0));
        }
        byte[] key = Bytes.utf8(letter.orderingKey().orElse(letter.rowId())).array();
        return new ProducerRecord<>(topics.retry(letter.x()), null, key, null, KafkaHeaders.to(headers.build()));
    }

    /** As {@link #clear}; and if the key of the row stopped at it, the router lets the key go on. */
    List<ProducerRecord<byte[], byte[]>> discard(DeadLetter letter, String because) {
        Headers headers = letter.headers();
        boolean mayHalt = !letter.x().equals(Topics.COMMANDS) // Of a command the row tells the router.
                && letter.orderingKey().isPresent()
                && headers.text(HeaderName.CE_SOURCE).isPresent()
                && headers.place(HeaderName.SEQ).isPresent();
        return mayHalt
                ? Stream.concat(clear(letter, because).stream(), Stream.of(laneCommand(letter, "discard")))
                        .toList()
                : clear(letter, because);
    }

    /** The key goes on behind the row at which it stops; the letter stays where it is. */
    List<ProducerRecord<byte[], byte[]>> skip(DeadLetter letter) {
        return List.of(laneCommand(letter, "skip"), skipNote(letter));
    }

    /** Who lets the key of a command go on: the row and the records that follow do not say it. */
    ProducerRecord<byte[], byte[]> skipNote(DeadLetter letter) {
        return note(letter, "skipped", "skipped");
    }

    /** Heard in order with the replays of the key: it means something only while the row heads its lane, halted. */
    private ProducerRecord<byte[], byte[]> laneCommand(DeadLetter letter, String act) {
        Headers headers = letter.headers().withoutDelivery().toBuilder()
                .put(HeaderName.KIND, Kind.CONTROL.text())
                .put(HeaderName.CONTROL, act)
                // What an event of a subscription died at; one of the router has none.
                .put(HeaderName.TURN, letter.headers().number(HeaderName.TURN).orElse(0))
                .put(HeaderName.SEQ, letter.headers().text(HeaderName.SEQ).orElse(""))
                .build();
        byte[] key = Bytes.utf8(letter.orderingKey().orElse(letter.rowId())).array();
        return new ProducerRecord<>(topics.retry(letter.x()), null, key, null, KafkaHeaders.to(headers));
    }

    /** Who asks that the row of a command be pending again: the row and the records that follow do not say it. */
    ProducerRecord<byte[], byte[]> requeue(DeadLetter letter) {
        return note(letter, "requeue", "requeue asked for");
    }

    /** Its timestamp says when. The key is its own: nothing is compacted away. */
    private ProducerRecord<byte[], byte[]> note(DeadLetter letter, String act, String what) {
        String key = "%s/%s/%s/%s".formatted(act, letter.x(), letter.rowId(), order.id());
        String why = order.why().isEmpty() ? "" : " why=" + order.why();
        String line = "%s: of=%s row=%s reason=%s by=%s%s"
                .formatted(what, letter.x(), letter.rowId(), letter.reason(), order.by(), why);
        return new ProducerRecord<>(
                topics.operations(),
                Bytes.utf8(key).array(),
                Bytes.utf8(line.replaceAll("\\p{Cntrl}", " ")).array());
    }

    private ProducerRecord<byte[], byte[]> replay(DeadLetter letter) {
        String key = letter.orderingKey().orElse(letter.rowId());
        // A dead letter's value is never null, because null would be its tombstone; here it is what the row holds, or
        // nothing.
        byte[] value = letter.payload() != DeadLetter.Payload.INLINE
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
