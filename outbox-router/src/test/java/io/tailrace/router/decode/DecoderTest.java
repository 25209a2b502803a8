package io.tailrace.router.decode;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DecoderTest {

    private static final Decoder ANYTHING =
            Decoder.ofReturned(EnumSet.allOf(Kind.class).toArray(Kind[]::new));

    private static final Map<HeaderName, String> FULL = Map.of(
            HeaderName.CONTROL, "wake",
            HeaderName.TURN, "3",
            HeaderName.PLACE, "1:7",
            HeaderName.WAIT, "10",
            HeaderName.NOT_BEFORE, "0");

    /** Whatever stands in whichever header, there is an answer; and the readers of what is decoded do not fail either. */
    @Property(tries = 2_000)
    void decodingNeverThrows(@ForAll long seed) {
        Random random = new Random(seed);
        Headers.Builder headers = Headers.builder();
        for (HeaderName name : HeaderName.values()) {
            if (random.nextInt(4) > 0) {
                headers.add(name.key(), junk(random, name));
            }
        }
        Bytes key = random.nextInt(10) == 0 ? null : Bytes.utf8("k");
        RawRecord record = new RawRecord("t", 0, Math.abs(random.nextLong()), key, null, headers.build());
        Decoding decoding = (random.nextBoolean() ? ANYTHING : Decoder.ofRaw(Kind.EVENT, Kind.COMMAND)).decode(record);
        String read = decoding.match(
                decoded -> "" + decoded.turn() + decoded.place() + decoded.attempts() + decoded.notBefore()
                        + decoded.waitMillis() + decoded.act() + decoded.statedVersion() + decoded.seq(),
                malformed -> malformed.error().message() + malformed.rowId());
        assertThat(read).isNotNull();
    }

    @ParameterizedTest
    @CsvSource({
        "COMMAND, NOT_BEFORE",
        "CONTROL, CONTROL",
        "CONTROL, TURN",
        "FAILED, TURN",
        "FAILED, PLACE",
        "FAILED, WAIT",
        "BEHIND, TURN",
        "BEHIND, PLACE",
        "EARLY, WAIT",
        "DONE, TURN",
        "DEAD, TURN",
    })
    void aKindWithoutWhatItNeedsIsMalformed(Kind kind, HeaderName missing) {
        assertThat(ANYTHING.decode(record(full(kind)))).isInstanceOf(Decoded.class);
        Decoding decoding = ANYTHING.decode(record(full(kind).without(missing)));
        assertThat(decoding).isInstanceOf(Malformed.class);
        assertThat(((Malformed) decoding).error().message()).contains(missing.key());
    }

    @Test
    void inARawTopicTheOffsetCompletesThePlaceAndElsewhereItIsWrittenDown() {
        RawRecord raw = record(full(Kind.EVENT).with(HeaderName.SEQ, "4"));
        assertThat(((Decoded) Decoder.ofRaw(Kind.EVENT).decode(raw)).seq()).isEqualTo(new Place(4, 42));
        RawRecord replay = record(full(Kind.REPLAY).with(HeaderName.SEQ, "4:8"));
        assertThat(((Decoded) ANYTHING.decode(replay)).seq()).isEqualTo(new Place(4, 8));
        assertThat(ANYTHING.decode(record(full(Kind.REPLAY).with(HeaderName.SEQ, "4"))))
                .isInstanceOf(Malformed.class);
    }

    @Test
    void theEnginesWordStandsInARawTopicAndOnlyThere() {
        RawRecord flagged = record(full(Kind.EVENT).with(HeaderName.REASON, "too-large"));
        Malformed malformed = (Malformed) Decoder.ofRaw(Kind.EVENT).decode(flagged);
        assertThat(malformed.reason()).isEqualTo(Reason.TOO_LARGE);
        assertThat(malformed.seq()).isEqualTo(new Place(1, 42));
        assertThat(Decoder.ofReturned(Kind.EVENT).decode(flagged)).isInstanceOf(Decoded.class);
    }

    private static Headers full(Kind kind) {
        Headers.Builder headers = Headers.builder()
                .put(HeaderName.CE_ID, "id")
                .put(HeaderName.CE_TYPE, "a.b")
                .put(HeaderName.CE_SOURCE, "shop/shop")
                .put(HeaderName.KIND, kind.text())
                .put(HeaderName.SEQ, "1:5");
        FULL.forEach(headers::put);
        Headers all = headers.build();
        return kind == Kind.EVENT ? all.with(HeaderName.SEQ, "1") : all;
    }

    private static RawRecord record(Headers headers) {
        return new RawRecord("t", 0, 42, Bytes.utf8("k"), null, headers);
    }

    private static Bytes junk(Random random, HeaderName name) {
        return switch (random.nextInt(5)) {
            case 0 -> Bytes.utf8("");
            case 1 -> Bytes.utf8(Long.toString(random.nextLong()));
            case 2 -> Bytes.utf8(random.nextInt(100) + ":" + random.nextLong());
            case 3 -> {
                byte[] bytes = new byte[random.nextInt(20)];
                random.nextBytes(bytes);
                yield Bytes.of(bytes);
            }
            default ->
                Bytes.utf8(
                        name == HeaderName.KIND ? Kind.values()[random.nextInt(Kind.values().length)].text() : "1:1");
        };
    }
}
