package io.tailrace.operations;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.operations.EventRows.Content;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What the raw topic still has of rows whose table has none: events that were written as messages, rows that were cleaned up. A dead letter
 * names where its row was read first. For one replay; used by one thread.
 */
final class RawCopies implements AutoCloseable {

    private final RawTopic raw;
    private final String topic;

    RawCopies(TailraceConfig config) {
        this.raw = new RawTopic(config);
        this.topic = config.topicNames().rawEvents();
    }

    /** The row as it was captured; empty when that is gone, or had no payload itself because it was too large. */
    Optional<Content> find(DeadLetter letter) {
        Headers headers = letter.headers();
        OptionalLong partition = headers.number(HeaderName.ORIGIN_PARTITION);
        OptionalLong offset = headers.number(HeaderName.ORIGIN_OFFSET);
        boolean isFromThere =
                headers.text(HeaderName.ORIGIN_TOPIC).filter(topic::equals).isPresent();
        if (!isFromThere || partition.isEmpty() || offset.isEmpty()) {
            return Optional.empty();
        }
        return raw.at(Math.toIntExact(partition.getAsLong()), offset.getAsLong())
                .filter(record -> isOf(letter, record))
                .flatMap(RawCopies::content);
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

    @Override
    public void close() {
        raw.close();
    }
}
