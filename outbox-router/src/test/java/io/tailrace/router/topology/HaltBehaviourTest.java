package io.tailrace.router.topology;

import static io.tailrace.contract.header.HeaderName.CONTROL;
import static io.tailrace.contract.header.HeaderName.LATE;
import static io.tailrace.contract.header.HeaderName.PAYLOAD;
import static io.tailrace.contract.header.HeaderName.REASON;
import static io.tailrace.contract.header.HeaderName.REPLAY_ID;
import static io.tailrace.contract.header.HeaderName.SEQ;
import static io.tailrace.contract.header.HeaderName.TURN;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.route.OnDeadLetter;
import io.tailrace.router.decide.Destination;
import io.tailrace.router.lane.LaneLimits;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a dead letter means for its key, told by what the topics receive. */
class HaltBehaviourTest {

    private static final RoutesConfig.Rule LEDGER =
            new RoutesConfig.Rule("ledger.*", "shop.events.ledger").with(OnDeadLetter.HALT_KEY);
    private static final RoutesConfig.Rule SALES = new RoutesConfig.Rule("sales.*", "shop.events.sales");
    private static final String DESTINATION = "shop.events.ledger";
    private static final String DLQ = "shop.events.dlq";

    @Test
    void aKeyStopsAtItsDeadLetterUntilThatIsReplayed() {
        try (Rig rig = halted()) {
            rig.pass(Duration.ofDays(1));
            assertThat(rig.ids(DESTINATION))
                    .as("nobody passes, whatever the time")
                    .isEmpty();

            rig.pipe(rig.topics.retry("events"), replay("poison", "ledger.posted", "1:0"), "k", "mended");
            List<Rig.Out> out = rig.read(DESTINATION);
            assertThat(out).extracting(Rig.Out::id).containsExactly("poison", "second", "third");
            assertThat(out.get(0).headers().text(LATE))
                    .as("nothing newer was before it")
                    .isEmpty();
        }
    }

    @Test
    void aSkippedHeadLetsTheKeyGoOnAndItsReplayIsLate() {
        try (Rig rig = halted()) {
            rig.pipe(rig.topics.retry("events"), command("skip", "poison", "1:0"), "k", null);
            assertThat(rig.ids(DESTINATION)).containsExactly("second", "third");
            assertThat(rig.read(DLQ)).as("its dead letter stays").isEmpty();

            rig.pipe(rig.topics.retry("events"), replay("poison", "ledger.posted", "1:0"), "k", "mended");
            List<Rig.Out> out = rig.read(DESTINATION);
            assertThat(out).extracting(Rig.Out::id).containsExactly("poison");
            assertThat(out.get(0).text(LATE)).isEqualTo("true");
        }
    }

    @Test
    void aDiscardedHeadTakesItsDeadLetterWithIt() {
        try (Rig rig = halted()) {
            rig.pipe(rig.topics.retry("events"), command("discard", "poison", "1:0"), "k", null);
            List<Rig.Out> tombstone = rig.read(DLQ);
            assertThat(tombstone).hasSize(1);
            assertThat(tombstone.get(0).key()).isEqualTo("poison");
            assertThat(tombstone.get(0).value()).isNull();
            assertThat(rig.ids(DESTINATION)).containsExactly("second", "third");
        }
    }

    @Test
    void aCommandToAHeadThatHasMovedDoesNothing() {
        try (Rig rig = halted()) {
            rig.pipe(rig.topics.retry("events"), command("skip", "second", "1:1"), "k", null);
            assertThat(rig.ids(DESTINATION)).as("not the head").isEmpty();

            rig.pipe(rig.topics.retry("events"), command("skip", "poison", "1:0"), "k", null);
            assertThat(rig.ids(DESTINATION)).containsExactly("second", "third");
            rig.pipe(rig.topics.retry("events"), command("discard", "poison", "1:0"), "k", null);
            assertThat(rig.read(DLQ))
                    .as("it was skipped: its dead letter stays")
                    .isEmpty();
        }
    }

