package io.tailrace.benchmarks.contender;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;

/**
 * What a drain took, from the first rows that were delivered to the last; those first ones do not count.
 *
 * @param rows delivered within that time
 * @param seconds that it took
 * @param startSeconds from the start of the pipeline to its first rows
 * @param cpuMicrosPerRow time on processors of the whole JVM
 * @param maxHeapMiB most heap that was in use right after a collection; of heap at the end when there was none
 * @param cpuMicrosPerRowByThread processor time by thread; where it is known, in brackets, that of the JVM's compiler and collector
 * @param gcMillis stopped for collections
 * @param cpuMicrosPerRowByNeighbour what the servers took meanwhile: {@code broker}, {@code postgresql}
 */
public record Measured(
        long rows,
        double seconds,
        double startSeconds,
        double cpuMicrosPerRow,
        double maxHeapMiB,
        double gcMillis,
        Map<String, Double> cpuMicrosPerRowByThread,
        Map<String, Double> cpuMicrosPerRowByNeighbour) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Reads {@link #json()}. */
    public static Measured of(String json) {
        try {
            return JSON.readValue(json, Measured.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("no measurement: " + json, e);
        }
    }

    /** As text that {@link #of} reads. */
    public String json() {
        try {
            return JSON.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Processor time of everybody for a row; cores divided by it are the most rows that the machine can do. */
    @JsonIgnore
    public double allCpuMicrosPerRow() {
        return cpuMicrosPerRow
                + cpuMicrosPerRowByNeighbour.values().stream()
                        .mapToDouble(Double::doubleValue)
                        .sum();
    }

    /** Rows of a second. */
    @JsonIgnore
    public double rowsPerSecond() {
        return rows / seconds;
    }
}
