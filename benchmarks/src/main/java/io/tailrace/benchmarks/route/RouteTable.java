package io.tailrace.benchmarks.route;

import io.tailrace.benchmarks.harness.Figure;
import io.tailrace.benchmarks.harness.Goal;

/** A report for people. */
final class RouteTable {

    private static final String ROW = "%-26s %10s %9s %9s %11s %9s %9s%n";

    private RouteTable() {}

    static String of(RouteReport report) {
        StringBuilder text = new StringBuilder("%,d rows after %,d to get warm, median of %d, heap %s%n"
                .formatted(
                        report.settings().rows(),
                        report.settings().warmUpRows(),
                        report.settings().runs(),
                        report.settings().heapOfContender()));
        text.append(ROW.formatted("", "rows/s", "of peer", "of limit", "CPU µs/row", "with all", "heap MiB"));
        report.contenders().forEach((name, figures) -> {
            RouteReport.Ratios ratios = report.ratios().getOrDefault(name, new RouteReport.Ratios(null, null));
            text.append(ROW.formatted(
                    name,
                    Figure.text("%,.0f", figures.rowsPerSecond()),
                    Figure.text("%.2f", ratios.toPeer()),
                    Figure.text("%.2f", ratios.toLimitCopy()),
                    Figure.text("%.1f", figures.cpuMicrosPerRow()),
                    Figure.text("%.1f", figures.allCpuMicrosPerRow()),
                    Figure.text("%.1f", figures.maxHeapMiB())));
        });
        text.append(Goal.lines(report.goals()));
        report.settings()
                .unusual()
                .forEach((contender, settings) ->
                        text.append("%s with unusual settings: %s%n".formatted(contender, settings)));
        return text.append(report.machine().line(report.versions())).toString();
    }
}
