package io.tailrace.executor.run;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.claim.EventContent.Raw;
import io.tailrace.executor.claim.EventHeaders;
import io.tailrace.executor.run.EventHandling.Kept;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads single events from the raw topic again: of one that waited the record may have come without its payload. Opens a client for each,
 * since it is rare. Thread-safe.
 */
public final class RawEvents implements EventHandling.Payloads {

    private static final Logger LOG = LoggerFactory.getLogger(RawEvents.class);

    private static final Duration POLL = Duration.ofMillis(200);

    /** Shorter than any handler may take: the row is locked meanwhile. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final KafkaConfig kafka;
    private final String topic;

    /** @param topic raw events of the namespace */
    public RawEvents(KafkaConfig kafka, String topic) {
        this.kafka = kafka;
        this.topic = topic;
    }

    @Override
    public Kept read(Claim claim) {
        Raw raw = Objects.requireNonNull(claim.request().event()).raw();
        TopicPartition partition = new TopicPartition(topic, raw.partition());
        Map<String, Object> settings = ClientSettings.consumer(kafka);
        settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
        settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1);
        settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Math.toIntExact(PATIENCE.toMillis()));
        settings.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.toIntExact(PATIENCE.toMillis() / 2));
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            consumer.assign(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
            consumer.seek(partition, raw.offset());
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (raw.offset() < end && System.nanoTime() - deadline < 0) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    return found(record, raw, claim.request().id().toString());
                }
            }
            return raw.offset() < end ? missing(Handling.Missing.OUT_OF_REACH) : missing(Handling.Missing.GONE);
        } catch (OffsetOutOfRangeException cleaned) {
            LOG.debug("Not kept any more: {}@{}", partition, raw.offset(), cleaned);
            return missing(Handling.Missing.GONE);
        } catch (KafkaException outOfReach) {
            LOG.debug("Cannot be read now: {}@{}", partition, raw.offset(), outOfReach);
            return missing(Handling.Missing.OUT_OF_REACH);
        }
    }

    /** A topic that was made anew has something else there. */
    private static Kept found(ConsumerRecord<byte[], byte[]> record, Raw raw, String id) {
        Headers headers = KafkaHeaders.from(record.headers());
        boolean isIt = record.offset() == raw.offset()
                && headers.text(HeaderName.CE_ID).filter(id::equals).isPresent();
        boolean isOmitted =
                headers.text(HeaderName.PAYLOAD).filter("omitted"::equals).isPresent();
        return isIt && !isOmitted
                ? new Kept(
                        Optional.empty(),
                        Optional.ofNullable(record.value()).map(Bytes::of),
                        Optional.ofNullable(EventHeaders.json(headers)))
                : missing(Handling.Missing.GONE);
    }

    private static Kept missing(Handling.Missing why) {
        return new Kept(Optional.of(why), Optional.empty(), Optional.empty());
    }
}
