package io.tailrace.benchmarks.latency;

import io.tailrace.benchmarks.harness.Figure;
import io.tailrace.benchmarks.harness.Goal;
import org.jspecify.annotations.Nullable;

/** A report for people. */
final class LatencyTable {

    private static final String ROW = "%-26s %9s %9s %9s%n";

    private LatencyTable() {}

    static String of(LatencyReport report) {
        StringBuilder text = new StringBuilder(
                "from commit to reader at %,d rows/s, for %d s after %,d rows to get warm, median of %d, heap %s%n"
                        .formatted(
                                report.settings().rowsPerSecond(),
                                report.settings().seconds(),
                                report.settings().warmUpRows(),
                                report.settings().runs(),
                                report.settings().heapOfContender()));
        text.append(ROW.formatted("", "p50 ms", "p99 ms", "max ms"));
        report.contenders().forEach((name, figures) -> append(text, name, figures));
        LatencyReport.@Nullable Figures timer = report.timer();
        if (timer != null) {
            append(text, "timer, %,d/s beside".formatted(report.settings().timersPerSecond()), timer);
        }
        text.append(Goal.lines(report.goals()));
        report.settings()
                .unusual()
                .forEach((contender, settings) ->
                        text.append("%s with unusual settings: %s%n".formatted(contender, settings)));
        return text.append(report.machine().line(report.versions())).toString();
    }

    private static void append(StringBuilder text, String name, LatencyReport.Figures figures) {
        text.append(ROW.formatted(
                name,
                Figure.text("%.1f", figures.p50Ms()),
                Figure.text("%.1f", figures.p99Ms()),
                Figure.text("%.1f", figures.maxMs())));
    }
}
