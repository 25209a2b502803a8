package io.tailrace.benchmarks.capture;

import io.tailrace.benchmarks.harness.Figure;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A report for people. */
final class ReportTable {

    private static final String ROW = "%-20s %10s %9s %9s %11s %9s %9s %9s %9s%n";

    private ReportTable() {}

    static String of(CaptureReport report) {
        StringBuilder text = new StringBuilder();
        report.shapes().values().forEach(shape -> append(text, report, shape));
        report.settings()
                .unusual()
                .forEach((contender, settings) ->
                        text.append("%s with unusual settings: %s%n".formatted(contender, settings)));
        if (!report.settings().javaOfContender().isEmpty()) {
            text.append("JVMs with unusual options: %s%n"
                    .formatted(report.settings().javaOfContender()));
        }
        text.append(report.machine().line(report.versions()));
        return text.toString();
    }

    private static void append(StringBuilder text, CaptureReport report, CaptureReport.Shaped shape) {
        text.append(
                "%,d row%s per transaction, %,d rows after %,d to get warm, median of %d, heap %s; latency at %,d rows/s%n"
                        .formatted(
                                shape.rowsPerTransaction(),
                                shape.rowsPerTransaction() == 1 ? "" : "s",
                                report.settings().rows(),
                                report.settings().warmUpRows(),
                                report.settings().runs(),
                                report.settings().heapOfContender(),
                                report.settings().latencyRowsPerSecond()));
        text.append(ROW.formatted(
                "", "rows/s", "of peer", "of limit", "CPU µs/row", "with all", "heap MiB", "p50 ms", "p99 ms"));
        for (Map.Entry<String, CaptureReport.Figures> one : shape.contenders().entrySet()) {
            CaptureReport.Figures figures = one.getValue();
            CaptureReport.@Nullable Ratios ratios = shape.ratios().get(one.getKey());
            text.append(ROW.formatted(
                    one.getKey(),
                    Figure.text("%,.0f", figures.rowsPerSecond()),
                    Figure.text("%.2f", ratios == null ? null : ratios.toPeer()),
                    Figure.text("%.2f", ratios == null ? null : ratios.toLimitReadProduce()),
                    Figure.text("%.1f", figures.cpuMicrosPerRow()),
                    Figure.text("%.1f", figures.allCpuMicrosPerRow()),
                    Figure.text("%.1f", figures.maxHeapMiB()),
                    Figure.text("%.1f", figures.p50Ms()),
                    Figure.text("%.1f", figures.p99Ms())));
        }
        text.append(System.lineSeparator());
    }
}
