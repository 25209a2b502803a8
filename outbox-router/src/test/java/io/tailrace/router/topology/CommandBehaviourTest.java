package io.tailrace.router.topology;

import static io.tailrace.contract.config.RoutesConfig.Default.CONTEXT;
import static io.tailrace.contract.header.HeaderName.ATTEMPT;
import static io.tailrace.contract.header.HeaderName.BEHIND;
import static io.tailrace.contract.header.HeaderName.CE_SOURCE;
import static io.tailrace.contract.header.HeaderName.KIND;
import static io.tailrace.contract.header.HeaderName.PAYLOAD;
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
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What becomes of commands, told by what the topics receive. */
class CommandBehaviourTest {

    private static final String COMMANDS = "shop.commands";
    private static final String REDELIVERY = "shop.commands.redelivery";
    private static final String RETRY_ORIGIN = "shop.commands.retry-0@2";
    private static final String COMMANDS_DLQ = "shop.commands.dlq";

    @Test
    void aCommandWaitsUntilItIsDueAndIsNeverEarly() {
        try (Rig rig = new Rig(CONTEXT)) {
            Instant due = Rig.START.plusSeconds(60);
            rig.command("later", "ship-order", "k", due);
            rig.command("now", "ship-order", "k", Rig.START);
            assertThat(rig.ids(COMMANDS)).containsExactly("now");

            rig.pass(Duration.ofMillis(59_999));
            assertThat(rig.ids(COMMANDS)).isEmpty();
            rig.pass(Duration.ofMillis(1));
            List<Rig.Out> out = rig.read(COMMANDS);
            assertThat(out).extracting(Rig.Out::id).containsExactly("later");
            assertThat(out.get(0).text(KIND)).isEqualTo("command");
            assertThat(out.get(0).text(TURN)).isEqualTo("0");
            assertThat(out.get(0).text(SEQ)).isEqualTo("1:0");
            assertThat(out.get(0).value()).isEqualTo("payload of later");
        }
    }

    /** The answer that cannot be read is parked; its row is asked for again, and its key goes on. */
    @Test
    void anAnswerThatCannotBeReadDoesNotBlockItsKeyForEver() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.answer(Kind.FAILED, "a", "k", 1, "1:10", Map.of(WAIT, "1000", ATTEMPT, "1"));
            rig.answer(Kind.BEHIND, "b", "k", 1, "1:11", Map.of(BEHIND, "a"));
            rig.pass(Duration.ofSeconds(1));
            assertThat(rig.ids(REDELIVERY)).containsExactly("a");
            rig.answer(Kind.DONE, "a", "k", 1, "1:10", Map.of(TURN, "of another release"));
            List<Rig.Out> parked = rig.read(COMMANDS_DLQ);
            assertThat(parked)
                    .as("not as the row's own")
                    .extracting(Rig.Out::key)
                    .containsExactly(RETRY_ORIGIN);
            assertThat(parked.get(0).text(HeaderName.STAGE)).isEqualTo("control");

