package io.tailrace.router.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Place;
import io.tailrace.router.lane.LaneKey;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is remembered of what has gone, also by the next router that opens the store. */
class PastTest {

    private static final LaneKey KEY = LaneKey.of("events", "shop/shop", "k", "-");

    private final InMemory store = new InMemory();

    @Test
    void anEchoOfARowThatIsDoneIsKnownAfterARestart() {
        new Finished(store).add("commands", "shop/shop", "a", 3);
        Finished reopened = new Finished(store);
        assertThat(reopened.isOver("commands", "shop/shop", "a", 3)).isTrue();
        assertThat(reopened.isOver("commands", "shop/shop", "a", 2)).isTrue();
        assertThat(reopened.isOver("commands", "shop/shop", "a", 4))
                .as("it was requeued")
                .isFalse();
        assertThat(reopened.isOver("commands", "shop/books", "a", 3)).isFalse();
        assertThat(reopened.isOver("billing", "shop/shop", "a", 3)).isFalse();
    }

    @Test
    void whatWasLetGoIsKnownAfterARestartAndIsNotOver() {
        new Finished(store).letGo("billing", "shop/shop", "a", 3);
        Finished reopened = new Finished(store);
        assertThat(reopened.wasLetGo("billing", "shop/shop", "a", 3)).isTrue();
        assertThat(reopened.wasLetGo("billing", "shop/shop", "a", 4)).isFalse();
        assertThat(reopened.isOver("billing", "shop/shop", "a", 3)).isFalse();
    }

    @Test
    void theOldestAreForgottenAndTheStoreDoesNotGrow() {
        Finished finished = new Finished(store);
        for (int row = 0; row < 3 * Finished.SLOTS + 7; row++) {
            finished.add("commands", "shop/shop", "r" + row, 1);
            // The slot that it leaves for a newer one must not take it away when it is used again.
            if (row % 5 == 0) {
                finished.add("commands", "shop/shop", "hot", row);
            }
        }
        int last = 3 * Finished.SLOTS + 6;
        assertThat(store.values).hasSize(Finished.SLOTS);
        for (Finished each : List.of(finished, new Finished(store))) {
            assertThat(each.isOver("commands", "shop/shop", "r" + last, 1)).isTrue();
            assertThat(each.isOver("commands", "shop/shop", "r" + (last - Finished.SLOTS / 2 + 2), 1))
                    .isTrue();
            assertThat(each.isOver("commands", "shop/shop", "r" + (last - Finished.SLOTS), 1))
                    .isFalse();
            int hot = last - last % 5;
            assertThat(each.isOver("commands", "shop/shop", "hot", hot)).isTrue();
            assertThat(each.isOver("commands", "shop/shop", "hot", hot + 1)).isFalse();
        }
    }

    @Test
    void aRowIsLateIfANewerOneWasDeliveredSinceItDied() {
        Passed passed = new Passed(store);
        passed.delivered(KEY, at(1));
        passed.died(KEY, at(5), false);
        assertThat(passed.isLate(KEY, at(5))).isFalse();
        passed.delivered(KEY, at(7));
        passed.died(KEY, at(9), false);
        assertThat(passed.isLate(KEY, at(5))).isTrue();
        assertThat(passed.isLate(KEY, at(9))).isFalse();
        Passed reopened = new Passed(store);
        reopened.delivered(KEY, at(10));
        assertThat(reopened.isLate(KEY, at(9))).isTrue();
    }

    @Test
    void whatPassesTheLastDeadLetterIsWrittenOnce() {
        Passed passed = new Passed(store);
        passed.delivered(KEY, at(1));
        assertThat(store.writes).as("a key without dead letters").isZero();
        passed.died(KEY, at(5), false);
        for (int offset = 6; offset < 100; offset++) {
            passed.delivered(KEY, at(offset));
        }
        assertThat(store.writes).isEqualTo(2);
    }

    @Test
    void theNoteGoesWithTheLastDeadLetterThatIsRedeemed() {
        Passed passed = new Passed(store);
        passed.died(KEY, at(5), false);
        passed.died(KEY, at(6), false);
        passed.died(KEY, at(5), true);
        passed.redeemed(KEY);
        assertThat(passed.isLate(KEY, at(6))).isFalse();
        passed.redeemed(KEY);
        assertThat(store.values).isEmpty();
        assertThat(passed.isLate(KEY, at(6))).as("nobody knows any more").isTrue();
    }

    private static Place at(long offset) {
        return new Place(1, offset);
    }

    private static final class InMemory implements PastStore {

        private final Map<byte[], Bytes> values = new TreeMap<>(Arrays::compareUnsigned);
        private int writes;

        @Override
        public @Nullable Bytes get(Bytes key) {
            return values.get(key.array());
        }

        @Override
        public void put(Bytes key, Bytes value) {
            writes++;
            values.put(key.array(), value);
        }

        @Override
        public void delete(Bytes key) {
            values.remove(key.array());
        }

        @Override
        public void each(int room, Consumer<Bytes> value) {
            values.forEach((key, each) -> {
                if (key[0] == room) {
                    value.accept(each);
                }
            });
        }

        @Override
        public boolean isEmpty(int room) {
            return values.keySet().stream().noneMatch(key -> key[0] == room);
        }
    }
}
