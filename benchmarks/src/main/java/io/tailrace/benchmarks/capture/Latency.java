package io.tailrace.benchmarks.capture;

/**
 * From commit to reader.
 *
 * @param p50Millis half the rows were not later
 * @param p99Millis 99 of a hundred were not later
 * @param rows that were measured
 * @param rowsPerSecond at which they were committed
 */
record Latency(double p50Millis, double p99Millis, int rows, double rowsPerSecond) {

    /**
     * Of the rows from {@code from} to {@code to} - 1.
     *
     * @throws IllegalStateException when one of them never came
     */
    static Latency of(PacedWriter writer, Arrivals arrivals, int from, int to) {
        long[] micros = new long[to - from];
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (int row = from; row < to; row++) {
            if (arrivals.micros(row) == 0) {
                throw new IllegalStateException("row %d was committed and never came".formatted(row));
            }
            long committed = writer.commitMicros(row);
            first = Math.min(first, committed);
            last = Math.max(last, committed);
            // It may be read before the writer hears that it is committed.
            micros[row - from] = Math.max(0, arrivals.micros(row) - committed);
        }
        return new Latency(
                Statistics.quantile(micros, 0.50) / 1000,
                Statistics.quantile(micros, 0.99) / 1000,
                to - from,
                (to - from) / (Math.max(1, last - first) / 1e6));
    }
}