            rig.pass(Duration.ofMinutes(14));
            assertThat(rig.ids(REDELIVERY)).as("an answer may take its time").isEmpty();
            rig.pass(Duration.ofMinutes(3));
            List<Rig.Out> again = rig.read(REDELIVERY);
            assertThat(again).extracting(Rig.Out::id).containsExactly("a");
            assertThat(again.get(0).text(TURN))
                    .as("the same turn: its row knows")
                    .isEqualTo("1");
            rig.answer(Kind.DONE, "a", "k", 1, "1:10", Map.of());
            assertThat(rig.ids(REDELIVERY)).containsExactly("b");
        }
    }

    /** The letter of a row that died stands as it is; only what tells a death takes the row's own place. */
    @Test
    void anAnswerThatCannotBeReadLeavesTheLetterOfItsRowAlone() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.answer(Kind.DEAD, "a", "k", 1, "1:10", Map.of(REASON, "rejected"));
            rig.answer(Kind.DONE, "a", "k", 1, "1:10", Map.of(TURN, "of another release"));
            rig.answer(Kind.DEAD, "b", "k", 1, "1:11", Map.of(SEQ, "nowhere"));
            assertThat(rig.read(COMMANDS_DLQ))
                    .extracting(Rig.Out::key)
                    .containsExactly("a", "shop.commands.retry-0@1", "b");
        }
    }

    /** Somebody wanted something: it is kept, beside the row's own dead letter and not in its place. */
    @Test
    void anActOfANewerReleaseIsParked() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.control("hold", "a", "k", 1, null, null);
            rig.pipe(rig.topics.rawCommands(), Rig.raw("a", "ship-order", "k", Kind.CONTROL), "k", null);
            List<Rig.Out> parked = rig.read(COMMANDS_DLQ);
            assertThat(parked)
                    .extracting(Rig.Out::key)
                    .containsExactly("shop.raw.commands-0@0", "shop.raw.commands-0@1");
            assertThat(parked.get(0).text(HeaderName.STAGE)).isEqualTo("control");
            assertThat(parked.get(0).text(HeaderName.ERROR_MESSAGE)).contains("'hold'");
        }
    }

    @Test
    void whatIsDueGoesBeforeARecordThatHasJustCome() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.command("scheduled", "ship-order", "k", Rig.START.plusSeconds(1));
            rig.clock.advance(Duration.ofSeconds(2));
            rig.command("just-come", "ship-order", "k", Rig.START);
            assertThat(rig.ids(COMMANDS)).containsExactly("scheduled", "just-come");
        }
    }

    @Test
    void aFailedCommandIsReleasedInTimeAndThoseBehindItFollowInPlaceOrder() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.answer(Kind.FAILED, "a", "k", 1, "1:10", Map.of(WAIT, "10000", ATTEMPT, "1"));
            rig.answer(Kind.BEHIND, "c", "k", 1, "1:12", Map.of(BEHIND, "a"));
            rig.answer(Kind.BEHIND, "b", "k", 1, "1:11", Map.of(BEHIND, "a"));
            rig.pass(Duration.ofMillis(9_999));
            assertThat(rig.ids(REDELIVERY)).isEmpty();

            rig.pass(Duration.ofMillis(1));
            List<Rig.Out> head = rig.read(REDELIVERY);
            assertThat(head).extracting(Rig.Out::id).containsExactly("a");
            assertThat(head.get(0).text(KIND)).isEqualTo("redelivery");
            assertThat(head.get(0).text(PLACE)).isEqualTo("1:10");
            assertThat(head.get(0).text(TURN)).isEqualTo("1");
            assertThat(head.get(0).value()).isEqualTo("payload of a");

            rig.answer(Kind.DONE, "a", "k", 1, "1:10", Map.of());
            assertThat(rig.ids(REDELIVERY)).containsExactly("b", "c");
            rig.answer(Kind.DONE, "b", "k", 1, "1:11", Map.of());
            rig.answer(Kind.DONE, "c", "k", 1, "1:12", Map.of());
            rig.pass(Duration.ofDays(1));
            assertThat(rig.ids(REDELIVERY)).isEmpty();
        }
    }

    @Test
    void theSameKeyOfAnotherDatabaseIsAnotherKey() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.answer(Kind.FAILED, "a", "k", 1, "1:10", Map.of(WAIT, "10000", ATTEMPT, "1"));
            Map<HeaderName, String> theirs = Map.of(CE_SOURCE, "shop/books", WAIT, "5000", ATTEMPT, "1");
            rig.answer(Kind.FAILED, "b", "k", 1, "1:11", theirs);
            rig.pass(Duration.ofSeconds(5));
            assertThat(rig.ids(REDELIVERY)).containsExactly("b");
            rig.answer(Kind.DONE, "b", "k", 1, "1:11", Map.of(CE_SOURCE, "shop/books"));
            assertThat(rig.ids(REDELIVERY)).as("still waits").isEmpty();
            rig.pass(Duration.ofSeconds(5));
            assertThat(rig.ids(REDELIVERY)).containsExactly("a");
        }
    }

    @Test
    void anAnswerHeardTwiceIsNews_once() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.answer(Kind.FAILED, "a", "k", 2, "1:10", Map.of(WAIT, "10000"));
            rig.pass(Duration.ofSeconds(10));
            rig.answer(Kind.FAILED, "a", "k", 2, "1:10", Map.of(WAIT, "0"));
            rig.answer(Kind.FAILED, "a", "k", 1, "1:10", Map.of(WAIT, "0"));
            assertThat(rig.ids(REDELIVERY)).containsExactly("a");
        }
    }

    @Test
    void aCommandThatIsGivenUpIsBuriedInItsTableAndParkedWhenTheExecutorAnswers() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.command("a", "no name!", "k", Rig.START);
            List<Rig.Out> out = rig.read(COMMANDS);
            assertThat(out).hasSize(1);
            assertThat(out.get(0).text(KIND)).isEqualTo("bury");
            assertThat(out.get(0).text(REASON)).isEqualTo("name-invalid");
            assertThat(rig.ids(COMMANDS_DLQ)).isEmpty();

            rig.answer(Kind.DEAD, "a", "k", 1, "1:0", Map.of(REASON, "name-invalid", ATTEMPT, "1"));
            List<Rig.Out> dead = rig.read(COMMANDS_DLQ);
            assertThat(dead).hasSize(1);
            assertThat(dead.get(0).key()).isEqualTo("a");
            assertThat(dead.get(0).text(REASON)).isEqualTo("name-invalid");
        }
    }

    @Test
    void aRequeueTakesTheDeadLetterAwayAndReleasesTheRowAtItsPlace() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.answer(Kind.DEAD, "a", "k", 5, "1:10", Map.of(REASON, "retries-exhausted"));
            assertThat(rig.read(COMMANDS_DLQ)).hasSize(1);

            rig.control("requeue", "a", "k", 6, "1:10", null);
            rig.control("requeue", "a", "k", 6, "1:10", null);
            List<Rig.Out> letters = rig.read(COMMANDS_DLQ);
            assertThat(letters).hasSize(1);
            assertThat(letters.get(0).key()).isEqualTo("a");
            assertThat(letters.get(0).value()).isNull();
            List<Rig.Out> released = rig.read(REDELIVERY);
            assertThat(released).hasSize(1);
            assertThat(released.get(0).text(KIND)).isEqualTo("replay");
            assertThat(released.get(0).text(TURN)).isEqualTo("6");
            assertThat(released.get(0).text(PLACE)).isEqualTo("1:10");

            // The death that was answered twice comes late: it speaks of a turn that is over.
            rig.answer(Kind.DEAD, "a", "k", 5, "1:10", Map.of(REASON, "retries-exhausted"));
            assertThat(rig.read(COMMANDS_DLQ)).isEmpty();
        }
    }

    @Test
    void whatIsSaidOfARowBeforeItWasDoneParksNothingAndBlocksNobodyAfterwards() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.answer(Kind.DEAD, "a", "k", 5, "1:10", Map.of(REASON, "retries-exhausted"));
            rig.control("requeue", "a", "k", 6, "1:10", null);
            rig.answer(Kind.DONE, "a", "k", 6, "1:10", Map.of());
            rig.read(COMMANDS_DLQ);
            rig.read(REDELIVERY);

            rig.answer(Kind.DEAD, "a", "k", 5, "1:10", Map.of(REASON, "retries-exhausted"));
            rig.answer(Kind.FAILED, "a", "k", 4, "1:10", Map.of(WAIT, "3600000"));
            assertThat(rig.read(COMMANDS_DLQ)).isEmpty();
            rig.answer(Kind.BEHIND, "b", "k", 1, "1:11", Map.of(BEHIND, "gone-since"));
            assertThat(rig.ids(REDELIVERY)).containsExactly("b");
        }
    }

    @Test
    void aHeadThatItsTableDoesNotKnowAsWaitingHoldsTheKeyForNoLongerThanItTakesToAsk() {
        try (Rig rig = new Rig(CONTEXT)) {
            // Heard after the row was done: nothing tells that any more.
            rig.answer(Kind.FAILED, "phantom", "k", 1, "1:10", Map.of(WAIT, "3600000"));
            rig.answer(Kind.FAILED, "b", "k", 1, "1:11", Map.of(WAIT, "10000"));
            rig.answer(Kind.BEHIND, "c", "k", 1, "1:12", Map.of(BEHIND, "b"));
            assertThat(rig.ids(REDELIVERY)).containsExactly("phantom");
            rig.answer(Kind.DONE, "phantom", "k", 4, "1:10", Map.of());
            rig.pass(Duration.ofSeconds(10));
            assertThat(rig.ids(REDELIVERY)).containsExactly("b");
        }
    }

    @Test
    void aRowThatWasNeverStampedIsRescheduledByAFurtherCarrier() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.command("a", "ship-order", "k", Rig.START.plusSeconds(3600));
            rig.control("run-now", "a", "k", 0, null, null);
            List<Rig.Out> out = rig.read(COMMANDS);
            assertThat(out).extracting(Rig.Out::id).containsExactly("a");
            assertThat(out.get(0).text(KIND)).isEqualTo("command");
            assertThat(out.get(0).text(PAYLOAD)).isEqualTo("omitted");
        }
    }

    @Test
    void theCarriersOfARowThatWasRescheduledManyTimesDoNotAllComeBack() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.command("a", "ship-order", "k", Rig.START.plusSeconds(1));
            for (int second = 2; second <= 60; second++) {
                rig.control("reschedule", "a", "k", 0, null, Rig.START.plusSeconds(second));
            }
            for (int second = 1; second < 60; second++) {
                rig.pass(Duration.ofSeconds(1));
                assertThat(rig.ids(COMMANDS)).containsExactly("a");
                // The executor looks at the row; its answer takes a little longer each time.
                String wait = Long.toString(60_000 - second * 1_000L + second);
                Headers early = Rig.raw("a", "ship-order", "k", Kind.EARLY)
                        .with(SEQ, "1:" + second)
                        .with(WAIT, wait);
                rig.pipe(rig.topics.retry("commands"), early, "k", null);
            }
            rig.pass(Duration.ofSeconds(2));
            // The one of the last change, and one for all that came before.
            assertThat(rig.ids(COMMANDS)).containsExactly("a", "a");
        }
    }

    @Test
    void aRowThatWaitsOnALaneIsRescheduledThereAndKeepsItsPayload() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.answer(Kind.FAILED, "a", "k", 1, "1:10", Map.of(WAIT, "600000"));
            rig.control("run-now", "a", "k", 2, "1:10", null);
            List<Rig.Out> out = rig.read(REDELIVERY);
            assertThat(out).hasSize(1);
            assertThat(out.get(0).text(TURN)).isEqualTo("2");
            assertThat(out.get(0).value()).isEqualTo("payload of a");
        }
    }

    @Test
    void anEarlyRowWithoutPlaceWaitsAgainAndBlocksNobody() {
        try (Rig rig = new Rig(CONTEXT)) {
            Headers early =
                    Rig.raw("a", "ship-order", "k", Kind.EARLY).with(SEQ, "1:0").with(WAIT, "5000");
            rig.pipe(rig.topics.retry("commands"), early, "k", "payload of a");
            rig.pass(Duration.ofMillis(4_999));
            assertThat(rig.ids(COMMANDS)).isEmpty();
            rig.pass(Duration.ofMillis(1));
            List<Rig.Out> out = rig.read(COMMANDS);
            assertThat(out).extracting(Rig.Out::value).containsExactly("payload of a");
        }
    }

    @Test
    void aLaneThatIsTooLongGivesUpItsHeadByWayOfItsTable() {
        try (Rig rig = new Rig(new LaneLimits(3, 1 << 20, 10), CONTEXT)) {
            rig.answer(Kind.FAILED, "w", "k", 1, "1:1", Map.of(WAIT, "600000"));
            for (int i = 2; i <= 4; i++) {
                rig.answer(Kind.BEHIND, "w" + i, "k", 1, "1:" + i, Map.of(BEHIND, "w"));
            }
            List<Rig.Out> buried = rig.read(REDELIVERY);
            assertThat(buried).extracting(Rig.Out::id).containsExactly("w");
            assertThat(buried.get(0).text(KIND)).isEqualTo("bury");
            assertThat(buried.get(0).text(REASON)).isEqualTo("lane-overflow");
            assertThat(rig.ids(COMMANDS_DLQ)).isEmpty();
        }
    }
}
