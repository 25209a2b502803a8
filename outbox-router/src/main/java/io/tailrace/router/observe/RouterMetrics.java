package io.tailrace.router.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.tailrace.contract.record.Reason;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.lane.LaneWatcher;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Everything the router counts. Counts are of work done, not of work committed: after a crash the rows of an open transaction are
 * counted again. Labels are bounded: {@code x}, {@code reason}. For use by many threads.
 */
public final class RouterMetrics implements LaneWatcher {

    private static final String PREFIX = "tailrace.router.";

    private final MeterRegistry registry;
    private final Timer commitToRouted;
    private final Timer lateness;
    private final Timer blocked;
    private final DistributionSummary attempts;
    private final AtomicLong blockedKeys = new AtomicLong();
    private final AtomicLong parkedRows = new AtomicLong();
    private final AtomicLong parkedBytes = new AtomicLong();
    private final AtomicInteger destinationsDown = new AtomicInteger();

    public RouterMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.commitToRouted = timer("commit.to.routed", "From the commit of a row's transaction to its route");
        this.lateness = timer("lateness", "From the instant a command was due to its route");
        this.blocked = timer("blocked", "How long a key was blocked");
        this.attempts = DistributionSummary.builder(PREFIX + "attempts")
                .description("Failed attempts of a row of the router when it left its lane")
                .register(registry);
        gauge("blocked.keys", "Keys whose rows wait", blockedKeys);
        gauge("parked.rows", "Rows that wait on lanes", parkedRows);
        gauge("parked.bytes", "Bytes of these rows", parkedBytes);
        gauge("destinations.down", "Destinations that rows wait for", destinationsDown);
    }

    /** An event reached its destination. */
    public void routed(String x, Duration sinceCommit) {
        counter("routed", "Rows routed", "x", x).increment();
        commitToRouted.record(sinceCommit);
    }

    /** A command became due. */
    public void due(String x, Duration late) {
        counter("routed", "Rows routed", "x", x).increment();
        lateness.record(late);
    }

    /** An attempt of the router failed and is made again. */
    public void retried(String x) {
        counter("retried", "Attempts that failed and are made again", "x", x).increment();
    }

    /** A row of a subscription was released. */
    public void released(String x) {
        counter("released", "Rows released to executors", "x", x).increment();
    }

    /** A row was given up. */
    public void deadLettered(String x, Reason reason) {
        Counter.builder(PREFIX + "dead.letters")
                .description("Rows given up")
                .tag("x", x)
                .tag("reason", reason.text())
                .register(registry)
                .increment();
    }

    /** A row of the router left its lane after so many failed attempts. */
    public void settledAfter(int failedAttempts) {
        attempts.record(failedAttempts);
    }

    /** How many destinations rows wait for. */
    public void destinationsDown(int count) {
        destinationsDown.set(count);
    }

    /** What a task finds in its stores when it opens them. */
    public void found(long keys, long rows) {
        blockedKeys.addAndGet(keys);
        parkedRows.addAndGet(rows);
    }

    @Override
    public void blocked(LaneKey key) {
        blockedKeys.incrementAndGet();
    }

    @Override
    public void flowing(LaneKey key, long blockedForMillis) {
        blockedKeys.decrementAndGet();
        blocked.record(Duration.ofMillis(Math.max(0, blockedForMillis)));
    }

    @Override
    public void rows(int delta, long bytesDelta) {
        parkedRows.addAndGet(delta);
        parkedBytes.addAndGet(bytesDelta);
    }

    private Counter counter(String name, String description, String tag, String value) {
        return Counter.builder(PREFIX + name)
                .description(description)
                .tag(tag, value)
                .register(registry);
    }

    private Timer timer(String name, String description) {
        return Timer.builder(PREFIX + name)
                .description(description)
                .publishPercentileHistogram()
                .register(registry);
    }

    private void gauge(String name, String description, Number number) {
        Gauge.builder(PREFIX + name, number, Number::doubleValue)
                .description(description)
                .register(registry);
    }
}
