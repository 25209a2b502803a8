package io.tailrace.router.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Reason;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;

/**
 * Everything the router counts. Counts are of work done, not of work committed: after a crash the rows of an open transaction are
 * counted again. Labels are bounded: {@code x}, {@code reason}, and the topics that are down. For use by many threads.
 */
public final class RouterMetrics {

    private static final String PREFIX = "tailrace.router.";

    /** A half is none: a limit must be more than 0. */
    private static final double[] ATTEMPTS = {0.5, 1, 2, 3, 5, 10, 20};

    private final MeterRegistry registry;
    private final Timer commitToRouted;
    private final Timer lateness;
    private final Timer blocked;
    private final DistributionSummary attempts;
    private final Set<TaskLanes> tasks = ConcurrentHashMap.newKeySet();
    private final AtomicInteger destinationsDown = new AtomicInteger();
    private final AtomicInteger intakeStopped = new AtomicInteger();
    private final MultiGauge topicDown;
    /** A row costs microseconds, and finding a meter by name and labels is a good part of one. */
    private final Map<String, Counter> counters = new ConcurrentHashMap<>();

    /** By the clock of the machine. */
    public RouterMetrics(MeterRegistry registry) {
        this(registry, InstantSource.system());
    }

    /** Every meter is there from the start: a rate counts from zero, and not from the first row. */
    public RouterMetrics(MeterRegistry registry, InstantSource clock) {
        this.registry = registry;
        this.commitToRouted = timer("commit.to.routed", "From the commit of a row's transaction to its route");
        this.lateness = timer("lateness", "From the instant a command was due to its route");
        this.blocked = timer("blocked", "How long a key was blocked");
        this.attempts = DistributionSummary.builder(PREFIX + "attempts")
                .description("Failed attempts of a row of the router when it was delivered or given up")
                .serviceLevelObjectives(ATTEMPTS)
                .register(registry);
        gauge("blocked.keys", "Keys whose rows wait", TaskLanes::keys);
        gauge("parked.rows", "Rows that wait on lanes", TaskLanes::rows);
        gauge("parked.bytes", "Bytes of these rows", TaskLanes::bytes);
        Gauge.builder(PREFIX + "oldest.blocked.age", tasks, all -> Instants.age(oldest(all), clock.millis()))
                .description("How long the key is blocked that is blocked longest")
                .baseUnit("seconds")
                .register(registry);
        Gauge.builder(PREFIX + "destinations.down", destinationsDown, Number::doubleValue)
                .description("Destinations that rows wait for")
                .register(registry);
        for (String x : List.of(Topics.EVENTS, Topics.COMMANDS)) {
            routed(x);
            retrying(x);
            for (Reason reason : Reason.values()) {
                deadLetters(x, reason);
            }
        }
        releasedOf(Topics.COMMANDS);
        Gauge.builder(PREFIX + "intake.stopped", intakeStopped, Number::doubleValue)
                .description("1 while no row is taken in, because of an outage that is nobody's row")
                .register(registry);
        this.topicDown = MultiGauge.builder(PREFIX + "topic.down")
                .description("1 for each topic that cannot be written: a destination, or one of Tailrace's own")
                .register(registry);
    }

    /** The lanes of a task that was opened; they are counted until it is closed. */
    public TaskLanes opened() {
        TaskLanes lanes = new TaskLanes(blocked);
        tasks.add(lanes);
        return lanes;
    }

    /** A task went elsewhere, and its lanes with it. */
    public void closed(TaskLanes lanes) {
        tasks.remove(lanes);
    }

    /** An event reached its destination. */
    public void routed(String x, Duration sinceCommit) {
        routed(x).increment();
        commitToRouted.record(sinceCommit);
    }

    /** A command became due. */
    public void due(String x, Duration late) {
        routed(x).increment();
        lateness.record(late);
    }

    /** An attempt failed and is made again. */
    public void retried(String x) {
        retrying(x).increment();
    }

    /** A row of a subscription was released. */
    public void released(String x) {
        releasedOf(x).increment();
    }

    /** A row was given up. */
    public void deadLettered(String x, Reason reason) {
        deadLetters(x, reason).increment();
    }

    /** A row of the router was delivered or given up after so many failed attempts. */
    public void settledAfter(int failedAttempts) {
        attempts.record(failedAttempts);
    }

    /** How many destinations rows wait for. */
    public void destinationsDown(int count) {
        destinationsDown.set(count);
    }

    /**
     * Which topics cannot be written; no others have a series.
     *
     * @param states by topic, each in a word
     */
    public void topicsDown(Map<String, String> states) {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        states.forEach((topic, state) -> rows.add(MultiGauge.Row.of(Tags.of("topic", topic, "state", state), 1)));
        topicDown.register(rows, true);
    }

    /** Whether an outage keeps rows from being taken in. */
    public void intakeStopped(boolean isStopped) {
        intakeStopped.set(isStopped ? 1 : 0);
    }

    private Counter routed(String x) {
        return counter("routed", "Rows routed", x);
    }

    private Counter retrying(String x) {
        return counter("retried", "Attempts that failed and are made again", x);
    }

    private Counter releasedOf(String x) {
        return counter("released", "Rows released to executors", x);
    }

    private Counter deadLetters(String x, Reason reason) {
        return counters.computeIfAbsent(
                "dead.letters " + x + ' ' + reason,
                any -> Counter.builder(PREFIX + "dead.letters")
                        .description("Rows given up")
                        .tag("x", x)
                        .tag("reason", reason.text())
                        .register(registry));
    }

    private static long oldest(Set<TaskLanes> tasks) {
        return tasks.stream().mapToLong(TaskLanes::oldest).min().orElse(Long.MAX_VALUE);
    }

    private Counter counter(String name, String description, String x) {
        return counters.computeIfAbsent(
                name + ' ' + x,
                any -> Counter.builder(PREFIX + name)
                        .description(description)
                        .tag("x", x)
                        .register(registry));
    }

    private Timer timer(String name, String description) {
        return Timer.builder(PREFIX + name)
                .description(description)
                .publishPercentileHistogram()
                .register(registry);
    }

    private void gauge(String name, String description, ToLongFunction<TaskLanes> value) {
        Gauge.builder(PREFIX + name, tasks, all -> all.stream().mapToLong(value).sum())
                .description(description)
                .register(registry);
    }
}
