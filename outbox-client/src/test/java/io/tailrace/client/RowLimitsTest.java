package io.tailrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What would be refused later is refused at the door, by field and limit. */
class RowLimitsTest {

    private static final Event EVENT = Event.of("sales.order-placed");

    static Stream<Arguments> refused() {
        return Stream.of(
                refused("event_name 'placed' cannot be used", () -> Event.of("placed")),
                refused("event_name '' cannot be used", () -> Event.of("")),
                refused("'dlq' is reserved", () -> Event.of("dlq.cleared")),
                refused("at most 200 are allowed", () -> Event.of("a." + "b".repeat(300))),
                refused("segment '$1'", () -> Command.of("mail.$1")),
                refused(
                        "event_version 2 contradicts",
                        () -> Event.of("sales.order.v1").version(2)),
                refused("event_version 0", () -> EVENT.version(0)),
                refused("ordering_key has 513 characters, at most 512", () -> EVENT.key("😀".repeat(513))),
                refused("ordering_key holds a NUL", () -> EVENT.key("a\0b")),
                refused("payload holds a NUL or half of a surrogate pair", () -> EVENT.json("\"\ud800\"")),
                refused("payload is not UTF-8", () -> EVENT.json(new byte[] {'"', (byte) 0xff, '"'})),
                refused(
                        "content_type has 256 characters, at most 255",
                        () -> EVENT.binary(new byte[0], "x".repeat(256))),
                refused("header 'ce_id'", () -> EVENT.header("ce_id", "1")),
                refused("header 'Tailrace-Turn'", () -> EVENT.header("Tailrace-Turn", "1")),
                refused("header 'Content-Type'", () -> EVENT.header("Content-Type", "1")),
                refused("header ''", () -> EVENT.headers(Map.of("", "1"))),
                refused("have 16386 bytes, at most 16384", () -> EVENT.header("ä", "x".repeat(16384))),
                refused(
                        "dedup_key has 513 characters",
                        () -> Command.of("a").dedup("x".repeat(513), OnDuplicate.IGNORE)),
                refused("max_attempts is 0, at least 1", () -> Command.of("a").maxAttempts(0)),
                refused("a delay of PT-1S", () -> RunAt.after(java.time.Duration.ofSeconds(-1))),
                refused("run_at +300000", () -> RunAt.at(java.time.Instant.parse("+300000-01-01T00:00:00Z"))));
    }

    private static Arguments refused(String message, Supplier<?> call) {
        return Arguments.of(message, call);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void isRefusedByName(String message, Supplier<?> call) {
        assertThatThrownBy(call::get)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void theLimitItselfIsAllowed() {
        Event event = EVENT.key("😀".repeat(512)).header("x", "y".repeat(16383)).version(7);
        assertThat(event.content().key()).hasSize(1024);
        assertThat(Event.of("sales.order.v2").version(2).name().suffixVersion()).hasValue(2);
    }

    @Test
    void aRowIsAValueThatNobodyChanges() {
        byte[] bytes = "\"a\"".getBytes(StandardCharsets.UTF_8);
        Event one = EVENT.key("k").json(bytes).header("h", "1");
        bytes[1] = 'b';
        Event binary = EVENT.binary(bytes, "x/y");
        bytes[1] = 'c';

        assertThat(one).isEqualTo(EVENT.key("k").json("\"a\"").header("h", "1"));
        assertThat(one).isNotEqualTo(EVENT.key("k").json("\"a\""));
        assertThat(binary).isEqualTo(EVENT.binary(new byte[] {'"', 'b', '"'}, "x/y"));
        assertThat(EVENT.content()).isEqualTo(Content.EMPTY);
        assertThat(one.toString()).doesNotContain("\"a\"").contains("sales.order-placed", "k");
    }
}
