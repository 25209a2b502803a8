package io.tailrace.router.topology;

import static io.tailrace.contract.config.RoutesConfig.Default.CONTEXT;
import static io.tailrace.contract.header.HeaderName.BEHIND;
import static io.tailrace.contract.header.HeaderName.CONTROL;
import static io.tailrace.contract.header.HeaderName.HALTS;
import static io.tailrace.contract.header.HeaderName.KIND;
import static io.tailrace.contract.header.HeaderName.PLACE;
import static io.tailrace.contract.header.HeaderName.REASON;
import static io.tailrace.contract.header.HeaderName.SEQ;
import static io.tailrace.contract.header.HeaderName.TURN;
import static io.tailrace.contract.header.HeaderName.WAIT;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Kind;
import io.tailrace.router.lane.LaneLimits;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Lanes of commands, and of a subscription, at which an executor says that the key stops; told by what the topics receive. */
class HaltedCommandsTest {

    private static final String REDELIVERY = "shop.commands.redelivery";
    private static final String LETTERS = "shop.commands.dlq";
    private static final String BILLED = "shop.billing.redelivery";

    @Test
    void aKeyStopsAtADeadCommandWithFollowersQueuedUntilThatIsRequeued() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.answer(Kind.FAILED, "dead", "k", 1, "1:10", Map.of(WAIT, "1000"));
            behind(rig, "b", "1:11", "dead");
            behind(rig, "c", "1:12", "dead");
            rig.pass(Duration.ofSeconds(1));
            assertThat(rig.ids(REDELIVERY)).containsExactly("dead");
            dies(rig, "dead", 2, "1:10");
            List<Rig.Out> letters = rig.read(LETTERS);
            assertThat(letters).extracting(Rig.Out::key).containsExactly("dead");
            assertThat(letters.get(0).headers().text(HALTS))
                    .as("it would be wrong once the key goes on")
                    .isEmpty();
            rig.pass(Duration.ofDays(1));
            assertThat(rig.ids(REDELIVERY))
                    .as("nobody passes, and nobody is asked")
                    .isEmpty();

