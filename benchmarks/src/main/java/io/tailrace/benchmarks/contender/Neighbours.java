package io.tailrace.benchmarks.contender;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * Processor time of the servers that share the machine with a contender, as the system counts it, in steps of 10 ms: the broker, which
 * runs in the JVM that started this one, and PostgreSQL. What the machine can do at most follows from theirs and the contender's
 * together.
 */
final class Neighbours {

    private Neighbours() {}

    /**
     * Nanoseconds so far of {@code broker} and {@code postgresql}; what is not known is absent.
     *
     * @param postmaster first process of the PostgreSQL server
     */
    static Map<String, Long> nanos(long postmaster) {
        Map<String, Long> nanos = new TreeMap<>();
        ProcessHandle.current().parent().ifPresent(broker -> nanos.put("broker", nanos(broker)));
        // A server process that ends between two looks takes its time with it; those of a drain do not end.
        ProcessHandle.of(postmaster)
                .ifPresent(server -> nanos.put(
                        "postgresql",
                        server.descendants().mapToLong(Neighbours::nanos).sum()));
        return nanos;
    }

    private static long nanos(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }
}
