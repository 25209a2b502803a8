package io.tailrace.benchmarks.profile;

import io.tailrace.benchmarks.contender.DrainEvent;
import io.tailrace.benchmarks.contender.Measured;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code run profile}. */
@Command(
        name = "profile",
        description =
                "Reads a flight recording of a drain (capture --jfr) and shows which work the processor time of a row went to.",
        mixinStandardHelpOptions = true)
public final class ProfileCommand implements Callable<Integer> {

    private static final String SAMPLE = "jdk.ExecutionSample";

    @Parameters(paramLabel = "RECORDING")
    private @Nullable Path recording;

    /** For the command line. */
    public ProfileCommand() {}

    @Override
    public Integer call() throws IOException {
        List<RecordedEvent> events = RecordingFile.readAllEvents(java.util.Objects.requireNonNull(recording));
        // The first one marks the warm-up.
        RecordedEvent drain = events.stream()
                .filter(event -> event.getEventType().getName().equals(DrainEvent.NAME))
                .max(Comparator.comparing(RecordedEvent::getStartTime))
                .orElseThrow(() -> new IllegalArgumentException(recording + " is no recording of a drain"));
        Measured measured = Measured.of(drain.getString(DrainEvent.MEASURED));
        System.out.print(table(measured, samples(events, drain.getStartTime(), drain.getEndTime())));
        return 0;
    }

    private static Map<String, Map<Part, Integer>> samples(List<RecordedEvent> events, Instant from, Instant to) {
        Map<String, Map<Part, Integer>> byThread = new TreeMap<>();
        for (RecordedEvent event : events) {
            boolean within = !event.getStartTime().isBefore(from)
                    && !event.getStartTime().isAfter(to);
            if (!within || !event.getEventType().getName().equals(SAMPLE) || event.getStackTrace() == null) {
                continue;
            }
            String thread = event.getThread("sampledThread").getJavaName();
            List<String> frames = event.getStackTrace().getFrames().stream()
                    .map(ProfileCommand::name)
                    .toList();
            byThread.computeIfAbsent(String.valueOf(thread), any -> new EnumMap<>(Part.class))
                    .merge(Part.of(frames), 1, Integer::sum);
        }
        return byThread;
    }

    private static String name(RecordedFrame frame) {
        return frame.getMethod().getType().getName() + "." + frame.getMethod().getName();
    }

    /** Threads by what they took; each thread's microseconds are spread over its parts as its samples are. */
    private static String table(Measured measured, Map<String, Map<Part, Integer>> samples) {
        StringBuilder text = new StringBuilder(line(
                "%.0f rows/s, %.1f µs of processor time a row (while it was recorded)",
                measured.rowsPerSecond(), measured.cpuMicrosPerRow()));
        double threads = measured.cpuMicrosPerRowByThread().values().stream()
                .mapToDouble(Double::doubleValue)
                .sum();
        measured.cpuMicrosPerRowByThread().entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .forEach(thread -> {
                    text.append(line("%6.1f µs  %s", thread.getValue(), thread.getKey()));
                    Map<Part, Integer> parts = samples.getOrDefault(thread.getKey(), Map.of());
                    int all =
                            parts.values().stream().mapToInt(Integer::intValue).sum();
                    parts.entrySet().stream()
                            .sorted(Map.Entry.<Part, Integer>comparingByValue().reversed())
                            .forEach(part -> text.append(line(
                                    "          %6.2f µs %3.0f %%  %s",
                                    thread.getValue() * part.getValue() / all,
                                    100.0 * part.getValue() / all,
                                    part.getKey().text())));
                });
        text.append(line("%6.1f µs  what no thread accounts for", measured.cpuMicrosPerRow() - threads));
        return text.toString();
    }

    private static String line(String format, Object... values) {
        return String.format(Locale.ROOT, format, values) + System.lineSeparator();
    }
}
