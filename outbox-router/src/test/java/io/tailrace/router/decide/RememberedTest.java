package io.tailrace.router.decide;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RememberedTest {

    private final List<Integer> workedOut = new ArrayList<>();

    @Test
    void whatWasAskedIsNotWorkedOutAgainAndNamesWithoutEndDoNotFillTheHeap() {
        Remembered<Integer, String> remembered = new Remembered<>(3);
        for (int question : List.of(1, 2, 1, 3, 2, 1)) {
            assertThat(remembered.of(question, this::text)).isEqualTo("answer " + question);
        }
        assertThat(workedOut).containsExactly(1, 2, 3);

        remembered.of(4, this::text);
        remembered.of(4, this::text);
        remembered.of(1, this::text);
        assertThat(workedOut).as("the fourth takes the room of the others").containsExactly(1, 2, 3, 4, 1);
    }

    private String text(int question) {
        workedOut.add(question);
        return "answer " + question;
    }
}
