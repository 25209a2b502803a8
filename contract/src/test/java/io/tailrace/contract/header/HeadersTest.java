package io.tailrace.contract.header;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class HeadersTest {

    @Test
    void theNamesOnTheWireAreThese() {
        String names = Arrays.stream(HeaderName.values()).map(HeaderName::key).collect(Collectors.joining(" "));
        assertThat(names)
                .isEqualTo(
                        "ce_specversion ce_id ce_type ce_source ce_time ce_partitionkey ce_tenantid ce_userid ce_userroles"
                                + " ce_correlationid ce_causationid ce_eventversion content-type traceparent tailrace-seq tailrace-place"
                                + " tailrace-turn tailrace-xid tailrace-kind tailrace-control tailrace-subscription tailrace-attempt tailrace-not-before"
                                + " tailrace-wait tailrace-first-failed-at tailrace-failed-at tailrace-reason tailrace-error-class"
                                + " tailrace-error-message tailrace-error-stack tailrace-stage tailrace-destination"
                                + " tailrace-origin-topic tailrace-origin-partition tailrace-origin-offset tailrace-payload"
                                + " tailrace-replay-id tailrace-replay-count tailrace-replay-by tailrace-late tailrace-behind tailrace-halts __streams.errors.exception __streams.errors.message"
                                + " __streams.errors.stacktrace __streams.errors.topic __streams.errors.partition __streams.errors.offset");
    }

    @Test
    void theWordsOnTheWireAreThese() {
        assertThat(Arrays.toString(Kind.values()))
                .isEqualTo(
                        "[event, command, control, waiting, failed, behind, early, done, dead, replay, redelivery, bury]");
        assertThat(Arrays.toString(Reason.values()))
                .isEqualTo(
                        "[malformed, name-invalid, version-mismatch, too-large, no-route, retries-exhausted, handler-missing,"
                                + " rejected, payload-unreadable, lane-overflow, timer-error, row-gone]");
    }

    @Test
    void valuesAreUtf8Text() {
        Headers headers = Headers.builder()
                .put(HeaderName.CE_PARTITIONKEY, "straße-€-🚀")
                .put(HeaderName.TURN, 7)
                .build();
        String golden = headers.entries().stream()
                .map(e -> e.key() + "="
                        + HexFormat.of()
                                .formatHex(Objects.requireNonNull(e.value()).array()))
                .collect(Collectors.joining(" "));
        assertThat(golden).isEqualTo("ce_partitionkey=73747261c39f652de282ac2df09f9a80 tailrace-turn=37");
    }

    @Test
    void aHeaderIsReplacedNeverAppended() {
        Headers headers = Headers.of(java.util.List.of(
                        new Headers.Entry("tailrace-attempt", Bytes.utf8("1")),
                        new Headers.Entry("tailrace-attempt", Bytes.utf8("2")),
                        new Headers.Entry("own", Bytes.utf8("a")),
                        new Headers.Entry("own", Bytes.utf8("b"))))
                .with(HeaderName.ATTEMPT, "3");
        assertThat(headers.entries().stream().map(Headers.Entry::key))
                .containsExactly("own", "own", "tailrace-attempt");
        assertThat(headers.number(HeaderName.ATTEMPT)).hasValue(3);
        assertThat(headers.text("own")).contains("b");
    }

    @Test
    void aDestinationSeesTheRowAndNotItsTravel() {
        Headers.Builder all = Headers.builder();
        for (HeaderName name : HeaderName.values()) {
            all.put(name, "1");
        }
        all.add("own", Bytes.utf8("x")).add("tailrace-unknown", Bytes.utf8("y"));
        assertThat(all.build().forDestination().entries().stream().map(Headers.Entry::key))
                .containsExactly(
                        "ce_specversion",
                        "ce_id",
                        "ce_type",
                        "ce_source",
                        "ce_time",
                        "ce_partitionkey",
                        "ce_tenantid",
                        "ce_userid",
                        "ce_userroles",
                        "ce_correlationid",
                        "ce_causationid",
                        "ce_eventversion",
                        "content-type",
                        "traceparent",
                        "tailrace-seq",
                        "tailrace-replay-id",
                        "tailrace-late",
                        "own");
    }

    @Test
    void reservedKeysAreReservedInAnyCase() {
        assertThat(java.util.List.of(
                        "CE_ID", "ce_anything", "Tailrace-Turn", "__connect", "Content-Type", "traceParent"))
                .allMatch(HeaderName::isReserved);
        assertThat(java.util.List.of("x-id", "ce-id", "tailrace")).noneMatch(HeaderName::isReserved);
    }

    @Property
    void decodingNeverThrows(@ForAll byte[] value, @ForAll String key) {
        for (HeaderName name : HeaderName.values()) {
            Headers headers = Headers.builder()
                    .add(name.key(), Bytes.of(value))
                    .add(key, null)
                    .build();
            headers.text(name);
            headers.number(name);
            headers.smallNumber(name);
            headers.place(name);
            headers.kind();
            headers.reason();
            headers.origin();
            headers.text(key);
            assertThat(headers.sizeInBytes()).isGreaterThanOrEqualTo(value.length);
        }
    }

    @Test
    void aPlaceReadsOnlyWhatAPlaceWrites() {
        assertThat(Place.parse("1:4711")).contains(new Place(1, 4711));
        for (String nonsense : new String[] {
            "",
            ":",
            "1:",
            ":1",
            "1",
            "1:2:3",
            "a:b",
            "-1:5",
            "1:-5",
            "40000:1",
            "1:281474976710656",
            "1:9999999999999999999"
        }) {
            assertThat(Place.parse(nonsense)).as(nonsense).isEmpty();
        }
    }
}
