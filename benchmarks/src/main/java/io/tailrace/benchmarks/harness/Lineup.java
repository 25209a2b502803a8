package io.tailrace.benchmarks.harness;

import io.tailrace.benchmarks.contender.Contender;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Who is measured, how often, and in which JVMs.
 *
 * @param contenders in the order of the first run
 * @param warmRows that each drains before it is measured
 * @param runs of each contender, in turn
 * @param heap of a contender's JVM, as in {@code -Xmx}
 * @param java further options of each contender's JVM
 * @param settings of contenders that differ from what is usual
 * @param recordings where to put a flight recording of each contender
 */
public record Lineup(
        List<Contender> contenders,
        int warmRows,
        int runs,
        String heap,
        List<String> java,
        Map<Contender, Map<String, String>> settings,
        Optional<Path> recordings) {

    public Lineup {
        contenders = List.copyOf(contenders);
        java = List.copyOf(java);
        settings = Map.copyOf(settings);
        require(!contenders.isEmpty(), "--contenders must name one");
        require(warmRows >= 1000 && warmRows <= 10_000_000, "--warm-up must be 1000 to 10000000");
        require(runs >= 1 && runs <= 100, "--runs must be 1 to 100");
    }

    /** Refuses what makes no sense; the message names the option. */
    public static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /** Of each contender's JVM. */
    List<String> jvmOptions() {
        return Stream.concat(Stream.of("-Xmx" + heap), java.stream()).toList();
    }

    /** The contenders as a run takes them: each run begins with another one, so that none is always first. */
    public List<Contender> inOrderOf(int run) {
        return rotated(contenders, run);
    }

    /** A list that begins with another of its elements in each run. */
    public static <T> List<T> rotated(List<T> all, int run) {
        return IntStream.range(0, all.size())
                .mapToObj(i -> all.get((run + i) % all.size()))
                .toList();
    }

    /** Settings that were tried, by the name of the contender. */
    public Map<String, Map<String, String>> unusual() {
        Map<String, Map<String, String>> unusual = new TreeMap<>();
        settings.forEach((contender, tried) -> {
            if (!tried.isEmpty()) {
                unusual.put(contender.text(), tried);
            }
        });
        return unusual;
    }
}
