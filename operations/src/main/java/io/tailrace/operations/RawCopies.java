package io.tailrace.operations;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.operations.EventRows.Content;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What the raw topic still has of rows whose table has none: events that were written as messages, rows that were cleaned up. A dead letter
 * names where its row was read first. For one replay; used by one thread.
 */
final class RawCopies implements AutoCloseable {

    /** The record is there or it is not: a broker that is slower than this is taken for one that is away. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final TailraceConfig config;
    private @Nullable KafkaConsumer<byte[], byte[]> opened;

    RawCopies(TailraceConfig config) {
        this.config = config;
    }

    /** The row as it was captured; empty when that is gone, or had no payload itself because it was too large. */
    Optional<Content> find(DeadLetter letter) {
        Headers headers = letter.headers();
        OptionalLong partition = headers.number(HeaderName.ORIGIN_PARTITION);
        OptionalLong offset = headers.number(HeaderName.ORIGIN_OFFSET);
        String raw = config.topicNames().rawEvents();
        boolean isFromThere =
                headers.text(HeaderName.ORIGIN_TOPIC).filter(raw::equals).isPresent();
        if (!isFromThere || partition.isEmpty() || offset.isEmpty()) {
            return Optional.empty();
        }
        TopicPartition from = new TopicPartition(raw, Math.toIntExact(partition.getAsLong()));
        return read(from, offset.getAsLong())
                .filter(record -> isOf(letter, record))
                .flatMap(RawCopies::content);
    }

    private Optional<ConsumerRecord<byte[], byte[]>> read(TopicPartition from, long offset) {
        KafkaConsumer<byte[], byte[]> consumer = consumer();
        if (consumer.partitionsFor(from.topic()).stream().noneMatch(info -> info.partition() == from.partition())) {
            return Optional.empty();
        }
        consumer.assign(List.of(from));
        consumer.seek(from, offset);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try {
            while (System.nanoTime() - deadline < 0) {
                List<ConsumerRecord<byte[], byte[]>> records =
                        consumer.poll(Duration.ofMillis(200)).records(from);
                if (!records.isEmpty()) {
                    return Optional.of(records.get(0)).filter(record -> record.offset() == offset);
                }
            }
            return Optional.empty();
        } catch (OffsetOutOfRangeException expired) {
            return Optional.empty();
        }
    }

    /** A topic that was deleted and made again has another record at this place. */
    private static boolean isOf(DeadLetter letter, ConsumerRecord<byte[], byte[]> record) {
        Headers headers = KafkaHeaders.from(record.headers());
        return headers.text(HeaderName.CE_ID).filter(letter.rowId()::equals).isPresent()
                && headers.text(HeaderName.CE_SOURCE)
                        .filter(letter.source()::equals)
                        .isPresent();
    }

    private static Optional<Content> content(ConsumerRecord<byte[], byte[]> record) {
        Headers headers = KafkaHeaders.from(record.headers());
        boolean isCut =
                headers.text(HeaderName.PAYLOAD).filter("omitted"::equals).isPresent();
        return isCut
                ? Optional.empty()
                : Optional.of(new Content(record.value() == null ? null : Bytes.of(record.value()), headers));
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        KafkaConsumer<byte[], byte[]> consumer = opened;
        if (consumer == null) {
            Map<String, Object> settings = ClientSettings.consumer(config.kafka());
            settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
            settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1);
            consumer = new KafkaConsumer<>(settings);
            opened = consumer;
        }
        return consumer;
    }

    @Override
    public void close() {
        if (opened != null) {
            opened.close();
        }
    }
}
