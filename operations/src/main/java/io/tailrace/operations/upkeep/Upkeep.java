package io.tailrace.operations.upkeep;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.contract.Health.State;
import io.tailrace.contract.Part;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.OperationFailed;
import io.tailrace.operations.sweep.Waiting;
import io.tailrace.operations.upkeep.UpkeepMetrics.Job;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The upkeep of one source: sends rows again that seem lost, and clears away what has had its time. Belongs beside every executor; of any
 * number of instances one is on duty. It has one thread and is in the way of nobody: an outage puts a pass off by a minute, and
 * never makes it unready. Single use; thread-safe.
 */
public final class Upkeep implements Part {

    private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);

    private static final Duration AFTER_FAILURE = Duration.ofMinutes(1);

    private static final Duration LEAVE = Duration.ofSeconds(1);

    private final String source;
    private final Rhythm rhythm;
    private final Duty duty;
    private final UpkeepMetrics metrics;
    private final List<Reconciler> reconcilers = new ArrayList<>();
    private final Retention retention;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final Waiting waiting = Waiting.unless(stopping);
    private final Thread thread;

    // Of the thread.
    private final Map<Job, Long> dueNanos = new EnumMap<>(Job.class);
    private final Set<Job> failing = EnumSet.noneOf(Job.class);

    private volatile State state = State.NEW;
    private volatile boolean onDuty;

    /** Opens nothing yet. */
    public Upkeep(TailraceConfig config, MeterRegistry registry, InstantSource clock) {
        this(config, Rhythm.of(config), registry, clock);
    }

    /**
     * With another rhythm than the usual one.
     *
     * @param config with one source
     */
    public Upkeep(TailraceConfig config, Rhythm rhythm, MeterRegistry registry, InstantSource clock) {
        this.source = config.source().name();
        this.rhythm = rhythm;
        this.duty = new Duty(config.source(), shorter(rhythm.every(), rhythm.everyRetention()));
        List<String> everyX = new ArrayList<>(List.of(Topics.EVENTS, Topics.COMMANDS));
        everyX.addAll(config.subscriptionNames());
        this.metrics = new UpkeepMetrics(registry, source, everyX, () -> onDuty);
        reconcilers.add(Reconciler.ofCommands(config, rhythm.overdue(), metrics, clock));
        for (String subscription : config.subscriptionNames()) {
            reconcilers.add(Reconciler.ofSubscription(config, subscription, rhythm.overdue(), metrics, clock));
        }
        this.retention = new Retention(config, metrics, clock);
        this.thread = new Thread(this::run, "tailrace-upkeep-" + source);
        this.thread.setDaemon(true);
    }

    @Override
    public String name() {
        return "upkeep";
    }

    @Override
    public synchronized void start() {
        if (state != State.NEW) {
            throw new IllegalStateException("an upkeep is started once; make another one");
        }
        state = State.READY;
        thread.start();
    }

    @Override
    public Health health() {
        return new Health(state, "");
    }

    @Override
    public void close() {
        stopping.countDown();
        synchronized (this) {
            boolean ran = state == State.READY;
            state = State.STOPPED;
            if (!ran) {
                return;
            }
        }
        try {
            thread.join(LEAVE.toMillis());
            // It waits for a server: what it was at is done anew by the next pass, of whomever.
            thread.interrupt();
            thread.join(LEAVE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        long now = System.nanoTime();
        dueNanos.put(Job.RECONCILE, now + rhythm.first().toNanos());
        dueNanos.put(Job.RETENTION, now + rhythm.firstRetention().toNanos());
        try (duty) {
            while (waiting.forTime(untilNext())) {
                for (Job job : Job.values()) {
                    if (left(job) <= 0) {
                        attempt(job);
                    }
                }
            }
        } finally {
            onDuty = false;
        }
    }

    private long left(Job job) {
        return dueNanos.getOrDefault(job, 0L) - System.nanoTime();
    }

    private Duration untilNext() {
        long nanos = Math.min(left(Job.RECONCILE), left(Job.RETENTION));
        return Duration.ofNanos(Math.max(0, nanos)).plusMillis(1);
    }

    private void attempt(Job job) {
        Duration again = job == Job.RECONCILE ? rhythm.every() : rhythm.everyRetention();
        long begun = System.nanoTime();
        try {
            Optional<Connection> session = duty.take();
            if (session.isPresent()) {
                if (!onDuty) {
                    LOG.info("On duty for the upkeep: source={}", source);
                }
                onDuty = true;
                pass(job, session.get());
                metrics.took(job, Duration.ofNanos(System.nanoTime() - begun));
            } else {
                offDuty();
                // Whoever has it may be gone the next minute, and the rarer job must not wait for its whole turn then.
                again = shorter(again, rhythm.every());
            }
            if (failing.remove(job)) {
                LOG.info("Upkeep goes on: source={} job={}", source, job.text());
            }
        } catch (SQLException | KafkaException | OperationFailed outage) {
            again = failed(job, again, outage);
        } catch (RuntimeException bug) {
            LOG.error("Bug in the upkeep, it begins anew: source={} job={}", source, job.text(), bug);
            again = failed(job, again, bug);
        }
        dueNanos.put(job, System.nanoTime() + again.toNanos());
    }

    private void pass(Job job, Connection session) throws SQLException {
        switch (job) {
            case RECONCILE -> {
                for (Reconciler each : reconcilers) {
                    each.pass(session, waiting);
                }
            }
            case RETENTION -> retention.pass(session, waiting);
        }
    }

    private void offDuty() {
        onDuty = false;
        metrics.offDuty();
    }

    private Duration failed(Job job, Duration again, Exception why) {
        metrics.failed(job);
        duty.close();
        offDuty();
        if (failing.add(job) && stopping.getCount() > 0) {
            LOG.warn(
                    "Upkeep is put off, it is tried until it works: source={} job={} {}",
                    source,
                    job.text(),
                    why.toString());
        }
        return shorter(again, AFTER_FAILURE);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
