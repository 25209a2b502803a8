package io.tailrace.engine.publish;

import io.tailrace.broker.CompactedTopic;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.record.Bytes;
import io.tailrace.engine.source.Position;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;

/** The positions of a slot in the compacted topic {@code <ns>.positions}: key = slot, value = {@link Position#text()}. */
public final class PositionTopic {

    /** Longer than the transaction timeout of any producer of ours: another slot's engine may have died with one open. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final KafkaConfig kafka;
    private final String topic;
    private final String slot;

    /** The positions of one slot. */
    public PositionTopic(KafkaConfig kafka, String topic, String slot) {
        this.kafka = Objects.requireNonNull(kafka);
        this.topic = Objects.requireNonNull(topic);
        this.slot = Objects.requireNonNull(slot);
    }

    /**
     * The last one that was committed. Call it after {@code initTransactions()}: before, a commit of the former holder may be under
     * way.
     *
     * @throws StartRefused when there is one that cannot be read
     */
    public Optional<Position> last() {
        return lastWritten().map(Written::position);
    }

    /**
     * A position and when it was written.
     *
     * @param timestampMs by the clock of the engine that wrote it
     */
    public record Written(Position position, long timestampMs) {}

    /** As {@link #last()}, with its time. */
    public Optional<Written> lastWritten() {
        Optional<CompactedTopic.Live> live = new CompactedTopic(kafka, topic).read(Bytes.utf8(slot), PATIENCE);
        if (live.isEmpty()) {
            return Optional.empty();
        }
        String text = live.get().value().utf8();
        try {
            return Optional.of(new Written(Position.parse(text), live.get().timestampMs()));
        } catch (IllegalArgumentException unreadable) {
            StartRefused refused = new StartRefused("The position of slot %s at offset %d of %s cannot be read: %s"
                    .formatted(slot, live.get().offset(), topic, text));
            refused.initCause(unreadable);
            throw refused;
        }
    }

    ProducerRecord<byte[], byte[]> record(Position position) {
        return new ProducerRecord<>(
                topic, slot.getBytes(StandardCharsets.UTF_8), position.text().getBytes(StandardCharsets.UTF_8));
    }
}
