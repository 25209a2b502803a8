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
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
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

    @Test
    void errorsAreBoundedEachOnItsOwn() {
        RawRecord record = new RawRecord(
                "t", 0, 1, Bytes.utf8("k"), Bytes.utf8("p"), headers().build());
        Headers headers = compose(record, new ErrorTrail("c", "m".repeat(5_000), "s".repeat(50_000)))
                .headers();
        assertThat(headers.text(HeaderName.ERROR_MESSAGE)).get().asString().hasSize(1024);
        assertThat(headers.text(HeaderName.ERROR_STACK)).get().asString().hasSize(8 * 1024);
    }

    @Test
    void theStackOfAnEarlierDeathIsNotTakenForThisOne() {
        RawRecord record = new RawRecord(
                "t",
                0,
                1,
                Bytes.utf8("k"),
                Bytes.utf8("p"),
                headers().put(HeaderName.ERROR_STACK, "of long ago").build());
        assertThat(compose(record, ErrorTrail.of("NoRoute", "none")).headers().text(HeaderName.ERROR_STACK))
                .isEmpty();
    }

    @Test
    void theTrailStandsUnderTheNamesOfKafkaStreamsTooIfThatIsSwitchedOn() {
        RawRecord record = new RawRecord(
                "shop.raw.events",
                3,
                42,
                Bytes.utf8("k"),
                Bytes.utf8("p"),
                headers().build());
        ErrorTrail error = new ErrorTrail("c", "m".repeat(5_000), "s".repeat(50_000));
        assertThat(compose(record, error).headers().entries())
                .noneMatch(entry -> entry.key().startsWith("__streams"));

        Headers headers = compose(record, error, new LetterForm(1 << 20, true)).headers();
        assertThat(headers.text("__streams.errors.exception")).contains("c");
        assertThat(headers.text("__streams.errors.message")).get().asString().hasSize(1024);
        assertThat(headers.text("__streams.errors.stacktrace")).get().asString().startsWith("sss");
        assertThat(headers.text("__streams.errors.topic")).contains("shop.raw.events");
        assertThat(headers.text("__streams.errors.partition")).contains("3");
        assertThat(headers.text("__streams.errors.offset")).contains("42");
        assertThat(headers.text(HeaderName.ERROR_STACK)).get().asString().hasSize(8 * 1024);
        assertThat(headers.deliveryBytes()).isLessThanOrEqualTo(HeaderName.MAX_DELIVERY_BYTES);
        assertThat(headers.forDestination().entries())
                .noneMatch(entry -> entry.key().startsWith("__streams"));
    }

    @Test
    void whatDoesNotFitIsAClaimCheckAndAlwaysFits() {
        LetterForm form = new LetterForm(80 << 10, true);
        ErrorTrail error = new ErrorTrail("c".repeat(3_000), "m".repeat(5_000), "s".repeat(50_000));
        byte[] bytes = new byte[100 << 10];
        new Random(7).nextBytes(bytes);
        for (int size : List.of(0, 1, 60 << 10, 62 << 10, 80 << 10, 100 << 10)) {
            Bytes payload = Bytes.of(Arrays.copyOf(bytes, size));
            RawRecord record =
                    new RawRecord("t", 0, 1, Bytes.utf8("k"), payload, headers().build());
            Outgoing letter = compose(record, error, form);
            assertThat(letter.sizeOnWire()).isLessThanOrEqualTo(form.maxBytes());
            boolean isWhole = letter.headers().text(HeaderName.PAYLOAD).equals(Optional.of("inline"));
            assertThat(isWhole).as("%d bytes", size).isEqualTo(size <= 62 << 10);
            assertThat(letter.value()).isEqualTo(isWhole ? payload : Bytes.of(new byte[0]));
            assertThat(letter.headers().text(HeaderName.ORIGIN_OFFSET)).contains("1");
        }
    }

    @Test
    void howeverLargeItsHeadersAndItsIdItFits() {
        LetterForm form = new LetterForm(80 << 10, true);
        String huge = "ü".repeat(100_000);
        Headers.Builder wild = Headers.builder();
        for (HeaderName name : HeaderName.values()) {
            wild.put(name, huge);
        }
        wild.add("own", Bytes.utf8(huge)).add("tailrace-of-a-newer-release", Bytes.utf8(huge));
        RawRecord record = new RawRecord("t", 3, 1, Bytes.utf8(huge), Bytes.utf8(huge), wild.build());
        Verdict verdict = new Verdict(Reason.MALFORMED, 1, ErrorTrail.of("c", huge), "decode", null);
        Outgoing letter = new DeadLetters("shop.events.dlq", form).compose(record, huge, verdict, 1_000);
        assertThat(letter.sizeOnWire()).isLessThanOrEqualTo(form.maxBytes());
        assertThat(letter.headers().deliveryBytes()).isLessThanOrEqualTo(HeaderName.MAX_DELIVERY_BYTES);
        assertThat(letter.key()).isEqualTo(Bytes.utf8("t-3@1"));
        assertThat(letter.headers().reason()).contains(Reason.MALFORMED);
        assertThat(letter.headers().text(HeaderName.PAYLOAD)).contains("omitted");
        assertThat(letter.headers().text(HeaderName.CONTENT_TYPE)).as("bare").isEmpty();
    }

    private static Headers.Builder headers() {
        return Headers.builder()
                .put(HeaderName.CE_ID, "row")
                .put(HeaderName.CE_TYPE, "sales.order")
                .put(HeaderName.SEQ, "1");
    }

    private static Outgoing compose(RawRecord record, ErrorTrail error) {
        return compose(record, error, new LetterForm(1 << 20, false));
    }

    private static Outgoing compose(RawRecord record, ErrorTrail error, LetterForm form) {
        Verdict verdict = new Verdict(Reason.TIMER_ERROR, 2, error, "timer", new Place(1, 42));
        return new DeadLetters("shop.events.dlq", form).compose(record, "row", verdict, 1_000);
    }
}
