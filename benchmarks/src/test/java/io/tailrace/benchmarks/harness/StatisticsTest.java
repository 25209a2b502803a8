package io.tailrace.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class StatisticsTest {

    @Test
    void theMedianIsTheMiddleOneWhateverTheOrder() {
        assertThat(Statistics.median(List.of(3.0, 100.0, 1.0))).hasValue(3.0);
        assertThat(Statistics.median(List.of(7.0))).hasValue(7.0);
    }

    @Test
    void theMedianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle() {
        assertThat(Statistics.median(List.of(4.0, 1.0, 2.0, 100.0))).hasValue(3.0);
    }

    @Test
    void nothingHasNoMedian() {
        assertThat(Statistics.median(List.of())).isEmpty();
    }

    @Test
    void aQuantileIsAValueThatWasMeasured() {
        long[] oneToHundred = LongStream.rangeClosed(1, 100).map(n -> 101 - n).toArray();
        assertThat(Statistics.quantile(oneToHundred, 0.50)).isEqualTo(50);
        assertThat(Statistics.quantile(oneToHundred, 0.99)).isEqualTo(99);
        assertThat(Statistics.quantile(oneToHundred, 1.0)).isEqualTo(100);
        assertThat(Statistics.quantile(new long[] {5}, 0.99)).isEqualTo(5);
        // One in a hundred may be slow; of fifty, that is none.
        assertThat(Statistics.quantile(LongStream.rangeClosed(1, 50).toArray(), 0.99))
                .isEqualTo(50);
    }

    @Test
    void aQuantileOfNothingIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Statistics.quantile(new long[0], 0.5));
    }
}
