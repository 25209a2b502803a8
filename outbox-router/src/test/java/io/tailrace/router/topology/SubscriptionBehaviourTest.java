package io.tailrace.router.topology;

import static io.tailrace.contract.config.RoutesConfig.Default.CONTEXT;
import static io.tailrace.contract.header.HeaderName.ATTEMPT;
import static io.tailrace.contract.header.HeaderName.BEHIND;
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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What becomes of the events of a subscription, told by what its topics receive. */
class SubscriptionBehaviourTest {

    private static final String REDELIVERY = "shop.billing.redelivery";
    private static final String LETTERS = "shop.billing.dlq";

    @Test
    void aFailedEventIsReleasedInTimeAndThoseBehindItFollowInSeqOrder() {
        try (Rig rig = new Rig(CONTEXT)) {
            answer(rig, Kind.FAILED, "a", 1, "1:10", Map.of(WAIT, "10000", ATTEMPT, "1", PLACE, "1:10"));
            answer(rig, Kind.BEHIND, "c", 1, "1:12", Map.of(BEHIND, "a", PLACE, "1:12"));
            answer(rig, Kind.BEHIND, "b", 1, "1:11", Map.of(BEHIND, "a", PLACE, "1:11"));
            rig.pass(Duration.ofMillis(9_999));
            assertThat(rig.ids(REDELIVERY)).isEmpty();
            rig.pass(Duration.ofMillis(1));
            assertThat(rig.ids(REDELIVERY)).containsExactly("a");
            answer(rig, Kind.DONE, "a", 1, "1:10", Map.of());
            assertThat(rig.ids(REDELIVERY)).containsExactly("b", "c");
            assertThat(rig.read("shop.commands.redelivery")).isEmpty();
        }
    }

    /** The lanes of a subscription are its own: the same row may wait for another one, or be routed, meanwhile. */
    @Test
    void anEventThatWaitsForAHandlerHoldsUpNoDelivery() {
        try (Rig rig = new Rig(CONTEXT)) {
            answer(rig, Kind.FAILED, "a", 1, "1:10", Map.of(WAIT, "600000", PLACE, "1:10"));
            rig.event("b", "sales.order", "k");
            assertThat(rig.ids("shop.events.sales")).containsExactly("b");
        }
    }

    @Test
    void aDeadOneIsParkedUnderItsSubscriptionAndAReplayComesBackAtItsSeqWithTheTurnOfItsDeath() {
        try (Rig rig = new Rig(CONTEXT)) {
            answer(rig, Kind.DEAD, "a", 3, "1:10", Map.of(REASON, "rejected", PLACE, "1:10"));
            List<Rig.Out> letters = rig.read(LETTERS);
            assertThat(letters).extracting(Rig.Out::key).containsExactly("a");
            assertThat(letters.get(0).text(REASON)).isEqualTo("rejected");
            assertThat(letters.get(0).text(TURN)).isEqualTo("3");

            answer(rig, Kind.FAILED, "b", 1, "1:11", Map.of(WAIT, "600000", PLACE, "1:11"));
            answer(rig, Kind.REPLAY, "a", 3, "1:10", Map.of(ATTEMPT, "0"));
            List<Rig.Out> released = rig.read(REDELIVERY);
            assertThat(released).extracting(Rig.Out::id).containsExactly("a");
            assertThat(released.get(0).text(KIND)).isEqualTo("replay");
            assertThat(released.get(0).text(TURN)).isEqualTo("3");
            assertThat(released.get(0).text(PLACE)).isEqualTo("1:10");

            answer(rig, Kind.DONE, "a", 3, "1:10", Map.of());
            answer(rig, Kind.DEAD, "a", 3, "1:10", Map.of(REASON, "rejected", PLACE, "1:10"));
            assertThat(rig.read(LETTERS)).as("an echo of its death").isEmpty();
        }
    }

    /** Its place is its seq, said or not: it never becomes a command. */
    @Test
    void anEarlyOneRestsOnItsLane() {
        try (Rig rig = new Rig(CONTEXT)) {
            answer(rig, Kind.FAILED, "a", 1, "1:10", Map.of(WAIT, "1000", PLACE, "1:10"));
            rig.pass(Duration.ofSeconds(1));
            assertThat(rig.ids(REDELIVERY)).containsExactly("a");
            answer(rig, Kind.EARLY, "a", 1, "1:10", Map.of(WAIT, "5000"));
            rig.pass(Duration.ofSeconds(5));
            assertThat(rig.ids(REDELIVERY)).containsExactly("a");
            assertThat(rig.read("shop.commands")).isEmpty();
        }
    }

