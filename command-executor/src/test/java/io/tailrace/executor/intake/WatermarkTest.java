package io.tailrace.executor.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.broker.CommitNote;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class WatermarkTest {

    @Test
    void theFirstThatIsNotSettledHolds() {
        Watermark watermark = from(3);
        assertThat(watermark.note()).isEqualTo(new CommitNote(true, 3, 3, List.of()));
        assertThat(watermark.offer(3, "a")).isTrue();
        assertThat(watermark.offer(7, "b")).isTrue(); // markers of transactions have offsets too
        watermark.settled(7);
        assertThat(watermark.note()).isEqualTo(new CommitNote(true, 3, 8, List.of(3L)));
        watermark.settled(3);
        watermark.settled(3);
        assertThat(watermark.note()).isEqualTo(new CommitNote(true, 8, 8, List.of()));
        assertThat(watermark.open()).isZero();
    }

    @Test
    void aSlowKeyIsLeftInTheTopicAndTheOthersGoOn() {
        Watermark watermark = from(0);
        for (int offset = 0; offset < 1000; offset++) {
            boolean slow = offset % 2 == 0;
            assertThat(watermark.offer(offset, slow ? "slow" : (Object) offset))
                    .isEqualTo(!slow || offset < 2 * Watermark.KEY_FULL);
            if (!slow) {
                watermark.settled(offset);
            }
            assertThat(watermark.turn()).isEmpty();
        }
        assertThat(watermark.open()).isEqualTo(Watermark.KEY_FULL);
        // All of it is one entry for the next owner.
        assertThat(watermark.note()).isEqualTo(new CommitNote(true, 0, 1000, List.of(0L)));
        for (int offset = 0; offset < 2 * (Watermark.KEY_FULL - Watermark.KEY_ROOM); offset += 2) {
            assertThat(watermark.turn()).isEmpty();
            watermark.settled(offset);
        }
        long from = 2 * Watermark.KEY_FULL;
        assertThat(watermark.turn()).hasValue(from);
        assertThat(watermark.offer(from, "slow")).isTrue();
        assertThat(watermark.offer(from + 1, from + 1)).isFalse();
    }

    /** Whatever is read, settled, lost and read again: nothing is passed over, each key keeps its order, what is settled mostly stays so. */
    @Property(tries = 60)
    void nothingIsPassedOverAndKeysKeepTheirOrder(@ForAll long seed) {
        new Trial(new Random(seed)).run();
    }

    private static Watermark from(long offset) {
        return new Watermark(CommitNote.none(offset));
    }

    /** A topic, a client and workers that settle the rows of a key in their order; owners die and are succeeded. */
    private static final class Trial {
        private final Random random;
        private final TreeMap<Long, Object> topic = new TreeMap<>();
        private final Map<Object, Long> settledUpTo = new HashMap<>();
        private final TreeMap<Long, Integer> runs = new TreeMap<>();
        private final TreeMap<Long, Object> queued = new TreeMap<>();
        private Watermark watermark = from(0);
        private CommitNote stands = CommitNote.none(0);
        private long next;

        /** What was settled before the owner left in order; nothing after one that died. */
        private Set<Long> known = new HashSet<>();

        private Set<Long> settled = new HashSet<>();
        private int again;

        private Trial(Random random) {
            this.random = random;
            long offset = 0;
            for (int i = 0; i < 1500; i++) {
                offset += 1 + random.nextInt(3);
                int key = random.nextInt(8);
                topic.put(offset, key == 0 ? (Object) offset : key < 6 ? "hot" : "key" + key);
            }
        }

        private void run() {
            int deaths = 3;
            for (int step = 0; step < 1_000_000 && !isOver(); step++) {
                read(random.nextInt(60));
                settle(random.nextInt(40));
                if (random.nextInt(20) == 0) {
                    commit();
                }
                if (deaths > 0 && random.nextInt(60) == 0) {
                    deaths--;
                    die();
                }
            }
            assertThat(runs).hasSameSizeAs(topic);
            // Looked at twice after an owner who left in order: one row of each key at most.
            assertThat(again).isLessThanOrEqualTo(3);
            commit();
            assertThat(stands.offset()).isEqualTo(topic.lastKey() + 1);
        }

        private boolean isOver() {
            return runs.size() == topic.size()
                    && queued.isEmpty()
                    && next > topic.lastKey()
                    && watermark.turn().isEmpty();
        }

        private void read(int most) {
            for (Map.Entry<Long, Object> row : new ArrayList<>(
                            topic.tailMap(next).entrySet())
                    .stream().limit(most).toList()) {
                next = row.getKey() + 1;
                if (watermark.offer(row.getKey(), row.getValue())) {
                    assertThat(queued.put(row.getKey(), row.getValue())).isNull();
                }
            }
            OptionalLong turn = watermark.turn();
            if (turn.isPresent()) {
                next = turn.getAsLong();
            }
        }

        private void settle(int most) {
            for (int i = 0; i < most && !queued.isEmpty(); i++) {
                List<Object> keys = queued.values().stream().distinct().toList();
                Object key = keys.get(random.nextInt(keys.size()));
                long row = queued.entrySet().stream()
                        .filter(each -> each.getValue().equals(key))
                        .findFirst()
                        .orElseThrow()
                        .getKey();
                queued.remove(row);
                int before = runs.getOrDefault(row, 0);
                runs.put(row, before + 1);
                again += known.contains(row) ? 1 : 0;
                settled.add(row);
                if (before == 0) {
                    long last = settledUpTo.getOrDefault(key, -1L);
                    assertThat(row).isGreaterThan(last);
                    // Nothing of the key between the two was passed over.
                    assertThat(topic.subMap(last + 1, row).values()).doesNotContain(key);
                    settledUpTo.put(key, row);
                }
                watermark.settled(row);
            }
        }

        private void commit() {
            CommitNote now = watermark.note();
            assertThat(now.offset()).isGreaterThanOrEqualTo(stands.offset());
            // Short enough to be cut now and then.
            stands = CommitNote.parse(now.offset(), now.text(random.nextBoolean() ? CommitNote.MOST_CHARS : 40));
        }

        private void die() {
            known = new HashSet<>();
            if (random.nextBoolean()) {
                CommitNote now = watermark.note();
                stands = CommitNote.parse(now.offset(), now.text(CommitNote.MOST_CHARS));
                known = settled;
            }
            settled = new HashSet<>();
            again = 0;
            queued.clear();
            watermark = new Watermark(stands);
            next = stands.offset();
        }
    }

    @Test
    void theOldestOpenRecordIsOfTheBatchInWhichItWasRead() {
        Assignment assignment = new Assignment(new TopicPartition("t", 0), from(0));
        assertThat(assignment.oldestOpen()).isEmpty();
        long start = System.nanoTime();
        begun(assignment, 0, 1);
        long between = System.nanoTime();
        begun(assignment, 2, 3);

        assignment.watermark().settled(0);
        assertThat(assignment.oldestOpen().orElseThrow()).isBetween(start, between);
        assignment.watermark().settled(2);
        assertThat(assignment.oldestOpen().orElseThrow()).isBetween(start, between);
        assignment.watermark().settled(1);
        assertThat(assignment.oldestOpen().orElseThrow()).isGreaterThanOrEqualTo(between);
        assignment.watermark().settled(3);
        assertThat(assignment.oldestOpen()).isEmpty();
    }

    private static void begun(Assignment assignment, long... offsets) {
        assignment.read(offsets[0]);
        for (long offset : offsets) {
            assignment.watermark().offer(offset, offset);
        }
    }
}
