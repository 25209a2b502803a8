package io.tailrace.router.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.record.Reason;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The table of failures, line by line, and its fallback. */
class FailureClassTest {

    @Test
    void eachReasonHasItsClassAndWhatNobodyForesawIsFatalToItsRowAlone() {
        Map<Reason, FailureClass> seen = new EnumMap<>(Reason.class);
        for (Reason reason : Reason.values()) {
            seen.put(reason, FailureClass.of(reason));
        }
        assertThat(seen).containsEntry(Reason.NO_ROUTE, FailureClass.ROW_RETRIABLE);
        seen.remove(Reason.NO_ROUTE);
        assertThat(seen.values()).containsOnly(FailureClass.ROW_FATAL);
    }

    @Test
    void aDestinationThatCannotBeWrittenIsDown() {
        for (Destination.State state : Destination.State.values()) {
            Optional<FailureClass> expected =
                    state == Destination.State.WRITABLE ? Optional.empty() : Optional.of(FailureClass.DESTINATION_DOWN);
            assertThat(FailureClass.of(state)).as("%s", state).isEqualTo(expected);
        }
    }

    @Test
    void anOwnTopicThatCannotBeWrittenIsNobodysRowEither() {
        for (Destination.State state : Destination.State.values()) {
            Optional<FailureClass> expected = switch (state) {
                case UNKNOWN, WRITABLE -> Optional.empty();
                case MISSING, FORBIDDEN, UNAVAILABLE -> Optional.of(FailureClass.SYSTEMIC);
            };
            assertThat(FailureClass.ofOwn(state)).as("%s", state).isEqualTo(expected);
        }
    }

    @Test
    void whatLiesOutsideTheRowIsNobodysRow() {
        assertThat(FailureClass.ofThrown(true)).isEqualTo(FailureClass.SYSTEMIC);
        assertThat(FailureClass.ofThrown(false)).isEqualTo(FailureClass.ROW_FATAL);
    }
}
