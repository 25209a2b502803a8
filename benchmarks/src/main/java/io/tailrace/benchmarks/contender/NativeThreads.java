package io.tailrace.benchmarks.contender;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Processor time of the threads that the JVM runs for itself, as Linux counts them; elsewhere nothing is known. */
final class NativeThreads {

    private static final Path TASKS = Path.of("/proc/self/task");

    /** Of which {@code stat} counts 100 a second, on every Linux that Java runs on. */
    private static final long NANOS_PER_TICK = 10_000_000;

    /** After the name, which stands in brackets: the 12th and 13th, user and system time. */
    private static final int USER_TIME = 11;

    private NativeThreads() {}

    /** Nanoseconds so far of {@code compiler} and {@code collector}; empty where it is not known. */
    static Map<String, Long> nanos() {
        Map<String, Long> nanos = new TreeMap<>();
        if (!Files.isDirectory(TASKS)) {
            return nanos;
        }
        try (Stream<Path> tasks = Files.list(TASKS)) {
            for (Path task : tasks.toList()) {
                add(task, nanos);
            }
        } catch (IOException e) {
            // Then it is not known.
            return Map.of();
        }
        return nanos;
    }

    private static void add(Path task, Map<String, Long> nanos) {
        try {
            String stat = Files.readString(task.resolve("stat"));
            String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
            String[] numbers = stat.substring(stat.lastIndexOf(')') + 2).split(" ", USER_TIME + 3);
            long ticks = Long.parseLong(numbers[USER_TIME]) + Long.parseLong(numbers[USER_TIME + 1]);
            String kind = kind(name);
            if (!kind.isEmpty()) {
                nanos.merge(kind, ticks * NANOS_PER_TICK, Long::sum);
            }
        } catch (IOException gone) {
            // A thread that has ended since the list was made.
        }
    }

    private static String kind(String name) {
        if (name.startsWith("C1 ") || name.startsWith("C2 ")) {
            return "compiler";
        }
        boolean collects = List.of("GC ", "G1 ", "VM Thread", "Shenandoah", "ZGC", "XMain", "XWorker").stream()
                .anyMatch(name::startsWith);
        return collects ? "collector" : "";
    }
}
