package io.tailrace.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.cli.demo.ShopDatabase.Effect;
import io.tailrace.cli.demo.Witness.Sighting;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The judge is worth as much as what it finds. */
class TallyTest {

    private static final UUID A = new UUID(0, 1);
    private static final UUID B = new UUID(0, 2);
    private static final UUID C = new UUID(0, 3);

    @Test
    void whatIsMissingDoubledOrMadeUpIsFound() {
        assertThat(Tally.of(Set.of(A, B), List.of(text(B), text(A))).isRight()).isTrue();
        Tally wrong = Tally.of(Set.of(A, B), List.of(text(A), text(C), text(A)));
        assertThat(wrong.isRight()).isFalse();
        assertThat(wrong.missing()).containsExactly(text(B));
        assertThat(wrong.duplicated()).containsExactly(text(A));
        assertThat(wrong.unexpected()).containsExactly(text(C));
    }

    @Test
    void numbersOfAKeyMustRiseWithinATopicAndStayInOnePartition() {
        assertThat(Tally.eventsOutOfOrder(List.of(seen("t", 0, "k", 1), seen("u", 1, "k", 1), seen("t", 0, "k", 3))))
                .isEmpty();
        assertThat(Tally.eventsOutOfOrder(List.of(seen("t", 0, "k", 2), seen("t", 0, "l", 1), seen("t", 0, "k", 1))))
                .hasSize(1);
        assertThat(Tally.eventsOutOfOrder(List.of(seen("t", 0, "k", 1), seen("t", 1, "k", 2))))
                .hasSize(1);
        assertThat(Tally.eventsOutOfOrder(List.of(seen("t", 0, "k", 1), seen("t", 0, "k", 1))))
                .hasSize(1);
    }

    @Test
    void effectsOfACustomerMustRise() {
        assertThat(Tally.effectsOutOfOrder(List.of(effect("k", 1), effect("l", 1), effect("k", 2)), "c"))
                .isEmpty();
        assertThat(Tally.effectsOutOfOrder(List.of(effect("k", 2), effect("k", 1)), "c"))
                .hasSize(1);
        assertThat(Tally.effectsOutOfOrder(List.of(effect("k", 2), effect("k", 1)), "other"))
                .isEmpty();
    }

    private static String text(UUID id) {
        return id.toString();
    }

    private static Effect effect(String customer, int n) {
        return new Effect(A, "c", customer, n);
    }

    private static Sighting seen(String topic, int partition, String key, int n) {
        return new Sighting(topic, partition, 0, key, "id", n, false, Map.of());
    }
}