    /** What could be sent for it would have the record of the one that waits behind it. */
    @Test
    void oneThatIsOnNoLaneIsNotAskedForInTheNameOfAnother() {
        try (Rig rig = new Rig(CONTEXT)) {
            answer(rig, Kind.FAILED, "b", 1, "1:11", Map.of(WAIT, "1000", PLACE, "1:11"));
            rig.pass(Duration.ofSeconds(1));
            assertThat(rig.ids(REDELIVERY)).containsExactly("b");
            for (int times = 1; times <= 4; times++) {
                answer(rig, Kind.BEHIND, "b", 1 + times, "1:11", Map.of(BEHIND, "a", PLACE, "1:11"));
                rig.pass(Duration.ofSeconds(30));
                assertThat(rig.ids(REDELIVERY)).containsExactly("b");
            }
        }
    }

    /** It is woken by its table, through the log: with the record that it came with, and at the turn that it has by then. */
    @Test
    void anEventThatWasHeldIsReleasedAtTheTurnThatItsTableTells() {
        try (Rig rig = new Rig(CONTEXT)) {
            answer(rig, Kind.FAILED, "a", 1, "1:10", Map.of(WAIT, "3155760000000", PLACE, "1:10"));
            answer(rig, Kind.BEHIND, "b", 1, "1:11", Map.of(BEHIND, "a", PLACE, "1:11"));
            rig.pass(Duration.ofDays(365));
            assertThat(rig.ids(REDELIVERY)).isEmpty();

            letGo(rig, "other", "a", 2, "1:10");
            letGo(rig, Rig.SUBSCRIPTION, "on no lane", 2, "1:12");
            assertThat(rig.ids(REDELIVERY)).isEmpty();
            letGo(rig, Rig.SUBSCRIPTION, "a", 2, "1:10");
            List<Rig.Out> released = rig.read(REDELIVERY);
            assertThat(released).extracting(Rig.Out::id).containsExactly("a");
            assertThat(released.get(0).text(TURN)).isEqualTo("2");
            assertThat(released.get(0).value()).isEqualTo("payload of a");
            letGo(rig, Rig.SUBSCRIPTION, "a", 2, "1:10");
            assertThat(rig.ids(REDELIVERY)).as("heard twice").isEmpty();

            answer(rig, Kind.DONE, "a", 2, "1:10", Map.of());
            assertThat(rig.ids(REDELIVERY)).containsExactly("b");
            assertThat(rig.read("shop.commands.redelivery")).isEmpty();
            assertThat(rig.read("shop.commands.dlq")).isEmpty();
        }
    }

    /** The answer that holds an event may be sent late: its executor stood still, or the broker did. */
    @Test
    void anAnswerThatComesBehindTheWordToLetGoHoldsItsEventNoMore() {
        try (Rig rig = new Rig(CONTEXT)) {
            Map<HeaderName, String> held = Map.of(WAIT, "3155760000000", PLACE, "1:10");
            letGo(rig, Rig.SUBSCRIPTION, "a", 2, "1:10");
            answer(rig, Kind.FAILED, "a", 1, "1:10", held);
            List<Rig.Out> released = rig.read(REDELIVERY);
            assertThat(released).extracting(Rig.Out::id).containsExactly("a");
            assertThat(released.get(0).text(TURN)).isEqualTo("1");
            // Its table is a turn ahead, and its executor repeats that.
            answer(rig, Kind.FAILED, "a", 2, "1:10", Map.of(WAIT, "0", PLACE, "1:10"));
            assertThat(rig.read(REDELIVERY)).extracting(out -> out.text(TURN)).containsExactly("2");

            answer(rig, Kind.FAILED, "a", 3, "1:10", held);
            rig.pass(Duration.ofDays(1));
            assertThat(rig.ids(REDELIVERY)).as("held anew").isEmpty();
        }
    }

    private static void letGo(Rig rig, String subscription, String id, int turn, String place) {
        Headers headers = Rig.raw(id, "sales.order", "k", Kind.CONTROL).toBuilder()
                .put(HeaderName.CONTROL, "run-event-now")
                .put(HeaderName.SUBSCRIPTION, subscription)
                .put(TURN, turn)
                .put(PLACE, place)
                .build();
        rig.pipe(rig.topics.rawCommands(), headers, "k", null);
    }

    private static void answer(Rig rig, Kind kind, String id, int turn, String seq, Map<HeaderName, String> more) {
        Headers.Builder headers =
                Rig.raw(id, "sales.order", "k", kind).toBuilder().put(SEQ, seq).put(TURN, turn);
        more.forEach(headers::put);
        rig.pipe(rig.topics.retry(Rig.SUBSCRIPTION), headers.build(), "k", "payload of " + id);
    }
}
