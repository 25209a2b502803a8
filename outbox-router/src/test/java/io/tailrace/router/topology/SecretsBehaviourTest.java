package io.tailrace.router.topology;

import static io.tailrace.contract.header.HeaderName.BEHIND;
import static io.tailrace.contract.header.HeaderName.CE_TYPE;
import static io.tailrace.contract.header.HeaderName.CONTENT_TYPE;
import static io.tailrace.contract.header.HeaderName.DESTINATION;
import static io.tailrace.contract.header.HeaderName.ERROR_MESSAGE;
import static io.tailrace.contract.header.HeaderName.ERROR_STACK;
import static io.tailrace.contract.header.HeaderName.KIND;
import static io.tailrace.contract.header.HeaderName.ORIGIN_OFFSET;
import static io.tailrace.contract.header.HeaderName.PAYLOAD;
import static io.tailrace.contract.header.HeaderName.PLACE;
import static io.tailrace.contract.header.HeaderName.REASON;
import static io.tailrace.contract.header.HeaderName.SEQ;
import static io.tailrace.contract.header.HeaderName.TURN;
import static io.tailrace.contract.header.HeaderName.WAIT;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.config.RedactConfig;
import io.tailrace.contract.config.RedactConfig.Scrub;
import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.config.RoutesConfig.Default;
import io.tailrace.contract.config.RoutesConfig.Rule;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What the audit feed and the dead letters are told of events with and without secrets. */
class SecretsBehaviourTest {

    private static final String SECRET = "4711-0042";
    private static final String PAYLOAD_OF_A = "{ \"card\" : \"%s\", \"total\": 1e2,\"total\":3 }".formatted(SECRET);

    private static final String FEED = "shop.audit-feed";
    private static final String DESTINATION_TOPIC = "shop.events.sales";
    private static final String DLQ = "shop.events.dlq";
    private static final String RETRY = "shop.events.retry";

    private static final RedactConfig CARDS = new RedactConfig(
            Map.of("sales.*", List.of("card", "headers.api-key")),
            Map.of("ship-order", List.of("card", "headers.*")),
            Scrub.ON_DONE);

    private static final RoutesConfig ROUTES =
            new RoutesConfig(Default.CONTEXT, List.of(new Rule("stock.noisy", "noise", false)));

    @Test
    void aDeliveredEventIsCopiedWithoutItsSecretsAndEveryOtherByteIsThere() {
        try (Rig rig = new Rig(ROUTES, CARDS)) {
            event(rig, "a", "sales.order-placed", PAYLOAD_OF_A);

            assertThat(rig.read(DESTINATION_TOPIC))
                    .singleElement()
                    .satisfies(out -> assertThat(out.value()).isEqualTo(PAYLOAD_OF_A));
            Rig.Out copy = only(rig, FEED);
            assertThat(copy.value()).isEqualTo("{ \"card\" : null, \"total\": 1e2,\"total\":3 }");
            assertThat(copy.key()).isEqualTo("k");
            assertThat(copy.text(DESTINATION)).isEqualTo(DESTINATION_TOPIC);
            assertThat(copy.text(PAYLOAD)).isEqualTo("inline");
            assertThat(copy.headers().text("region")).contains("eu");
            assertThat(all(copy)).doesNotContain(SECRET).contains("api-key");
        }
    }

    /** Its handler may still need the row. */
    @Test
    void theRowOfAnEventThatASubscriptionTakesIsNotSaidToBeDone() {
        try (Rig rig = new Rig(ROUTES, CARDS)) {
            event(rig, "a", "sales.subscribed", PAYLOAD_OF_A);
            event(rig, "b", "sales.order-placed", PAYLOAD_OF_A);

            assertThat(rig.ids(DESTINATION_TOPIC)).containsExactly("a", "b");
            assertThat(rig.ids(RETRY)).containsExactly("b");
        }
    }

    @Test
    void whatHasNoSecretsIsCopiedByteForByteAndARuleMayLeaveItOut() {
        try (Rig rig = new Rig(ROUTES, CARDS)) {
            event(rig, "a", "stock.counted", "not even JSON " + SECRET);
            event(rig, "b", "stock.noisy", "{}");

            assertThat(only(rig, FEED).value()).isEqualTo("not even JSON " + SECRET);
            assertThat(rig.ids("noise")).containsExactly("b");
            assertThat(rig.ids(RETRY)).as("nobody has anything to scrub").isEmpty();
        }
        try (Rig rig = new Rig(new RoutesConfig(Default.CONTEXT, false, List.of()), CARDS)) {
            event(rig, "a", "stock.counted", "{}");
            assertThat(rig.ids("shop.events.stock")).containsExactly("a");
            assertThat(rig.ids(FEED)).isEmpty();
        }
    }

