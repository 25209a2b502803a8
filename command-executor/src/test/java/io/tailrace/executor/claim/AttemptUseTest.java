package io.tailrace.executor.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.BatchUpdateException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttemptUseTest {

    @ParameterizedTest
    @CsvSource({
        "08000, LOST",
        "08001, LOST",
        "08003, LOST",
        "08006, LOST",
        "08P01, LOST",
        "57P01, LOST",
        "57P02, LOST",
        "57P03, LOST",
        "57P05, LOST",
        "53300, LOST",
        "40001, CONFLICT",
        "40P01, CONFLICT",
        "25P03, TIMEOUT",
        "25P04, TIMEOUT",
        "57014, TIMEOUT",
        // The neighbours of those above, and what handlers meet most.
        "57P04, ATTEMPT",
        "53100, ATTEMPT",
        "53200, ATTEMPT",
        "40002, ATTEMPT",
        "40003, ATTEMPT",
        "25P01, ATTEMPT",
        "25P02, ATTEMPT",
        "23505, ATTEMPT",
        "23503, ATTEMPT",
        "0A000, ATTEMPT",
        "22012, ATTEMPT",
        "42P01, ATTEMPT",
        "42501, ATTEMPT",
        "55P03, ATTEMPT",
        "P0001, ATTEMPT",
        "XX000, ATTEMPT",
        "'', ATTEMPT",
        "0, ATTEMPT"
    })
    void everyLineOfTheTable(String sqlState, AttemptUse use) {
        assertThat(AttemptUse.of(sqlState)).isEqualTo(use);
        assertThat(AttemptUse.of(new SQLException("it", sqlState))).isEqualTo(use);
    }

    @Test
    void whatIsNoErrorOfADatabaseUsesAnAttempt() {
        assertThat(AttemptUse.of((String) null)).isEqualTo(AttemptUse.ATTEMPT);
        assertThat(AttemptUse.of(new SQLException("without a state"))).isEqualTo(AttemptUse.ATTEMPT);
        assertThat(AttemptUse.of(new IllegalStateException())).isEqualTo(AttemptUse.ATTEMPT);
        assertThat(AttemptUse.of(new StackOverflowError())).isEqualTo(AttemptUse.ATTEMPT);
    }

    @Test
    void theFirstErrorThatSaysSomethingCounts() {
        SQLException conflict = new SQLException("deadlock", "40P01");
        BatchUpdateException batch = new BatchUpdateException("batch", "23505", 0, new int[0], conflict);
        assertThat(AttemptUse.of(new RuntimeException(batch))).isEqualTo(AttemptUse.CONFLICT);
    }

    @Test
    void aCauseThatIsItsOwnCauseEnds() {
        Exception first = new Exception("first");
        Exception second = new Exception("second", first);
        first.initCause(second);
        assertThat(AttemptUse.of(second)).isEqualTo(AttemptUse.ATTEMPT);
    }
}
