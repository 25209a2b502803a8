package io.tailrace.executor.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Place;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class DueDecoderTest {

    private static final Topics TOPICS = new Topics(new Namespace("shop"));

    private final DueDecoder decoder = new DueDecoder(TOPICS, "shop/db");

    @Test
    void theOffsetOfADirectRecordIsItsPlaceAndAReleasedOneBringsIt() {
        UUID id = UUID.randomUUID();
        Headers headers = Headers.builder()
                .put(HeaderName.CE_ID, id.toString())
                .put(HeaderName.CE_SOURCE, "shop/db")
                .put(HeaderName.CE_PARTITIONKEY, "")
                .put(HeaderName.SEQ, "3:17")
                .put(HeaderName.PLACE, "2:5")
                .put(HeaderName.TURN, 4)
                .put(HeaderName.XID, 4294967295L)
                .build();
        DueRecord direct = decode(TOPICS.commands(), headers).orElseThrow();
        assertThat(direct.row().place()).isEqualTo(new Place(3, 42));
        assertThat(direct.row().orderingKey()).isEmpty(); // an empty key is a key
        assertThat(direct.row().turn()).isEqualTo(4);
        assertThat(direct.row().xid()).hasValue(4294967295L);
        assertThat(direct.released()).isFalse();
        DueRecord released = decode(TOPICS.redelivery(Topics.COMMANDS), headers).orElseThrow();
        assertThat(released.row().place()).isEqualTo(new Place(2, 5));
        assertThat(released.released()).isTrue();
        assertThat(decode(TOPICS.redelivery(Topics.COMMANDS), headers.without(HeaderName.TURN)))
                .isEmpty();
        assertThat(decode(TOPICS.commands(), headers.without(HeaderName.TURN))
                        .orElseThrow()
                        .row()
                        .turn())
                .isZero();
    }

    @Property
    void decodingNeverThrows(@ForAll Map<HeaderName, String> headers, @ForAll boolean released) {
        Headers.Builder builder = Headers.builder();
        headers.forEach(builder::put);
        decode(released ? TOPICS.redelivery(Topics.COMMANDS) : TOPICS.commands(), builder.build());
    }

    private Optional<DueRecord> decode(String topic, Headers headers) {
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>(
                topic,
                1,
                42,
                0,
                TimestampType.CREATE_TIME,
                0,
                0,
                null,
                null,
                KafkaHeaders.to(headers),
                Optional.empty());
        return decoder.decode(record).match(Optional::of, source -> Optional.empty(), problem -> Optional.empty());
    }
}