    @Test
    void aPayloadThatPathsCannotBeAppliedToIsLeftOut() {
        try (Rig rig = new Rig(ROUTES, CARDS)) {
            event(rig, "a", "sales.order-placed", "{\"card\":\"" + SECRET);

            assertThat(rig.ids(DESTINATION_TOPIC)).containsExactly("a");
            Rig.Out copy = only(rig, FEED);
            assertThat(copy.value()).isNull();
            assertThat(copy.text(PAYLOAD)).isEqualTo("omitted");
            assertThat(copy.text(DESTINATION)).isEqualTo(DESTINATION_TOPIC);
            assertThat(all(copy)).doesNotContain(SECRET);
        }
    }

    @Test
    void aDeadLetterOfAnEventWithSecretsHoldsTheWayToItsRowInsteadOfThePayload() {
        try (Rig rig = new Rig(ROUTES, CARDS)) {
            Headers wrongVersion = headers("a", "sales.order-placed", Kind.EVENT).toBuilder()
                    .put(HeaderName.CE_EVENTVERSION, "0")
                    .build();
            rig.pipe("shop.raw.events", wrongVersion, "k", PAYLOAD_OF_A);
            // Nobody knows whose this is: it may be one of those with secrets.
            event(rig, "b", "sales order", PAYLOAD_OF_A);
            event(rig, "c", "stock.counted.v2", PAYLOAD_OF_A);

            List<Rig.Out> letters = rig.read(DLQ);
            assertThat(letters).hasSize(2).allSatisfy(letter -> {
                assertThat(letter.value()).isEmpty();
                assertThat(letter.text(PAYLOAD)).isEqualTo("omitted");
                assertThat(all(letter)).doesNotContain(SECRET).contains("api-key");
            });
            assertThat(letters.get(0).text(REASON)).isEqualTo("version-mismatch");
            assertThat(letters.get(1).text(ORIGIN_OFFSET)).isEqualTo("1");
            assertThat(rig.ids(FEED)).as("only what is delivered").containsExactly("c");
        }
    }

    @Test
    void theAnswerOfAnExecutorIsParkedWithoutItsSecretsAlsoThoseItQuotes() {
        try (Rig rig = new Rig(ROUTES, CARDS)) {
            Headers answer = headers("cmd", "ship-order", Kind.DEAD).toBuilder()
                    .put(HeaderName.SEQ, "1:0")
                    .put(HeaderName.TURN, 1)
                    .put(HeaderName.PLACE, "1:5")
                    .put(REASON, "rejected")
                    .put(ERROR_MESSAGE, "no such card: " + SECRET)
                    .put(ERROR_STACK, "E: no such card: " + SECRET + "\n  at x")
                    .build();
            rig.pipe("shop.commands.retry", answer, "k", PAYLOAD_OF_A);

            Rig.Out letter = only(rig, "shop.commands.dlq");
            assertThat(letter.text(ERROR_MESSAGE)).isEqualTo("no such card: [redacted]");
            assertThat(letter.value()).isEmpty();
            assertThat(all(letter)).doesNotContain(SECRET);
        }
    }

    /** The one that met it may have no secrets, and another name. */
    @Test
    void aRowThatAnotherOneMetIsAskedForWithNothingOfThatOne() {
        try (Rig rig = new Rig(ROUTES, CARDS)) {
            answer(rig, Kind.FAILED, 1, Map.of(WAIT, "1000"));
            for (int turn = 2; turn <= 3; turn++) {
                rig.pass(Duration.ofSeconds(30));
                assertThat(rig.ids("shop.commands.redelivery")).containsExactly("b");
                answer(rig, Kind.BEHIND, turn, Map.of(BEHIND, "a"));
            }
            Rig.Out asked = only(rig, "shop.commands.redelivery");
            assertThat(asked.id()).isEqualTo("a");
            assertThat(asked.key()).isEqualTo("k");
            assertThat(asked.text(TURN)).as("its table is ahead").isEqualTo("0");
            assertThat(asked.headers().entries())
                    .extracting(Headers.Entry::key)
                    .doesNotContain("api-key", "region", "ce_time", "content-type", "tailrace-xid");
            assertThat(asked.text(CE_TYPE)).isEmpty();
            assertThat(asked.text(SEQ)).isEqualTo("1:0");

            // Until its executor has told the name it may be any; then it has its own secrets.
            for (String name : List.of("", "ship-order")) {
                Headers dead = asked.headers().toBuilder()
                        .put(KIND, Kind.DEAD.text())
                        .put(CE_TYPE, name)
                        .put(TURN, name.isEmpty() ? 4 : 5)
                        .put(PLACE, "1:5")
                        .put(REASON, "rejected")
                        .put(PAYLOAD, "inline")
                        .put(CONTENT_TYPE, "application/json")
                        .build();
                rig.pipe("shop.commands.retry", dead, "k", PAYLOAD_OF_A);
                Rig.Out letter = only(rig, "shop.commands.dlq");
                assertThat(letter.key()).isEqualTo("a");
                assertThat(letter.text(CE_TYPE)).isEqualTo(name);
                assertThat(letter.text(PAYLOAD)).isEqualTo("omitted");
                assertThat(all(letter)).doesNotContain(SECRET);
            }
        }
    }

