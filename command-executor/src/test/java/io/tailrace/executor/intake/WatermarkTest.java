package io.tailrace.executor.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class WatermarkTest {

    @Test
    void nothingReadIsNothingToCommit() {
        assertThat(new Watermark().position()).isEmpty();
    }

    @Test
    void theFirstThatIsNotSettledHolds() {
        Watermark watermark = new Watermark();
        watermark.begun(3);
        watermark.begun(7); // markers of transactions have offsets too
        watermark.settled(7);
        assertThat(watermark.position()).hasValue(3);
        watermark.settled(3);
        watermark.settled(3);
        assertThat(watermark.position()).hasValue(8);
        assertThat(watermark.open()).isZero();
    }

    /** Whatever the order of settling: never past an unsettled record, never back. */
    @Property
    void neverPassesWhatIsOpenAndNeverFalls(@ForAll List<@IntRange(min = 0, max = 20) Integer> settling) {
        Watermark watermark = new Watermark();
        Set<Long> open = new TreeSet<>();
        Set<Integer> settled = new HashSet<>();
        long last = 0;
        for (int next = 0; next < settling.size(); next++) {
            watermark.begun(next * 2L);
            open.add(next * 2L);
            int candidate = Math.min(settling.get(next), next);
            if (settled.add(candidate)) {
                watermark.settled(candidate * 2L);
                open.remove(candidate * 2L);
            }
            long position = watermark.position().orElseThrow();
            assertThat(position).isGreaterThanOrEqualTo(last);
            assertThat(open).allMatch(offset -> offset >= position);
            last = position;
        }
    }

    @Test
    void theOldestOpenRecordIsOfTheBatchInWhichItWasRead() {
        Assignment assignment = new Assignment(new TopicPartition("t", 0));
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
            assignment.watermark().begun(offset);
        }
    }
}
