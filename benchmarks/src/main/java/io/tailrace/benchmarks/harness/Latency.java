package io.tailrace.benchmarks.harness;

import java.util.function.IntToLongFunction;

/**
 * How long rows took until a reader had them.
 *
 * @param p50Millis half the rows were not later
 * @param p99Millis 99 of a hundred were not later
 * @param maxMillis none was later
 * @param rows that were measured
 * @param rowsPerSecond at which they came
 */
public record Latency(double p50Millis, double p99Millis, double maxMillis, int rows, double rowsPerSecond) {

    /**
     * Of the rows from {@code from} to {@code to} - 1.
     *
     * @param since the moment from which a row counts, in microseconds since the epoch
     * @throws IllegalStateException when one of them never came
     */
    static Latency of(IntToLongFunction since, Arrivals arrivals, int from, int to) {
        long[] micros = new long[to - from];
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (int row = from; row < to; row++) {
            if (arrivals.micros(row) == 0) {
                throw new IllegalStateException("row %d was committed and never came".formatted(row));
            }
            long began = since.applyAsLong(row);
            first = Math.min(first, began);
            last = Math.max(last, began);
            // It may be read before the writer hears that it is committed.
            micros[row - from] = Math.max(0, arrivals.micros(row) - began);
        }
        return new Latency(
                Statistics.quantile(micros, 0.50) / 1000,
                Statistics.quantile(micros, 0.99) / 1000,
                Statistics.quantile(micros, 1.0) / 1000,
                to - from,
                (to - from) / (Math.max(1, last - first) / 1e6));
    }

    /** For people who wait. */
    public String line() {
        return "p50 %.1f ms, p99 %.1f ms, at most %.1f ms at %.0f rows/s"
                .formatted(p50Millis, p99Millis, maxMillis, rowsPerSecond);
    }
}
