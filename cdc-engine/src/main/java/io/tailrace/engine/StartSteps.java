package io.tailrace.engine;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How long each step of one start took, from the lease to the first message that came all the way. A takeover is as long as their
 * sum, so each is measured and none is guessed. Used by one thread.
 */
final class StartSteps {

    /** The steps, in their order; each ends where the next begins. */
    enum Step {
        /** The source is read and judged. */
        PREFLIGHT,
        /** Topics are made or verified. */
        TOPICS,
        /** Whoever still streams from the slot is ended. */
        SLOT,
        /** The transactional id is taken over and what was open under it is ended. */
        FENCE,
        /** The position is read to the end of its topic. */
        POSITION,
        /** Source and position are judged together. */
        JUDGE,
        /** From the start of Debezium to the first heartbeat that came through. */
        STREAM;

        /** As a label. */
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final EngineMetrics metrics;
    private final Map<Step, Duration> took = new EnumMap<>(Step.class);
    private final long began = System.nanoTime();
    private long last = began;

    /** The first step begins now. */
    StartSteps(EngineMetrics metrics) {
        this.metrics = metrics;
    }

    /** A step has ended, the next one begins. */
    void done(Step step) {
        long now = System.nanoTime();
        Duration duration = Duration.ofNanos(now - last);
        last = now;
        took.put(step, duration);
        metrics.startStep(step, duration);
    }

    /** All of it in milliseconds, for one line of the log. */
    String text() {
        return took.entrySet().stream()
                .map(step -> step.getKey().text() + "=" + step.getValue().toMillis())
                .collect(Collectors.joining(
                        " ", "tookMs=" + Duration.ofNanos(last - began).toMillis() + " ", ""));
    }
}
