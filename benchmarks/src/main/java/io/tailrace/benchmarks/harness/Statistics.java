package io.tailrace.benchmarks.harness;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/** Of small samples, and of latencies. */
final class Statistics {

    private Statistics() {}

    /** The middle one, or the mean of the two in the middle; empty of nothing. */
    static OptionalDouble median(List<Double> values) {
        if (values.isEmpty()) {
            return OptionalDouble.empty();
        }
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return OptionalDouble.of(sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2);
    }

    /**
     * The least value that at least this part of all values does not exceed (nearest rank: always one that was measured).
     *
     * @param part above 0, at most 1
     */
    static double quantile(long[] values, double part) {
        if (values.length == 0) {
            throw new IllegalArgumentException("nothing was measured");
        }
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        int rank = (int) Math.ceil(part * sorted.length);
        return sorted[Math.max(0, rank - 1)];
    }
}
