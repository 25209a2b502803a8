package io.tailrace.benchmarks.commands;

import io.tailrace.benchmarks.harness.Figure;
import io.tailrace.benchmarks.harness.Goal;

/** A report for people. */
final class CommandsTable {

    private static final String ROW = "%-26s %9s %9s %9s %11s %9s %9s %9s %9s %9s%n";

    private CommandsTable() {}

    static String of(CommandsReport report) {
        CommandsPlan.Sizes sizes = report.settings().sizes();
        StringBuilder text = new StringBuilder(
                "%,d commands over %,d keys, %,d of one key, then behind a head that waits while %,d/s arrive, latency at %,d/s for %d s; after %,d to get warm, median of %d, heap %s%n"
                        .formatted(
                                sizes.commands(),
                                sizes.keys(),
                                sizes.hotCommands(),
                                sizes.arrivingPerSecond(),
                                sizes.rowsPerSecond(),
                                sizes.seconds(),
                                report.settings().warmUpRows(),
                                report.settings().runs(),
                                report.settings().heapOfContender()));
        text.append(ROW.formatted(
                "", "drain/s", "hot/s", "behind/s", "no order", "CPU µs", "with all", "p50 ms", "p99 ms", "max ms"));
        report.contenders()
                .forEach((name, figures) -> text.append(ROW.formatted(
                        name,
                        Figure.text("%,.0f", figures.perSecond()),
                        Figure.text("%,.0f", figures.hotKeyPerSecond()),
                        Figure.text("%,.0f", figures.behindPerSecond()),
                        Figure.text("%,.0f", figures.outOfOrder()),
                        Figure.text("%,.0f", figures.cpuMicrosPerCommand()),
                        Figure.text("%,.0f", figures.allCpuMicrosPerCommand()),
                        Figure.text("%.1f", figures.p50Ms()),
                        Figure.text("%.1f", figures.p99Ms()),
                        Figure.text("%.1f", figures.maxMs()))));
        report.ratios()
                .forEach((peer, ratios) -> text.append("× %s: drain %s, hot key %s%n"
                        .formatted(
                                peer,
                                Figure.text("%.2f", ratios.perSecond()),
                                Figure.text("%.2f", ratios.hotKeyPerSecond()))));
        text.append(Goal.lines(report.goals()));
        report.settings()
                .unusual()
                .forEach((contender, settings) ->
                        text.append("%s with unusual settings: %s%n".formatted(contender, settings)));
        return text.append(report.machine().line(report.versions())).toString();
    }
}
