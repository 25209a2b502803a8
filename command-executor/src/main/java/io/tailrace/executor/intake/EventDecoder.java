package io.tailrace.executor.intake;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.SubscriptionConfig;
import io.tailrace.contract.header.CommitTime;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.RowName;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.executor.claim.ClaimRequest;
import io.tailrace.executor.claim.EventContent;
import io.tailrace.executor.claim.EventContent.Raw;
import io.tailrace.executor.claim.EventHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Reads the events of a subscription of one source: from the routed topics, where others may be, too, and from its redelivery topic. The
 * place of an event is its {@code seq}, wherever it was read.
 */
final class EventDecoder implements RecordReader {

    private static final String JSON_TYPE = "application/json";

    private static final String OMITTED = "omitted";

    private final SubscriptionConfig subscription;
    private final String redelivery;
    private final String ownSource;
    private final String rawTopic;
    private final int rawPartitions;

    /**
     * @param topics of the namespace
     * @param ownSource whose events are handled here
     * @param rawPartitions of the raw topic
     */
    EventDecoder(SubscriptionConfig subscription, Topics topics, String ownSource, int rawPartitions) {
        this.subscription = subscription;
        this.redelivery = topics.redelivery(subscription.name());
        this.ownSource = ownSource;
        this.rawPartitions = rawPartitions;
        this.rawTopic = topics.rawEvents();
    }

    @Override
    public boolean wants(ConsumerRecord<byte[], byte[]> record) {
        if (!ownSource.equals(text(record, HeaderName.CE_SOURCE))) {
            return false;
        }
        if (record.topic().equals(redelivery)) {
            return true;
        }
        String name = text(record, HeaderName.CE_TYPE);
        return name != null
                && RowName.event(name)
                        .name()
                        .filter(event -> subscription.takes(event, version(event, statedVersion(record))))
                        .isPresent();
    }

    @Override
    public DueDecoder.Decoded decode(ConsumerRecord<byte[], byte[]> read) {
        Headers headers = KafkaHeaders.from(read.headers());
        boolean released = read.topic().equals(redelivery);
        UUID id = DueDecoder.uuid(headers.text(HeaderName.CE_ID).orElse(""));
        Optional<Place> seq = headers.place(HeaderName.SEQ);
        Optional<Place> place = released ? headers.place(HeaderName.PLACE) : seq;
        OptionalInt turn = headers.smallNumber(HeaderName.TURN);
        if (id == null || place.isEmpty() || seq.isEmpty()) {
            return DueDecoder.unreadable("it needs ce_id (a UUID), tailrace-seq"
                    + (released ? " and tailrace-place" : ", which the router leaves on what it delivers"));
        }
        if (released && turn.isEmpty()) {
            return DueDecoder.unreadable("a released row needs tailrace-turn");
        }
        String key = headers.text(HeaderName.CE_PARTITIONKEY).orElse(null);
        Raw raw = new Raw(
                partitionOf(key == null ? id.toString() : key),
                seq.get().offset(),
                CommitTime.of(headers).orElse(read.timestamp()));
        ClaimRequest row = new ClaimRequest(
                id,
                ownSource,
                key,
                place.get(),
                released ? turn.orElse(0) : 0,
                OptionalLong.empty(),
                headers.kind().filter(Kind.BURY::equals).isPresent(),
                content(withPayloadSaid(headers, read.value() != null), read.value(), raw));
        return DueDecoder.due(new DueRecord(
                new TopicPartition(read.topic(), read.partition()),
                read.offset(),
                Bytes.utf8(key == null ? id.toString() : key),
                read.value() == null ? null : Bytes.of(read.value()),
                withOrigin(withPayloadSaid(headers, read.value() != null), raw),
                released,
                row));
    }

    /** A routed record says nothing of its payload: there it is always whole. */
    private static Headers withPayloadSaid(Headers headers, boolean hasValue) {
        return headers.text(HeaderName.PAYLOAD).isPresent()
                ? headers
                : headers.with(HeaderName.PAYLOAD, hasValue ? "inline" : "null");
    }

    /** Its dead letter tells where it was captured: not every destination keeps it as long. */
    private Headers withOrigin(Headers headers, Raw raw) {
        return headers.text(HeaderName.ORIGIN_TOPIC).isPresent()
                ? headers
                : headers.toBuilder()
                        .put(HeaderName.ORIGIN_TOPIC, rawTopic)
                        .put(HeaderName.ORIGIN_PARTITION, raw.partition())
                        .put(HeaderName.ORIGIN_OFFSET, raw.offset())
                        .build();
    }

    private static EventContent content(Headers headers, byte @Nullable [] value, Raw raw) {
        String name = headers.text(HeaderName.CE_TYPE).orElse("");
        int version = RowName.event(name)
                .name()
                .map(event -> version(event, headers.smallNumber(HeaderName.CE_EVENTVERSION)))
                .orElse(1);
        return new EventContent(
                name,
                version,
                value == null ? null : Bytes.of(value),
                isCut(headers),
                headers.text(HeaderName.CONTENT_TYPE).orElse(JSON_TYPE),
                EventHeaders.json(headers),
                headers.origin(),
                raw,
                isReplay(headers));
    }

    private static boolean isReplay(Headers headers) {
        return headers.kind().filter(Kind.REPLAY::equals).isPresent();
    }

    /** A dead letter shows no secrets, and its replay no more than that. */
    private static boolean isCut(Headers headers) {
        return headers.text(HeaderName.PAYLOAD).filter(OMITTED::equals).isPresent()
                || (isReplay(headers) && headers.entries().stream().anyMatch(entry -> entry.value() == null));
    }

    private static int version(RowName event, OptionalInt stated) {
        return event.version(stated).orElse(1);
    }

    private static OptionalInt statedVersion(ConsumerRecord<byte[], byte[]> record) {
        String stated = text(record, HeaderName.CE_EVENTVERSION);
        try {
            return stated == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(stated));
        } catch (NumberFormatException notANumber) {
            return OptionalInt.empty();
        }
    }

    /** Of the raw topic, by the partitioner of all who write such topics. */
    private int partitionOf(String key) {
        return Utils.toPositive(Utils.murmur2(Bytes.utf8(key).array())) % rawPartitions;
    }

    private static @Nullable String text(ConsumerRecord<byte[], byte[]> record, HeaderName name) {
        Header header = record.headers().lastHeader(name.key());
        return header == null || header.value() == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }
}
