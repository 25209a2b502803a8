package io.tailrace.executor.settle;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.record.Origin;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.executor.claim.CommandRow;
import java.util.OptionalInt;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AnswersTest {

    @Test
    void aTrailIsReadBackFromTheRowAsItWasWritten() {
        ErrorTrail thrown = ErrorTrail.of(new IllegalStateException("one: two\nthree"));
        assertThat(readBack(thrown)).isEqualTo(thrown);
        ErrorTrail returned = ErrorTrail.of("Failure", "card declined");
        assertThat(readBack(returned)).isEqualTo(returned);
    }

    @Property
    void anyTextStaysReadable(@ForAll String message) {
        ErrorTrail back = readBack(ErrorTrail.of("Failure", message));
        assertThat(back.message()).isEqualTo(ErrorTrail.of("Failure", message).message());
    }

    private static ErrorTrail readBack(ErrorTrail trail) {
        return Answers.trailOf(row(Answers.lastError(trail)));
    }

    private static CommandRow row(@Nullable String error) {
        return new CommandRow(
                "ship",
                null,
                null,
                "application/json",
                null,
                Origin.NONE,
                new CommandRow.Progress("DEAD", 1, 1, OptionalInt.empty(), null, null, null, null, "rejected", error),
                0);
    }
}
