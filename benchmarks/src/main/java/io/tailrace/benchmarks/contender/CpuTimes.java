package io.tailrace.benchmarks.contender;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Map;
import java.util.TreeMap;

/**
 * Time on processors up to a moment.
 *
 * @param processNanos of the whole JVM, its compilers and collectors included
 * @param nanosByThread of each live Java thread, threads of one name together, and of {@link NativeThreads}
 * @param gcMillis stopped for collections
 * @param nanosByNeighbour of {@link Neighbours}
 */
record CpuTimes(long processNanos, Map<String, Long> nanosByThread, long gcMillis, Map<String, Long> nanosByNeighbour) {

    static CpuTimes now(long postmaster) {
        long process = ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Map<String, Long> byThread = new TreeMap<>();
        for (long id : threads.getAllThreadIds()) {
            ThreadInfo thread = threads.getThreadInfo(id);
            long nanos = threads.getThreadCpuTime(id);
            if (thread != null && nanos > 0) {
                byThread.merge(thread.getThreadName(), nanos, Long::sum);
            }
        }
        long gc = ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
        // In brackets, so that no Java thread has that name.
        NativeThreads.nanos().forEach((kind, nanos) -> byThread.put("(" + kind + ")", nanos));
        return new CpuTimes(process, byThread, gc, Neighbours.nanos(postmaster));
    }

    /** Microseconds of the process for each of {@code rows}, since {@code before}. */
    double microsPerRow(CpuTimes before, long rows) {
        return micros(processNanos - before.processNanos, rows);
    }

    /** The same by thread; what is below a tenth of a microsecond is left out. */
    Map<String, Double> microsPerRowByThread(CpuTimes before, long rows) {
        Map<String, Double> result = new TreeMap<>();
        nanosByThread.forEach((thread, nanos) -> {
            double micros = micros(nanos - before.nanosByThread.getOrDefault(thread, 0L), rows);
            if (micros >= 0.1) {
                result.put(thread, micros);
            }
        });
        return result;
    }

    /** The same by neighbour. */
    Map<String, Double> microsPerRowByNeighbour(CpuTimes before, long rows) {
        Map<String, Double> result = new TreeMap<>();
        nanosByNeighbour.forEach((neighbour, nanos) -> result.put(
                neighbour, Math.max(0, micros(nanos - before.nanosByNeighbour.getOrDefault(neighbour, 0L), rows))));
        return result;
    }

    private static double micros(long nanos, long rows) {
        return nanos / 1000.0 / rows;
    }
}
