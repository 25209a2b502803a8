package io.tailrace.proof.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.record.Place;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The checker sees each kind of wrong, and only that. */
class HistoryTest {

    private static final String TOPIC = "there";

    private final History history = new History("test");

    @BeforeEach
    void rowsOfTwoKeysAndOneWithoutAreCommitted() {
        for (int n = 1; n <= 4; n++) {
            history.committed(new Row("a" + n, "a", n, false));
            history.committed(new Row("b" + n, "b", n, false));
        }
        history.committed(new Row("alone", null, 9, false));
        history.committed(new Row("ahead", "c", 1, true));
    }

    @Test
    void everyRowInItsPlaceIsClean() {
        deliverAllBut();
        assertThat(history.findings()).isEqualTo(new Findings(10, 9, 0, 0, 0, 0, 0, List.of()));
    }

    @Test
    void aRowThatIsNowhereIsMissing() {
        deliverAllBut("a3");
        assertThat(history.findings().missing()).isEqualTo(1);
        assertThat(history.findings().examples()).singleElement().asString().contains("missing", "a3");
        assertThat(history.findings().duplicated()).isZero();
        assertThat(history.findings().orderViolations()).isZero();
    }

    @Test
    void aDeadLetterIsAPlaceToBe() {
        deliverAllBut("a3");
        history.deadLettered("a3");
        assertThat(history.findings().isClean()).isTrue();
        assertThat(history.findings().deadLettered()).isEqualTo(1);
    }

    @Test
    void aReplayedRowThatIsNotDeliveredIsMissing() {
        deliverAllBut("a3");
        history.deadLettered("a3");
        history.replayed("a3");
        assertThat(history.findings().missing()).isEqualTo(1);
    }

    @Test
    void aReplayedRowThatIsGivenUpAgainIsADeadLetterAgain() {
        deliverAllBut("a3");
        history.deadLettered("a3");
        history.replayed("a3");
        history.deadLettered("a3");
        assertThat(history.findings().isClean()).isTrue();
        assertThat(history.findings().deadLettered()).isEqualTo(1);
        assertThat(history.findings().replayed()).isEqualTo(1);
    }

    @Test
    void aSecondRecordIsDoubledAndNothingElse() {
        deliverAllBut();
        history.delivered(delivery("a2", 2));
        assertThat(history.findings().duplicated()).isEqualTo(1);
        assertThat(history.findings().orderViolations()).isZero();
        assertThat(history.findings().missing()).isZero();
    }

    @Test
    void aDeadLetterOfADeliveredRowIsDoubled() {
        deliverAllBut();
        history.deadLettered("a2");
        assertThat(history.findings().duplicated()).isEqualTo(1);
    }

    @Test
    void aSecondDeadLetterIsDoubled() {
        deliverAllBut("a2");
        history.deadLettered("a2");
        history.deadLettered("a2");
        assertThat(history.findings().duplicated()).isEqualTo(1);
    }

    @Test
    void aSecondReplayOfADeadLetterIsDoubledWhenBothArrive() {
        deliverAllBut("a2");
        history.deadLettered("a2");
        history.replayed("a2");
        history.delivered(late("a2", 2, "one"));
        history.delivered(late("a2", 2, "two"));
        assertThat(history.findings().duplicated()).isEqualTo(1);
    }

    @Test
    void whatWaitsAndIsDeliveredIsFine() {
        deliverAllBut();
        history.delivered(delivery("ahead", 1));
        assertThat(history.findings().isClean()).isTrue();
    }

    @Test
    void aRecordThatNobodyCommittedIsDoubled() {
        deliverAllBut();
        history.delivered(delivery("made up", 7));
        history.deadLettered("made up too");
        assertThat(history.findings().duplicated()).isEqualTo(2);
    }

