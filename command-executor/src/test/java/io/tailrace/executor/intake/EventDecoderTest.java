package io.tailrace.executor.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.SubscriptionConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.executor.claim.EventContent;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EventDecoderTest {

    private static final Topics TOPICS = new Topics(new Namespace("shop"));

    private static final String ROUTED = "shop.events.sales";

    private static final String REDELIVERY = TOPICS.redelivery("billing");

    private final EventDecoder decoder = new EventDecoder(
            new SubscriptionConfig("billing", List.of("sales.order.*", "sales.refund.v2")), TOPICS, "shop/db", 12);

    @Test
    void theSeqOfAnEventIsItsPlaceAndItsHeadersAreItsRow() {
        UUID id = UUID.randomUUID();
        DueRecord direct =
                decode(ROUTED, headers(id, "sales.order.placed").build(), "{}").orElseThrow();
        assertThat(direct.row().place()).isEqualTo(new Place(3, 17));
        assertThat(direct.row().turn()).isZero();
        assertThat(direct.released()).isFalse();
        assertThat(direct.headers().text(HeaderName.PAYLOAD)).contains("inline");
        assertThat(direct.headers().text(HeaderName.ORIGIN_OFFSET)).contains("17");
        EventContent event = Objects.requireNonNull(direct.row().event());
        assertThat(event.payload()).isEqualTo(Bytes.utf8("{}"));
        assertThat(event.origin().tenantId()).isEqualTo("acme");
        assertThat(event.headersJson()).isEqualTo("{\"channel\":\"web\"}");
        assertThat(event.raw().committedMillis()).isEqualTo(1_767_225_600_000L);
        assertThat(event.omitted()).isFalse();

        Headers released = headers(id, "sales.order.placed")
                .put(HeaderName.KIND, Kind.REPLAY.text())
                .put(HeaderName.TURN, 4)
                .put(HeaderName.PLACE, "3:17")
                .put(HeaderName.PAYLOAD, "omitted")
                .build();
        DueRecord replayed = decode(REDELIVERY, released, null).orElseThrow();
        assertThat(replayed.released()).isTrue();
        assertThat(replayed.row().turn()).isEqualTo(4);
        EventContent again = Objects.requireNonNull(replayed.row().event());
        assertThat(again.replay()).isTrue();
        assertThat(again.omitted()).isTrue();
        assertThat(decode(REDELIVERY, released.without(HeaderName.TURN), null)).isEmpty();
        assertThat(decode(ROUTED, released.without(HeaderName.SEQ), null)).isEmpty();
    }

    @Test
    void itWantsItsOwnEventsAndAllThatIsDueAgain() {
        UUID id = UUID.randomUUID();
        assertThat(wants(ROUTED, headers(id, "sales.order.placed").build())).isTrue();
        assertThat(wants(ROUTED, headers(id, "sales.orders").build())).isFalse();
        assertThat(wants(ROUTED, headers(id, "sales.refund").build())).isFalse();
        assertThat(wants(ROUTED, headers(id, "sales.refund.v2").build())).isTrue();
        assertThat(wants(
                        ROUTED,
                        headers(id, "sales.refund")
                                .put(HeaderName.CE_EVENTVERSION, "2")
                                .build()))
                .isTrue();
        assertThat(wants(REDELIVERY, headers(id, "sales.refund").build())).isTrue();
        Headers foreign = headers(id, "sales.order.placed")
                .put(HeaderName.CE_SOURCE, "shop/other")
                .build();
        assertThat(wants(ROUTED, foreign)).isFalse();
        assertThat(wants(REDELIVERY, foreign)).isFalse();
        assertThat(wants(ROUTED, Headers.empty())).isFalse();
    }

    @Property
    void decodingNeverThrows(@ForAll Map<HeaderName, String> headers, @ForAll boolean released) {
        Headers.Builder builder = Headers.builder();
        headers.forEach(builder::put);
        String topic = released ? REDELIVERY : ROUTED;
        wants(topic, builder.build());
        decode(topic, builder.build(), null);
    }

    private static Headers.Builder headers(UUID id, String name) {
        return Headers.builder()
                .put(HeaderName.CE_ID, id.toString())
                .put(HeaderName.CE_TYPE, name)
                .put(HeaderName.CE_SOURCE, "shop/db")
                .put(HeaderName.CE_TIME, "2026-01-01T00:00:00Z")
                .put(HeaderName.CE_TENANTID, "acme")
                .put(HeaderName.CE_PARTITIONKEY, "k")
                .put(HeaderName.SEQ, "3:17")
                .add("channel", Bytes.utf8("web"));
    }

    private boolean wants(String topic, Headers headers) {
        return decoder.wants(record(topic, headers, null));
    }

    private Optional<DueRecord> decode(String topic, Headers headers, @Nullable String value) {
        return decoder.decode(record(topic, headers, value))
                .match(Optional::of, source -> Optional.empty(), problem -> Optional.empty());
    }

    private static ConsumerRecord<byte[], byte[]> record(String topic, Headers headers, @Nullable String value) {
        return new ConsumerRecord<>(
                topic,
                1,
                42,
                0,
                TimestampType.CREATE_TIME,
                0,
                0,
                null,
                value == null ? null : Bytes.utf8(value).array(),
                KafkaHeaders.to(headers),
                Optional.empty());
    }
}
