package io.tailrace.router.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.deliver.Outgoing;
import org.junit.jupiter.api.Test;

class DeadLettersTest {

    @Test
    void theTrailIsWholeAndTheValueIsNeverNull() {
        RawRecord record = new RawRecord(
                "shop.raw.events", 3, 42, Bytes.utf8("k"), null, headers().build());
        Outgoing letter = compose(record, ErrorTrail.of(new IllegalStateException("broken")));
        assertThat(letter.key()).isEqualTo(Bytes.utf8("row"));
        assertThat(letter.value()).isEqualTo(Bytes.of(new byte[0]));
        Headers headers = letter.headers();
        assertThat(headers.text(HeaderName.PAYLOAD)).contains("null");
        assertThat(headers.kind()).contains(Kind.DEAD);
        assertThat(headers.reason()).contains(Reason.TIMER_ERROR);
        assertThat(headers.text(HeaderName.ERROR_CLASS)).contains("java.lang.IllegalStateException");
        assertThat(headers.text(HeaderName.ERROR_MESSAGE)).contains("broken");
        assertThat(headers.text(HeaderName.ERROR_STACK)).get().asString().contains("DeadLettersTest");
        assertThat(headers.text(HeaderName.STAGE)).contains("timer");
        assertThat(headers.text(HeaderName.FAILED_AT)).contains("1000");
        assertThat(headers.text(HeaderName.FIRST_FAILED_AT)).contains("1000");
        assertThat(headers.text(HeaderName.ORIGIN_TOPIC)).contains("shop.raw.events");
        assertThat(headers.text(HeaderName.ORIGIN_PARTITION)).contains("3");
        assertThat(headers.text(HeaderName.ORIGIN_OFFSET)).contains("42");
        assertThat(headers.place(HeaderName.SEQ)).contains(new Place(1, 42));
        assertThat(headers.text(HeaderName.CE_TYPE)).contains("sales.order");
    }

    @Test
    void headersAreReplacedAndStayWithinTheirBoundOverManyDeaths() {
        String huge = "ü".repeat(50_000);
        Headers.Builder wild = headers();
        for (HeaderName name : HeaderName.values()) {
            if (name.isDelivery() && name != HeaderName.SEQ) {
                wild.put(name, "x".repeat(300));
            }
        }
        RawRecord record = new RawRecord("t", 0, 1, Bytes.utf8("k"), Bytes.utf8("payload"), wild.build());
        Outgoing letter = compose(record, new ErrorTrail("c", huge, huge));
        for (int death = 0; death < 20; death++) {
            record = new RawRecord("t", 0, 1, Bytes.utf8("k"), Bytes.utf8("payload"), letter.headers());
            letter = compose(record, new ErrorTrail("c", huge, huge));
        }
        assertThat(letter.headers().deliveryBytes()).isLessThanOrEqualTo(HeaderName.MAX_DELIVERY_BYTES);
        long distinct = letter.headers().entries().stream()
                .map(Headers.Entry::key)
                .distinct()
                .count();
        assertThat(letter.headers().entries()).hasSize((int) distinct);
        assertThat(letter.value()).isEqualTo(Bytes.utf8("payload"));
    }

    private static Headers.Builder headers() {
        return Headers.builder()
                .put(HeaderName.CE_ID, "row")
                .put(HeaderName.CE_TYPE, "sales.order")
                .put(HeaderName.SEQ, "1");
    }

    private static Outgoing compose(RawRecord record, ErrorTrail error) {
        Verdict verdict = new Verdict(Reason.TIMER_ERROR, 2, error, "timer", new Place(1, 42));
        return DeadLetters.compose(record, "row", verdict, "shop.events.dlq", 1_000);
    }
}