    @Test
    void aRowBehindALaterOneOfItsKeyIsOutOfOrder() {
        deliverAllBut("a2", "a3");
        history.delivered(delivery("a3", 3));
        history.delivered(delivery("a2", 2));
        // Behind a4, which has come before them, are both.
        assertThat(history.findings().orderViolations()).isEqualTo(2);
        assertThat(history.findings().missing()).isZero();
        assertThat(history.findings().duplicated()).isZero();
    }

    @Test
    void anotherTopicAnotherOrder() {
        deliverAllBut("a2");
        history.delivered(new Delivery("a2", "elsewhere", new Place(0, 2), null, false));
        assertThat(history.findings().isClean()).isTrue();
    }

    @Test
    void aPlaceThatDoesNotRiseIsOutOfOrderWhateverTheNumbersSay() {
        deliverAllBut("a3", "a4");
        history.delivered(delivery("a3", 2));
        history.delivered(delivery("a4", 9));
        assertThat(history.findings().orderViolations()).isEqualTo(1);
    }

    @Test
    void numbersThatDoNotRiseAreOutOfOrderWhateverThePlacesSay() {
        deliverAllBut("a3", "a4");
        history.delivered(delivery("a4", 3));
        history.delivered(delivery("a3", 4));
        assertThat(history.findings().orderViolations()).isEqualTo(1);
    }

    @Test
    void aRecordWithoutAPlaceIsOutOfOrder() {
        deliverAllBut("a4");
        history.delivered(new Delivery("a4", TOPIC, null, null, false));
        assertThat(history.findings().orderViolations()).isEqualTo(1);
    }

    @Test
    void aReplayedRowMayComeLateAndMovesNobody() {
        deliverAllBut("a1", "a4");
        history.deadLettered("a1");
        history.replayed("a1");
        history.delivered(late("a1", 1, "replay"));
        history.delivered(delivery("a4", 4));
        assertThat(history.findings().isClean()).isTrue();
    }

    @Test
    void aReplayedRowThatDoesNotSayThatItIsLateMustBeInOrder() {
        deliverAllBut("a1");
        history.deadLettered("a1");
        history.replayed("a1");
        history.delivered(new Delivery("a1", TOPIC, new Place(0, 1), "replay", false));
        assertThat(history.findings().orderViolations()).isEqualTo(1);
    }

    @Test
    void whoWasNeverReplayedCannotBeLate() {
        deliverAllBut("a1");
        history.delivered(late("a1", 1, "replay"));
        assertThat(history.findings().orderViolations()).isEqualTo(1);
    }

    @Test
    void rowsOfOneReplayAreInOrderAmongEachOther() {
        deliverAllBut("a1", "a2");
        for (String id : new String[] {"a1", "a2"}) {
            history.deadLettered(id);
            history.replayed(id);
        }
        history.delivered(late("a2", 2, "one"));
        history.delivered(late("a1", 1, "one"));
        assertThat(history.findings().orderViolations()).isEqualTo(1);
    }

    @Test
    void rowsOfTwoReplaysAreNot() {
        deliverAllBut("a1", "a2");
        for (String id : new String[] {"a1", "a2"}) {
            history.deadLettered(id);
            history.replayed(id);
        }
        history.delivered(late("a2", 2, "one"));
        history.delivered(late("a1", 1, "two"));
        assertThat(history.findings().isClean()).isTrue();
    }

    private void deliverAllBut(String... without) {
        for (int n = 1; n <= 4; n++) {
            for (String key : new String[] {"a", "b"}) {
                if (!List.of(without).contains(key + n)) {
                    history.delivered(delivery(key + n, n));
                }
            }
        }
        history.delivered(new Delivery("alone", TOPIC, new Place(0, 100), null, false));
    }

    private static Delivery delivery(String id, long offset) {
        return new Delivery(id, TOPIC, new Place(0, offset), null, false);
    }

    private static Delivery late(String id, long offset, @Nullable String replay) {
        return new Delivery(id, TOPIC, new Place(0, offset), replay, true);
    }
}