    private static void answer(Rig rig, Kind kind, int turn, Map<HeaderName, String> more) {
        Headers.Builder headers = headers("b", "send-mail", kind).toBuilder()
                .put(SEQ, "1:9")
                .put(TURN, turn)
                .put(PLACE, "1:11");
        more.forEach(headers::put);
        rig.pipe("shop.commands.retry", headers.build(), "k", "{}");
    }

    @Test
    void aDeliveredEventWithSecretsIsNotedForTheScrubAndTheNoteIsNoReplay() {
        try (Rig rig = new Rig(ROUTES, CARDS)) {
            event(rig, "a", "sales.order-placed", PAYLOAD_OF_A);

            Rig.Out note = only(rig, RETRY);
            assertThat(note.text(KIND)).isEqualTo("done");
            assertThat(note.id()).isEqualTo("a");
            assertThat(all(note)).doesNotContain(SECRET);
            rig.pipe(RETRY, note.headers(), "k", null);
            assertThat(rig.ids(DESTINATION_TOPIC)).containsExactly("a");
            assertThat(rig.ids(DLQ)).isEmpty();
        }
        try (Rig rig = new Rig(ROUTES, new RedactConfig(CARDS.events(), CARDS.commands(), Scrub.NEVER))) {
            event(rig, "a", "sales.order-placed", PAYLOAD_OF_A);
            assertThat(rig.ids(RETRY)).isEmpty();
        }
    }

    /** It would be found only when it is due, which may be never. */
    @Test
    void aCommandThatIsCancelledAheadOfItsTimeIsNotedForTheScrub() {
        try (Rig rig = new Rig(ROUTES, CARDS)) {
            rig.control("cancel", "a", "k", 0, null, null);
            rig.control("cancel", "on its lane", "other", 1, "1:10", null);

            Rig.Out note = only(rig, "shop.commands.retry");
            assertThat(note.text(KIND)).isEqualTo("done");
            assertThat(note.id()).isEqualTo("a");
            assertThat(note.text(HeaderName.TURN))
                    .as("so that it is looked for among commands")
                    .isEqualTo("0");
            assertThat(note.text(HeaderName.XID))
                    .as("it may not be visible yet")
                    .isEqualTo("77");
            rig.pipe("shop.commands.retry", note.headers(), "k", null);
            assertThat(rig.ids("shop.commands.dlq")).isEmpty();
        }
        try (Rig rig = new Rig(ROUTES, RedactConfig.NONE)) {
            rig.control("cancel", "a", "k", 0, null, null);
            assertThat(rig.ids("shop.commands.retry")).isEmpty();
        }
    }

    private static void event(Rig rig, String id, String name, String payload) {
        rig.pipe("shop.raw.events", headers(id, name, Kind.EVENT), "k", payload);
    }

    private static Headers headers(String id, String name, Kind kind) {
        return Rig.raw(id, name, "k", kind).toBuilder()
                .add("api-key", Bytes.utf8(SECRET))
                .add("region", Bytes.utf8("eu"))
                .build();
    }

    private static Rig.Out only(Rig rig, String topic) {
        List<Rig.Out> out = rig.read(topic);
        assertThat(out).hasSize(1);
        return out.get(0);
    }

    /** All that a reader of the record sees. */
    private static String all(Rig.Out out) {
        return out.headers().entries().stream()
                .map(entry -> entry.key() + "="
                        + (entry.value() == null ? "" : entry.value().utf8()))
                .collect(Collectors.joining("\n", out.key() + "\n" + out.value() + "\n", ""));
    }
}
