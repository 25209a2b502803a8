package io.tailrace.executor.hold;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** What is said of something that fails every second. */
class FailingTest {

    private final Failing failing = new Failing();

    @Test
    void itIsToldWhenItBeginsAndWhenItEnds() {
        assertThat(failing.ends()).as("it never failed").isFalse();
        assertThat(failing.begins(refused("42501"))).isTrue();
        assertThat(failing.begins(refused("57014"))).as("it goes on").isFalse();
        assertThat(failing.ends()).isTrue();
        assertThat(failing.ends()).isFalse();
        assertThat(failing.begins(refused("57014"))).isTrue();
    }

    @Test
    void thatTheDatabaseIsDownOthersTellAndAConflictPasses() {
        assertThat(failing.begins(refused("08006"))).isFalse();
        assertThat(failing.begins(new SQLException("closed", null, refused("57P01"))))
                .isFalse();
        assertThat(failing.begins(refused("40P01"))).isFalse();
        assertThat(failing.ends()).isFalse();
    }

    private static SQLException refused(String state) {
        return new SQLException("no", state);
    }
}
