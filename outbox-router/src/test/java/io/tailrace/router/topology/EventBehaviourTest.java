package io.tailrace.router.topology;

import static io.tailrace.contract.config.RoutesConfig.Default.CONTEXT;
import static io.tailrace.contract.config.RoutesConfig.Default.NONE;
import static io.tailrace.contract.header.HeaderName.ATTEMPT;
import static io.tailrace.contract.header.HeaderName.CE_SOURCE;
import static io.tailrace.contract.header.HeaderName.ERROR_CLASS;
import static io.tailrace.contract.header.HeaderName.KIND;
import static io.tailrace.contract.header.HeaderName.ORIGIN_TOPIC;
import static io.tailrace.contract.header.HeaderName.PAYLOAD;
import static io.tailrace.contract.header.HeaderName.REASON;
import static io.tailrace.contract.header.HeaderName.REPLAY_ID;
import static io.tailrace.contract.header.HeaderName.SEQ;
import static io.tailrace.contract.header.HeaderName.STAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Kind;
import io.tailrace.router.decide.Destination;
import io.tailrace.router.lane.LaneLimits;
import io.tailrace.router.lane.UnusableState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of events, told by what the topics receive. */
class EventBehaviourTest {

    private static final RoutesConfig.Rule SALES = new RoutesConfig.Rule("sales.*", "shop.events.sales");

    private static final String DESTINATION = "shop.events.sales";
    private static final String DLQ = "shop.events.dlq";

    @Test
    void anEventReachesItsDestinationUntouchedWithItsPlace() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.event("a", "sales.order-placed", "k");