    /** A lane may hold several: each has a letter, and none may stay where nobody can name it any more. */
    @Test
    void aHaltedRowBehindTheHeadIsDiscardedToo() {
        try (Rig rig = new Rig(RoutesConfig.Default.NONE, LEDGER)) {
            poison(rig);
            Headers tooLarge =
                    Rig.raw("large", "ledger.posted", "k", Kind.EVENT).with(REASON, "too-large");
            rig.pipe(rig.topics.rawEvents(), tooLarge.with(PAYLOAD, "omitted"), "k", null);
            rig.event("third", "ledger.posted", "k");
            assertThat(rig.ids(DLQ)).containsExactly("poison", "large");

            rig.pipe(rig.topics.retry("events"), command("discard", "large", "1:1"), "k", null);
            assertThat(rig.read(DLQ)).extracting(Rig.Out::key).containsExactly("large");
            assertThat(rig.ids(DESTINATION)).as("the key stops before it").isEmpty();

            rig.pipe(rig.topics.retry("events"), replay("poison", "ledger.posted", "1:0"), "k", "mended");
            assertThat(rig.ids(DESTINATION)).containsExactly("poison", "third");
            rig.event("fourth", "ledger.posted", "k");
            assertThat(rig.ids(DESTINATION)).as("its lane has gone").containsExactly("fourth");
        }
    }

    /** Somebody wanted something: it is kept, beside the row's own dead letter and not in its place. */
    @Test
    void anActOfANewerReleaseIsParkedAndChangesNothing() {
        try (Rig rig = halted()) {
            rig.pipe(rig.topics.retry("events"), command("forget", "poison", "1:0"), "k", null);
            assertThat(rig.ids(DESTINATION)).isEmpty();
            List<Rig.Out> parked = rig.read(DLQ);
            assertThat(parked).extracting(Rig.Out::key).containsExactly("shop.events.retry-0@0");
            assertThat(parked.get(0).text(HeaderName.STAGE)).isEqualTo("control");
            assertThat(parked.get(0).text(HeaderName.ERROR_MESSAGE)).contains("'forget'");
        }
    }

    @Test
    void aLaneThatStopsRefusesWhatArrivesOverItsLimit() {
        try (Rig rig = new Rig(new LaneLimits(2, 1 << 20, 10), RoutesConfig.Default.NONE, LEDGER)) {
            poison(rig);
            rig.event("second", "ledger.posted", "k");
            rig.read(DLQ);
            rig.event("third", "ledger.posted", "k");
            List<Rig.Out> refused = rig.read(DLQ);
            assertThat(refused).extracting(Rig.Out::id).containsExactly("third");
            assertThat(refused.get(0).text(REASON)).isEqualTo("lane-overflow");

            rig.pipe(rig.topics.retry("events"), replay("poison", "ledger.posted", "1:0"), "k", "mended");
            assertThat(rig.ids(DESTINATION)).containsExactly("poison", "second");

            rig.event("fourth", "ledger.posted", "k");
            assertThat(rig.ids(DESTINATION))
                    .as("nobody passes what was refused either")
                    .isEmpty();
            rig.pipe(rig.topics.retry("events"), replay("third", "ledger.posted", "1:2"), "k", "payload of third");
            List<Rig.Out> out = rig.read(DESTINATION);
            assertThat(out).extracting(Rig.Out::value).containsExactly("payload of third", "payload of fourth");
            assertThat(out.get(0).headers().text(LATE)).isEmpty();
        }
    }

    /** What stops a key has its payload in its letter: on the lane there is room for others. */
    @Test
    void aRowAtWhichAKeyStopsTakesNoMoreRoomThanItsName() {
        try (Rig rig = new Rig(new LaneLimits(10, 2_000, 10), RoutesConfig.Default.NONE, LEDGER)) {
            rig.destinations.put(DESTINATION, Destination.writable(100));
            rig.pipe(
                    rig.topics.rawEvents(),
                    Rig.raw("poison", "ledger.posted", "k", Kind.EVENT),
                    "k",
                    "x".repeat(10_000));
            rig.destinations.clear();
            rig.event("second", "ledger.posted", "k");
            assertThat(rig.ids(DLQ)).containsExactly("poison");
            rig.pipe(rig.topics.retry("events"), command("skip", "poison", "1:0"), "k", null);
            assertThat(rig.ids(DESTINATION)).containsExactly("second");
        }
    }

    /** Rows of a key may follow several rules: the head is given up for those that go on, and is dead like any other of its rule. */
    @Test
    void aHeadThatIsGivenUpForTheLengthOfItsLaneStopsItsKeyIfItsRuleSaysSo() {
        RoutesConfig.Rule nowhere = new RoutesConfig.Rule("shop.*", "{name}").with(OnDeadLetter.HALT_KEY);
        try (Rig rig = new Rig(new LaneLimits(2, 1 << 20, 10), RoutesConfig.Default.NONE, SALES, nowhere)) {
            rig.event("poison", "shop.commands", "k");
            rig.event("second", "sales.placed", "k");
            rig.event("third", "sales.placed", "k");
            List<Rig.Out> dead = rig.read(DLQ);
            assertThat(dead).extracting(Rig.Out::id).containsExactly("poison");
            assertThat(dead.get(0).text(REASON)).isEqualTo("lane-overflow");
            rig.pass(Duration.ofDays(1));
            assertThat(rig.ids("shop.events.sales")).isEmpty();
            rig.pipe(rig.topics.retry("events"), command("skip", "poison", "1:0"), "k", null);
            assertThat(rig.ids("shop.events.sales")).containsExactly("second", "third");
        }
    }