            rig.control("requeue", "dead", "k", 3, "1:10", null);
            assertThat(rig.read(LETTERS)).extracting(Rig.Out::value).containsExactly((String) null);
            List<Rig.Out> released = rig.read(REDELIVERY);
            assertThat(released).extracting(Rig.Out::id).containsExactly("dead");
            assertThat(released.get(0).text(TURN)).isEqualTo("3");
            assertThat(released.get(0).headers().text(HALTS)).isEmpty();
            dies(rig, "dead", 2, "1:10");
            assertThat(rig.read(LETTERS)).as("an echo of its death").isEmpty();
            rig.answer(Kind.DONE, "dead", "k", 3, "1:10", Map.of());
            assertThat(rig.ids(REDELIVERY)).containsExactly("b", "c");
        }
    }

    @Test
    void aFollowerThatComesAfterTheDeathWaitsWithoutBeingAskedForAgainAndAgain() {
        try (Rig rig = new Rig(CONTEXT)) {
            dies(rig, "dead", 1, "1:10");
            behind(rig, "b", "1:11", "dead");
            for (int hours = 0; hours < 24; hours++) {
                rig.pass(Duration.ofHours(1));
            }
            assertThat(rig.ids(REDELIVERY)).isEmpty();
            assertThat(rig.ids(LETTERS)).containsExactly("dead");

            // Another database, another subscription: another key.
            rig.answer(Kind.FAILED, "x", "k", 1, "1:9", Map.of(HeaderName.CE_SOURCE, "shop/books", WAIT, "0"));
            billed(rig, Kind.FAILED, "y", 1, "1:12", Map.of(WAIT, "0"));
            assertThat(rig.ids(REDELIVERY)).containsExactly("x");
            assertThat(rig.ids(BILLED)).containsExactly("y");

            rig.control("skip", "dead", "k", 2, "1:10", null);
            assertThat(rig.ids(REDELIVERY)).containsExactly("b");
            assertThat(rig.read(LETTERS)).as("its letter stays").isEmpty();
            // An executor that was held up since before the skip.
            dies(rig, "dead", 1, "1:10");
            rig.answer(Kind.DONE, "b", "k", 1, "1:11", Map.of());
            behind(rig, "c", "1:13", "gone-since");
            assertThat(rig.ids(REDELIVERY)).as("the key flows").containsExactly("c");
            rig.control("requeue", "dead", "k", 3, "1:10", null);
            assertThat(rig.ids(REDELIVERY)).containsExactly("dead");
        }
    }

    /** The follower's answer is faster than that of the death: it asks, ever more slowly, until it knows. */
    @Test
    void aDeathThatIsHeardLaterThanItsFollowerStopsTheKeyAllTheSame() {
        try (Rig rig = new Rig(CONTEXT)) {
            behind(rig, "b", "1:11", "dead");
            assertThat(rig.ids(REDELIVERY)).containsExactly("b");
            rig.answer(Kind.BEHIND, "b", "k", 2, "1:11", Map.of(BEHIND, "dead"));
            dies(rig, "dead", 1, "1:10");
            rig.pass(Duration.ofDays(1));
            assertThat(rig.ids(REDELIVERY)).isEmpty();
            rig.control("skip", "dead", "k", 2, "1:10", null);
            assertThat(rig.ids(REDELIVERY)).containsExactly("b");
        }
    }

    /** An executor that was asked for it answers what stands in the table, before the log has brought the word. */
    @Test
    void aRequeueThatIsHeardAfterItsRowTakesTheLetterAwayAllTheSame() {
        try (Rig rig = new Rig(CONTEXT)) {
            dies(rig, "dead", 1, "1:10");
            assertThat(rig.ids(LETTERS)).containsExactly("dead");
            rig.answer(Kind.FAILED, "dead", "k", 2, "1:10", Map.of(WAIT, "0"));
            assertThat(rig.ids(REDELIVERY)).contains("dead");
            rig.control("requeue", "dead", "k", 2, "1:10", null);
            assertThat(rig.read(LETTERS)).extracting(Rig.Out::value).containsExactly((String) null);
            assertThat(rig.read(REDELIVERY)).as("it is out").isEmpty();
        }
    }

    /** The function is called before the letter was written: it is written, and the key goes on. */
    @Test
    void aSkipThatIsFasterThanTheDeathTakesTheWordOfTheTable() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.control("skip", "dead", "k", 2, "1:10", null);
            dies(rig, "dead", 1, "1:10");
            List<Rig.Out> asked = rig.read(REDELIVERY);
            assertThat(asked).extracting(Rig.Out::id).containsExactly("dead");
            assertThat(asked.get(0).text(TURN)).isEqualTo("2");
            behind(rig, "b", "1:11", "dead");
            rig.answer(Kind.DEAD, "dead", "k", 2, "1:10", Map.of(REASON, "rejected"));
            assertThat(rig.ids(LETTERS)).containsExactly("dead");
            assertThat(rig.ids(REDELIVERY)).containsExactly("b");
        }
    }

    @Test
    void aDiscardedOneIsCancelledAndItsKeyGoesOn() {
        try (Rig rig = new Rig(CONTEXT)) {
            dies(rig, "dead", 1, "1:10");
            dies(rig, "second", 1, "1:11");
            behind(rig, "b", "1:12", "dead");
            rig.control("cancel", "second", "k", 1, "1:11", null);
            assertThat(rig.ids(REDELIVERY)).as("it stops before that").isEmpty();
            rig.control("cancel", "dead", "k", 1, "1:10", null);
            assertThat(rig.ids(REDELIVERY)).containsExactly("b");
        }
    }

    @Test
    void aLaneThatStopsGivesUpWhatArrivesByWayOfItsTable() {
        try (Rig rig = new Rig(new LaneLimits(3, 1 << 20, 10), CONTEXT)) {
            dies(rig, "dead", 1, "1:10");
            behind(rig, "b", "1:11", "dead");
            behind(rig, "c", "1:12", "dead");
            behind(rig, "d", "1:13", "dead");
            List<Rig.Out> buried = rig.read(REDELIVERY);
            assertThat(buried).extracting(Rig.Out::id).containsExactly("d");
            assertThat(buried.get(0).text(KIND)).isEqualTo("bury");
            assertThat(buried.get(0).text(REASON)).isEqualTo("lane-overflow");
            assertThat(buried.get(0).text(PLACE)).isEqualTo("1:13");
            assertThat(buried.get(0).value()).isEqualTo("payload of d");
            dies(rig, "d", 2, "1:13");
            rig.read(LETTERS);
            rig.control("skip", "dead", "k", 2, "1:10", null);
            assertThat(rig.ids(REDELIVERY)).containsExactly("b");
            rig.answer(Kind.DONE, "b", "k", 1, "1:11", Map.of());
            rig.answer(Kind.DONE, "c", "k", 1, "1:12", Map.of());
            behind(rig, "e", "1:14", "d");
            assertThat(rig.ids(REDELIVERY))
                    .as("nobody passes what was given up either")
                    .containsExactly("c");
        }
    }

    /** Before its head is dead: that would be given up for rows whose own deaths stop nobody. */
    @Test
    void whoIsGivenUpBehindAHeadThatFailsIsForTheArrivingRowToSay() {
        try (Rig rig = new Rig(new LaneLimits(2, 1 << 20, 10), CONTEXT)) {
            rig.answer(Kind.FAILED, "a", "k", 1, "1:10", Map.of(WAIT, "600000"));
            behind(rig, "b", "1:11", "a");
            rig.answer(Kind.BEHIND, "c", "k", 1, "1:12", Map.of(BEHIND, "a", HALTS, "true"));
            assertThat(rig.ids(REDELIVERY)).containsExactly("c");
            behind(rig, "d", "1:13", "a");
            assertThat(rig.ids(REDELIVERY)).containsExactly("a");
        }
    }

    /** Word of the skip, or of the requeue, was lost with all of Kafka: the upkeep misses what waits. */
    @Test
    void aKeyThatItsTableLetsGoOnIsAskedAboutWhenARowOfItIsMissedOrFails() {
        try (Rig rig = new Rig(CONTEXT)) {
            dies(rig, "dead", 1, "1:10");
            behind(rig, "b", "1:11", "dead");
            rig.read(LETTERS);
            rig.control("wake", "b", "k", 1, "1:11", null);
            List<Rig.Out> asked = rig.read(REDELIVERY);
            assertThat(asked).extracting(Rig.Out::id).containsExactly("dead");
            assertThat(asked.get(0).text(TURN)).isEqualTo("1");
            assertThat(asked.get(0).text(KIND)).isEqualTo("redelivery");
            dies(rig, "dead", 1, "1:10");
            assertThat(rig.read(LETTERS)).as("its letter is there").isEmpty();
            assertThat(rig.ids(REDELIVERY)).as("it stops as ever").isEmpty();

            rig.answer(Kind.FAILED, "c", "k", 1, "1:12", Map.of(WAIT, "0"));
            assertThat(rig.ids(REDELIVERY)).containsExactly("dead");
            rig.answer(Kind.DEAD, "dead", "k", 1, "1:10", Map.of(REASON, "rejected"));
            assertThat(rig.ids(REDELIVERY)).containsExactly("b");
            assertThat(rig.read(LETTERS)).isEmpty();
        }
        try (Rig rig = new Rig(CONTEXT)) {
            dies(rig, "dead", 1, "1:10");
            rig.control("wake", "dead", "k", 2, "1:10", null);
            assertThat(rig.read(REDELIVERY))
                    .as("pending by now, says its table")
                    .last()
                    .satisfies(out -> assertThat(out.text(TURN)).isEqualTo("2"));
        }
    }

    @Test
    void anEventOfASubscriptionIsReplayedAtTheTurnOfItsDeath() {
        try (Rig rig = new Rig(CONTEXT)) {
            halted(rig);
            billed(rig, Kind.REPLAY, "dead", 3, "1:10", Map.of());
            List<Rig.Out> released = rig.read(BILLED);
            assertThat(released).extracting(Rig.Out::id).containsExactly("dead");
            assertThat(released.get(0).text(KIND)).isEqualTo("replay");
            assertThat(released.get(0).text(TURN)).isEqualTo("3");
            billed(rig, Kind.DONE, "dead", 3, "1:10", Map.of());
            assertThat(rig.ids(BILLED)).containsExactly("b");
            assertThat(rig.read("shop.commands.redelivery")).isEmpty();
        }
    }

    @Test
    void anEventOfASubscriptionIsSkippedOrDiscardedByAWordInItsRetryTopic() {
        for (String act : List.of("skip", "discard")) {
            try (Rig rig = new Rig(CONTEXT)) {
                halted(rig);
                billed(rig, Kind.CONTROL, "b", 3, "1:11", Map.of(CONTROL, act));
                assertThat(rig.ids(BILLED)).as("the key does not stop at it").isEmpty();
                billed(rig, Kind.CONTROL, "dead", 3, "1:10", Map.of(CONTROL, act));
                assertThat(rig.ids(BILLED)).containsExactly("b");
                assertThat(rig.read("shop.billing.dlq"))
                        .extracting(Rig.Out::value)
                        .as(act)
                        .isEqualTo(act.equals("skip") ? List.of() : java.util.Collections.singletonList(null));
                billed(rig, Kind.DEAD, "dead", 3, "1:10", Map.of(HALTS, "true"));
                billed(rig, Kind.DONE, "b", 1, "1:11", Map.of());
                billed(rig, Kind.BEHIND, "c", 1, "1:12", Map.of());
                assertThat(rig.ids(BILLED))
                        .as("an echo of its death stops nobody")
                        .containsExactly("c");
            }
        }
    }

    /** A dead event of the subscription, and one behind it. */
    private static void halted(Rig rig) {
        billed(rig, Kind.DEAD, "dead", 3, "1:10", Map.of(REASON, "rejected", HALTS, "true"));
        billed(rig, Kind.BEHIND, "b", 1, "1:11", Map.of(BEHIND, "dead"));
        rig.pass(Duration.ofDays(1));
        assertThat(rig.ids("shop.billing.dlq")).containsExactly("dead");
        assertThat(rig.ids(BILLED)).isEmpty();
    }

    private static void dies(Rig rig, String id, int turn, String place) {
        rig.answer(Kind.DEAD, id, "k", turn, place, Map.of(REASON, "rejected", HALTS, "true"));
    }

    private static void behind(Rig rig, String id, String place, String met) {
        rig.answer(Kind.BEHIND, id, "k", 1, place, Map.of(BEHIND, met));
    }

    private static void billed(Rig rig, Kind kind, String id, int turn, String seq, Map<HeaderName, String> more) {
        Headers.Builder headers = Rig.raw(id, "sales.order", "k", kind).toBuilder()
                .put(SEQ, seq)
                .put(TURN, turn)
                .put(PLACE, seq);
        more.forEach(headers::put);
        rig.pipe(rig.topics.retry(Rig.SUBSCRIPTION), headers.build(), "k", "payload of " + id);
    }
}