            List<Rig.Out> out = rig.read(DESTINATION);
            assertThat(out).hasSize(1);
            assertThat(out.get(0).key()).isEqualTo("k");
            assertThat(out.get(0).value()).isEqualTo("payload of a");
            assertThat(out.get(0).text(SEQ)).isEqualTo("1:0");
            assertThat(out.get(0).headers().entries())
                    .extracting(Headers.Entry::key)
                    .filteredOn(key -> key.startsWith("tailrace-"))
                    .containsExactly("tailrace-seq");
        }
    }

    @Test
    void anEventWithoutRouteIsTriedOnceMoreWhileItsKeyWaitsAndOthersFlow() {
        try (Rig rig = new Rig(NONE, SALES)) {
            rig.event("poison", "stock.counted", "k");
            rig.event("second", "sales.order-placed", "k");
            rig.event("third", "sales.order-placed", "k");
            rig.event("other", "sales.order-placed", "j");

            assertThat(rig.ids(DESTINATION)).containsExactly("other");
            List<Rig.Out> shown = rig.read("shop.events.retry");
            assertThat(shown).hasSize(1);
            assertThat(shown.get(0).text(KIND)).isEqualTo("waiting");
            assertThat(shown.get(0).value()).isNull();

            rig.pass(Duration.ofMillis(7_999));
            assertThat(rig.ids(DLQ)).isEmpty();
            rig.pass(Duration.ofMillis(4_001));

            List<Rig.Out> dead = rig.read(DLQ);
            assertThat(dead).hasSize(1);
            Rig.Out letter = dead.get(0);
            assertThat(letter.key()).isEqualTo("poison");
            assertThat(letter.value()).isEqualTo("payload of poison");
            assertThat(letter.text(REASON)).isEqualTo("no-route");
            assertThat(letter.text(ATTEMPT)).isEqualTo("2");
            assertThat(letter.text(SEQ)).isEqualTo("1:0");
            assertThat(letter.text(ORIGIN_TOPIC)).isEqualTo("shop.raw.events");
            assertThat(letter.text(PAYLOAD)).isEqualTo("inline");
            assertThat(rig.ids(DESTINATION)).containsExactly("second", "third");

            rig.event("fourth", "sales.order-placed", "k");
            assertThat(rig.ids(DESTINATION)).containsExactly("fourth");
        }
    }

    @Test
    void theSameKeyOfAnotherDatabaseIsAnotherKey() {
        try (Rig rig = new Rig(NONE, SALES)) {
            rig.event("poison", "stock.counted", "k");
            rig.event("behind", "sales.order-placed", "k");
            rig.eventOf("shop/books", "theirs", "sales.order-placed", "k");
            assertThat(rig.ids(DESTINATION)).as("while the other is blocked").containsExactly("theirs");

            rig.eventOf("shop/books", "their-poison", "stock.counted", "k");
            rig.eventOf("shop/books", "their-behind", "sales.order-placed", "k");
            rig.pass(Duration.ofSeconds(12));
            assertThat(rig.read(DLQ))
                    .extracting(Rig.Out::id, letter -> letter.text(CE_SOURCE))
                    .containsExactlyInAnyOrder(tuple("poison", "shop/shop"), tuple("their-poison", "shop/books"));
            assertThat(rig.ids(DESTINATION)).containsExactlyInAnyOrder("behind", "their-behind");
        }
    }

    @Test
    void aFollowerThatFailsBecomesTheHeadWithAttemptsOfItsOwn() {
        try (Rig rig = new Rig(NONE, SALES)) {
            rig.event("poison-1", "stock.counted", "k");
            rig.event("poison-2", "stock.counted", "k");
            rig.event("good", "sales.order-placed", "k");

            rig.pass(Duration.ofSeconds(12));
            assertThat(rig.ids(DLQ)).containsExactly("poison-1");
            assertThat(rig.ids(DESTINATION)).isEmpty();
            rig.pass(Duration.ofSeconds(12));
            assertThat(rig.ids(DLQ)).containsExactly("poison-2");
            assertThat(rig.ids(DESTINATION)).containsExactly("good");
        }
    }

    @Test
    void rowsOfADestinationThatIsDownWaitWithoutAnEndAndUseNoAttempt() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.destinations.put(DESTINATION, Destination.down(Destination.State.MISSING, "deleted"));
            rig.event("a", "sales.order-placed", "k");
            rig.event("b", "sales.order-placed", "k");
            rig.event("alone-1", "sales.order-placed", null);
            rig.event("alone-2", "sales.order-placed", null);
            rig.event("other", "stock.counted", "k2");
            for (int hour = 0; hour < 24; hour++) {
                rig.pass(Duration.ofHours(1));
            }
            assertThat(rig.ids(DLQ)).isEmpty();
            assertThat(rig.ids("shop.events.stock")).containsExactly("other");

            rig.destinations.remove(DESTINATION);
            rig.pass(Duration.ofSeconds(300));
            assertThat(rig.ids(DESTINATION))
                    .containsExactlyInAnyOrder("a", "b", "alone-1", "alone-2")
                    .containsSubsequence("a", "b")
                    .containsSubsequence("alone-1", "alone-2");
        }
    }

    @Test
    void whatNoAttemptCanHelpIsParkedAtOnceWithItsReason() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.event("name", "no name!", "k");
            rig.pipe(
                    rig.topics.rawEvents(),
                    Rig.raw("version", "sales.order.v2", "k", Kind.EVENT).with(HeaderName.CE_EVENTVERSION, "3"),
                    "k",
                    "x");
            rig.pipe(
                    rig.topics.rawEvents(),
                    Rig.raw("flagged", "sales.order", "k", Kind.EVENT)
                            .with(HeaderName.REASON, "too-large")
                            .with(PAYLOAD, "omitted"),
                    "k",
                    null);
            rig.pipe(rig.topics.rawEvents(), Headers.empty(), null, "what is this");
            rig.destinations.put("shop.events.big", Destination.writable(100));
            rig.event("large", "big.event", "k");

            List<Rig.Out> dead = rig.read(DLQ);
            assertThat(dead)
                    .extracting(letter -> letter.text(REASON))
                    .containsExactly("name-invalid", "version-mismatch", "too-large", "malformed", "too-large");
            assertThat(dead).extracting(Rig.Out::value).doesNotContainNull();
            assertThat(dead.get(2).text(PAYLOAD)).isEqualTo("omitted");
            assertThat(dead.get(3).key()).isEqualTo("shop.raw.events-0@3");
        }
    }

    @Test
    void whatIsThrownWhileATimerFiresParksTheRowInHandAndTheLaneGoesOn() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.destinations.put(DESTINATION, Destination.down(Destination.State.MISSING, "deleted"));
            rig.event("a", "sales.order-placed", "k");
            rig.event("b", "sales.order-placed", "k");
            rig.thrownByDestinations = new IllegalStateException("a bug");
            rig.pass(Duration.ofSeconds(12));
            rig.thrownByDestinations = null;
            rig.destinations.clear();

            List<Rig.Out> dead = rig.read(DLQ);
            assertThat(dead).extracting(Rig.Out::id).containsExactly("a", "b");
            assertThat(dead.get(0).text(REASON)).isEqualTo("timer-error");
            assertThat(dead.get(0).text(ERROR_CLASS)).isEqualTo("java.lang.IllegalStateException");
            rig.event("c", "sales.order-placed", "k");
            assertThat(rig.ids(DESTINATION)).containsExactly("c");
        }
    }

    @Test
    void aReplayLandsAtItsPlaceInABlockedLane() {
        try (Rig rig = new Rig(NONE, SALES)) {
            rig.event("first", "sales.order-placed", "j");
            rig.event("poison", "stock.counted", "k");
            rig.event("later", "sales.order-placed", "k");
            // Offset 0 belongs to the first row; as a replay it goes before everything that waits on the lane of k.
            Headers replay = Rig.raw("replayed", "sales.order-placed", "k", Kind.REPLAY)
                    .with(SEQ, "1:0")
                    .with(REPLAY_ID, "r-1")
                    .with(REASON, "no-route");
            rig.read(DESTINATION);
            rig.pipe(rig.topics.retry("events"), replay, "k", "payload");
            assertThat(rig.ids(DESTINATION)).containsExactly("replayed");

            // One whose place lies between the head and the last waits there.
            Headers between = Rig.raw("between", "sales.order-placed", "k", Kind.REPLAY)
                    .with(SEQ, "1:2")
                    .with(REPLAY_ID, "r-2");
            rig.event("last", "sales.order-placed", "k");
            rig.pipe(rig.topics.retry("events"), between, "k", "payload");
            assertThat(rig.ids(DESTINATION)).isEmpty();
            rig.pass(Duration.ofSeconds(12));
            assertThat(rig.ids(DESTINATION)).containsExactly("later", "last");
        }
    }

    @Test
    void ourOwnNoteOfAWaitingRowIsNeverActedOn() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.pipe(
                    rig.topics.retry("events"),
                    Rig.raw("a", "sales.order-placed", "k", Kind.WAITING).with(SEQ, "1:0"),
                    "k",
                    null);
            assertThat(rig.ids(DESTINATION)).isEmpty();
            assertThat(rig.ids(DLQ)).isEmpty();
        }
    }

    @Test
    void aLaneThatIsTooLongGivesUpItsHead() {
        try (Rig rig = new Rig(new LaneLimits(3, 1 << 20, 10), NONE, SALES)) {
            rig.event("poison", "stock.counted", "k");
            for (String id : List.of("b", "c", "d", "e")) {
                rig.event(id, "sales.order-placed", "k");
            }
            List<Rig.Out> dead = rig.read(DLQ);
            assertThat(dead).extracting(Rig.Out::id).containsExactly("poison");
            assertThat(dead.get(0).text(REASON)).isEqualTo("lane-overflow");
            assertThat(rig.ids(DESTINATION)).containsExactly("b", "c", "d", "e");
        }
    }

    /** An outage is no failure, however much it holds up: neither a lane nor the one of its rows without a key has a limit then. */
    @Test
    void anOutageThatHoldsUpMoreThanALaneMayHoldParksNobody() {
        try (Rig rig = new Rig(new LaneLimits(3, 1 << 20, 10), CONTEXT)) {
            rig.destinations.put(DESTINATION, Destination.down(Destination.State.MISSING, "deleted"));
            List<String> keyed = List.of("a", "b", "c", "d", "e", "f");
            List<String> alone = List.of("1", "2", "3", "4", "5", "6");
            keyed.forEach(id -> rig.event(id, "sales.order-placed", "k"));
            alone.forEach(id -> rig.event(id, "sales.order-placed", null));
            rig.pass(Duration.ofHours(1));
            rig.event("g", "sales.order-placed", "k");
            rig.event("7", "sales.order-placed", null);
            assertThat(rig.ids(DLQ)).isEmpty();

            rig.destinations.clear();
            rig.pass(Duration.ofSeconds(300));
            assertThat(rig.ids(DLQ)).isEmpty();
            List<String> out = rig.ids(DESTINATION);
            assertThat(out).hasSize(14).containsSubsequence(keyed).containsSubsequence(alone);
        }
    }

    /** As those behind the poison find it that come first after a start: it is looked at in milliseconds, but not yet. */
    @Test
    void aDestinationThatNobodyHasLookedAtParksNobodyHoweverManyWait() {
        try (Rig rig = new Rig(new LaneLimits(2, 1 << 20, 10), NONE, SALES)) {
            rig.destinations.put(DESTINATION, Destination.UNKNOWN);
            rig.event("poison", "stock.counted", "k");
            for (int i = 1; i <= 5; i++) {
                rig.event("e" + i, "sales.order-placed", "k");
            }
            assertThat(rig.ids(DLQ)).containsExactly("poison");
            rig.read("shop.events.retry");
            rig.destinations.put(DESTINATION, Destination.down(Destination.State.MISSING, "not there"));
            rig.pass(Duration.ofMillis(10));
            rig.pass(Duration.ofSeconds(12));
            assertThat(rig.ids("shop.events.retry")).as("shown once").containsExactly("e1");
            rig.destinations.put(DESTINATION, Destination.writable(1 << 20));
            rig.pass(Duration.ofMinutes(5));
            assertThat(rig.ids(DESTINATION)).containsExactly("e1", "e2", "e3", "e4", "e5");
            assertThat(rig.ids(DLQ)).isEmpty();
        }
    }

    @Test
    void aBugThatARowBringsAboutParksThatRow() {
        try (Rig rig = new Rig(CONTEXT)) {
            Headers replay = Rig.raw("replayed", "sales.order-placed", "k", Kind.REPLAY)
                    .with(SEQ, "1:0")
                    .with(REPLAY_ID, "r-1");
            rig.thrownByDestinations = new IllegalStateException("a bug");
            rig.event("a", "sales.order-placed", "k");
            rig.pipe(rig.topics.retry("events"), replay, "k", "payload");
            rig.thrownByDestinations = null;
            rig.event("b", "sales.order-placed", "k");

            List<Rig.Out> dead = rig.read(DLQ);
            assertThat(dead).extracting(Rig.Out::id).containsExactly("a", "replayed");
            assertThat(dead).extracting(letter -> letter.text(REASON)).containsOnly("timer-error");
            assertThat(dead.get(0).value()).isEqualTo("payload of a");
            assertThat(dead.get(0).text(SEQ)).isEqualTo("1:0");
            assertThat(rig.ids(DESTINATION)).containsExactly("b");
        }
    }

    @Test
    void whatTheStoresOrTheBrokerBringAboutParksNobody() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.thrownByDestinations = new UnusableState("torn");
            assertThatThrownBy(() -> rig.event("a", "sales.order-placed", "k"))
                    .hasRootCauseInstanceOf(UnusableState.class);
            assertThat(rig.ids(DLQ)).isEmpty();
        }
    }

    @Test
    void whatTheEngineGaveUpStaysADeadLetterHoweverOftenItIsReplayed() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.pipe(
                    rig.topics.rawEvents(),
                    Rig.raw("a", "sales.order-placed", "k", Kind.EVENT)
                            .with(REASON, "malformed")
                            .with(ERROR_CLASS, "Headers")
                            .with(STAGE, "capture"),
                    "k",
                    "payload");
            Rig.Out letter = rig.read(DLQ).get(0);

            Headers replay = letter.headers().with(KIND, Kind.REPLAY.text()).with(REPLAY_ID, "r-1");
            rig.pipe(rig.topics.retry("events"), replay, "k", "payload");
            List<Rig.Out> again = rig.read(DLQ);
            assertThat(again).extracting(Rig.Out::id).containsExactly("a");
            for (HeaderName kept : List.of(REASON, STAGE, ERROR_CLASS, SEQ)) {
                assertThat(again.get(0).text(kept)).as("%s", kept).isEqualTo(letter.text(kept));
            }
            assertThat(rig.ids(DESTINATION)).isEmpty();
        }
    }

    @Test
    void aKeyOfAnyLengthHasALane() {
        try (Rig rig = new Rig(NONE, SALES)) {
            String key = "k".repeat(100_000);
            rig.event("poison", "stock.counted", key);
            rig.event("b", "sales.order-placed", key);
            rig.event("other", "sales.order-placed", key + "x");
            assertThat(rig.ids(DESTINATION)).containsExactly("other");
            rig.pass(Duration.ofSeconds(12));
            assertThat(rig.read(DESTINATION)).extracting(Rig.Out::key).containsExactly(key);
        }
    }
}