    /** Nobody is refused for an outage. */
    @Test
    void anOutageRefusesNobodyWhoseKeyWouldStop() {
        try (Rig rig = new Rig(new LaneLimits(2, 1 << 20, 10), RoutesConfig.Default.NONE, LEDGER)) {
            rig.destinations.put(DESTINATION, Destination.down(Destination.State.FORBIDDEN, "no"));
            List<String> ids = List.of("a", "b", "c", "d", "e");
            ids.forEach(id -> rig.event(id, "ledger.posted", "k"));
            rig.pass(Duration.ofHours(1));
            rig.destinations.clear();
            rig.pass(Duration.ofSeconds(300));
            assertThat(rig.ids(DLQ)).isEmpty();
            assertThat(rig.ids(DESTINATION)).containsExactlyElementsOf(ids);
        }
    }

    @Test
    void aRowWithoutAKeyStopsNobody() {
        try (Rig rig = new Rig(RoutesConfig.Default.NONE, LEDGER)) {
            rig.destinations.put(DESTINATION, Destination.writable(100));
            rig.event("poison", "ledger.posted", null);
            assertThat(rig.ids(DLQ)).containsExactly("poison");
            rig.destinations.clear();
            rig.event("next", "ledger.posted", null);
            assertThat(rig.ids(DESTINATION)).containsExactly("next");
            Headers discard = Rig.raw("poison", "ledger.posted", null, Kind.CONTROL)
                    .with(SEQ, "1:0")
                    .with(CONTROL, "discard")
                    .with(TURN, "0");
            rig.pipe(rig.topics.retry("events"), discard, "poison", null);
            assertThat(rig.read(DLQ)).as("it is on no lane").isEmpty();
        }
    }

    /** The header is for consumers that must know: it is there only if it is true. */
    @Test
    void aReplayIsLateOnlyIfNewerRowsOfItsKeyWereDelivered() {
        try (Rig rig = new Rig(RoutesConfig.Default.NONE, SALES)) {
            for (String key : List.of("quiet", "busy")) {
                rig.destinations.put("shop.events.sales", Destination.writable(100));
                rig.event("dead-" + key, "sales.placed", key);
                rig.destinations.clear();
            }
            rig.event("newer", "sales.placed", "busy");
            rig.read("shop.events.sales");

            rig.pipe(rig.topics.retry("events"), replay("dead-quiet", "sales.placed", "1:0", "quiet"), "quiet", "p");
            rig.pipe(rig.topics.retry("events"), replay("dead-busy", "sales.placed", "1:1", "busy"), "busy", "p");
            List<Rig.Out> out = rig.read("shop.events.sales");
            assertThat(out).extracting(Rig.Out::id).containsExactly("dead-quiet", "dead-busy");
            assertThat(out.get(0).headers().text(LATE)).isEmpty();
            assertThat(out.get(1).text(LATE)).isEqualTo("true");
        }
    }

    /** A poison at the head of k, and two rows behind it. */
    private static Rig halted() {
        Rig rig = new Rig(RoutesConfig.Default.NONE, LEDGER);
        poison(rig);
        rig.event("second", "ledger.posted", "k");
        rig.event("third", "ledger.posted", "k");
        assertThat(rig.ids(DLQ)).containsExactly("poison");
        assertThat(rig.ids(DESTINATION)).isEmpty();
        return rig;
    }

    private static void poison(Rig rig) {
        rig.destinations.put(DESTINATION, Destination.writable(100));
        rig.event("poison", "ledger.posted", "k");
        rig.destinations.clear();
    }

    private static Headers replay(String id, String name, String seq) {
        return replay(id, name, seq, "k");
    }

    private static Headers replay(String id, String name, String seq, String key) {
        return Rig.raw(id, name, key, Kind.REPLAY).with(SEQ, seq).with(REPLAY_ID, "r-1");
    }

    private static Headers command(String act, String id, String seq) {
        return Rig.raw(id, "ledger.posted", "k", Kind.CONTROL)
                .with(SEQ, seq)
                .with(CONTROL, act)
                .with(TURN, "0");
    }
}
