package io.tailrace.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DeckTest {

    @Test
    void whatWasDrawnInVainComesAgainAfterTheOthersAndBeforeAnyIsDealtTwice() {
        List<String> points = List.of("a", "b", "c");
        Deck<String> deck = Deck.of(points, new Random(1));
        for (int round = 0; round < 5; round++) {
            String missed = deck.draw();
            deck.putBack(missed);
            List<String> rest = new ArrayList<>(List.of(deck.draw(), deck.draw()));
            assertThat(rest).doesNotContain(missed);
            rest.add(deck.draw());
            assertThat(rest).containsExactlyInAnyOrderElementsOf(points).endsWith(missed);
        }
    }
}
