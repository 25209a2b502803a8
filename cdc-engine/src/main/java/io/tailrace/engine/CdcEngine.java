package io.tailrace.engine;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.contract.Part;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.engine.EngineRun.NotNow;
import io.tailrace.engine.publish.BatchWatcher;
import io.tailrace.engine.source.Lease;
import io.tailrace.engine.source.Preflight;
import io.tailrace.engine.source.SlotWatch;
import io.tailrace.engine.source.Source;
import io.tailrace.engine.source.SourceConnections;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine: supervises one run after the other. A run that fails is closed as a whole and a new one is built, after a wait that
 * doubles; nothing is ever retried within a run, because Debezium drops the batch that it retries.
 *
 * <p>Any number of engines may be started for one source; one holds the lease and streams, the others wait and touch nothing.
 *
 * <p>Thread-safe. One thread supervises; Debezium, the producer and the lease have their own.
 */
public final class CdcEngine implements Part {

    private static final Logger LOG = LoggerFactory.getLogger(CdcEngine.class);

    /** How often a standby asks for the lease. */
    private static final Duration STANDBY_PAUSE = Duration.ofMillis(250);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);

    /** An outage shows itself sooner than this; a start that takes longer goes on in the background. */
    private static final Duration START_PATIENCE = Duration.ofSeconds(20);

    /** A run that has streamed for so long did not fail at its start: the waits begin small again. */
    private static final Duration SETTLED = Duration.ofSeconds(30);

    /** What a stop gets on top of its timeout, for all that is not Debezium. */
    private static final Duration STOP_MARGIN = Duration.ofMillis(500);

    private static final Duration STOP_LOOK = Duration.ofMillis(100);

    /** Exit code of a process that was halted because Debezium did not stop: start it again. */
    public static final int HALT_STATUS = 70;

    private final TailraceConfig config;
    private final EngineMetrics metrics;
    private final Runnable halt;
    private final BatchWatcher watcher;
    private final SourceConnections connections;
    private final Preflight preflight;
    private final Source source;
    private final Thread supervisor;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final AtomicBoolean started = new AtomicBoolean();
    private final CompletableFuture<Boolean> firstOutcome = new CompletableFuture<>();

    // Held while it is decided whether the supervisor may be interrupted: in a call that an outage can hold up,
    // never while it stops a run in order.
    private final Object interruption = new Object();
    private boolean interruptible;

    private final EngineState state;
    private final Lease.Candidate candidate;
    private final SlotWatch watch;
    private final Rehearsal rehearsal;

    /** Whether somebody waits in {@link #start} for the first outcome. */
    private volatile boolean awaited = true;

    // The run that is under way, for the question whether it holds the slot.
    private volatile @Nullable EngineRun current;

    /** An engine that halts the JVM if Debezium does not stop in time. */
    public CdcEngine(TailraceConfig config, MeterRegistry registry, Clock clock) {
        this(config, registry, clock, BatchWatcher.NOBODY);
    }

    /** The same, watched. */
    public CdcEngine(TailraceConfig config, MeterRegistry registry, Clock clock, BatchWatcher watcher) {
        this(config, registry, clock, CdcEngine::haltJvm, watcher, EngineState.SHORTEST_SILENCE);
    }

    private static void haltJvm() {
        Runtime.getRuntime().halt(HALT_STATUS);
    }

    /**
     * An engine that leaves it to the caller what happens if Debezium does not stop.
     *
     * @param halt called when Debezium still runs at the end of the stop timeout: it holds the slot, whatever the timeouts of the
     *     server, so only the end of the process lets another engine take over
     */
    public CdcEngine(TailraceConfig config, MeterRegistry registry, Clock clock, Runnable halt) {
        this(config, registry, clock, halt, BatchWatcher.NOBODY, EngineState.SHORTEST_SILENCE);
    }

    /** @param shortestSilence less than that is none, however fast the heartbeat */
    CdcEngine(
            TailraceConfig config,
            MeterRegistry registry,
            Clock clock,
            Runnable halt,
            BatchWatcher watcher,
            Duration shortestSilence) {
        this.config = Objects.requireNonNull(config);
        this.metrics = new EngineMetrics(registry, config.slot(), clock);
        this.halt = Objects.requireNonNull(halt);
        this.watcher = Objects.requireNonNull(watcher);
        this.connections = new SourceConnections(config.source());
        this.preflight = EngineOperations.preflight(config);
        this.source = new Source(connections, preflight);
        this.state = new EngineState(config.slot(), config.engine(), metrics, shortestSilence);
        this.candidate = new Lease.Candidate(connections, config.slot());
        this.watch = new SlotWatch(connections, config.slot(), clock, metrics::slot);
        this.rehearsal = new Rehearsal(config, source, preflight);
        this.supervisor = new Thread(this::supervise, "tailrace-engine-" + config.slot());
    }

    @Override
    public String name() {
        return "engine";
    }

    @Override
    public void start() {
        if (!started.compareAndSet(false, true) || isClosing()) {
            throw new IllegalStateException("an engine is started once");
        }
        state.become(Health.State.STARTING, "");
        watch.start(config.engine().heartbeatInterval());
        supervisor.start();
        try {
            firstOutcome.get(START_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException refused) {
            throw refused.getCause() instanceof StartRefused cause
                    ? cause
                    : new IllegalStateException(refused.getCause());
        } catch (TimeoutException stillTrying) {
            awaited = false;
            LOG.warn("The start takes long and goes on in the background: slot={}", config.slot());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Health health() {
        return state.health();
    }

    @Override
    public void close() {
        closing.countDown();
        if (!started.get()) {
            state.become(Health.State.STOPPED, "");
            return;
        }
        try {
            awaitStop();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            // Only now: an engine that has given up holds back log, and that must be seen for as long as it is there.
            watch.close();
            connections.abort();
        }
    }

    private void awaitStop() throws InterruptedException {
        long deadline = System.nanoTime()
                + config.engine().stopTimeout().plus(STOP_MARGIN).toNanos();
        do {
            breakOff();
            supervisor.join(STOP_LOOK.toMillis());
        } while (supervisor.isAlive() && System.nanoTime() - deadline < 0);
        if (supervisor.isAlive()) {
            giveUp();
        }
    }

    /** Ends what an outage can hold up; again and again, because a call may swallow an interrupt. */
    private void breakOff() {
        synchronized (interruption) {
            if (interruptible) {
                connections.abort();
                supervisor.interrupt();
            }
        }
    }

    private void giveUp() {
        EngineRun run = current;
        if (run != null && run.mayHoldSlot()) {
            haltNow("the engine");
        } else {
            // Nothing holds the slot, so nobody has to wait for this process.
            LOG.warn("The engine has not stopped in time and is left behind; it holds nothing: slot={}", config.slot());
        }
    }

    private void supervise() {
        Duration pause = FIRST_PAUSE;
        try {
            while (!isClosing()) {
                long began = System.nanoTime();
                String failure = attempt();
                if (isClosing()) {
                    break;
                }
                if (!failure.isEmpty()) {
                    state.become(Health.State.WAITING, failure);
                    firstOutcome.complete(true);
                    if (System.nanoTime() - began > SETTLED.toNanos()) {
                        pause = FIRST_PAUSE;
                    }
                    metrics.rebuild();
                    sleep(pause);
                    pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
                } else {
                    pause = FIRST_PAUSE;
                    sleep(STANDBY_PAUSE);
                }
            }
            state.become(Health.State.STOPPED, "");
        } catch (StartRefused refused) {
            state.giveUp(String.valueOf(refused.getMessage()), awaited && !firstOutcome.isDone());
            firstOutcome.completeExceptionally(refused);
        } catch (RuntimeException | Error bug) {
            LOG.error("The engine has a bug and stands still: slot={}", config.slot(), bug);
            state.become(Health.State.FAILED, bug.toString());
            firstOutcome.completeExceptionally(bug);
        } finally {
            candidate.close();
            firstOutcome.complete(true);
        }
    }

    /** One try for the lease and, with it, one run; says what ended it, or nothing when another engine holds the lease. */
    private String attempt() {
        try {
            beInterruptible(true);
            Optional<Lease> taken = candidate.tryTake();
            if (taken.isEmpty()) {
                standBy();
                return "";
            }
            try (Lease lease = taken.get()) {
                metrics.lease(true);
                return run(lease);
            } finally {
                metrics.lease(false);
            }
        } catch (SQLException e) {
            return sqlFailure(e);
        } finally {
            beInterruptible(false);
        }
    }

    private void standBy() {
        String holder = "another engine holds the lease of slot " + config.slot();
        if (state.health().state() != Health.State.STANDBY) {
            state.become(Health.State.STANDBY, holder);
            firstOutcome.complete(true);
        }
        // Once it has passed, nothing more is asked; until then health says why this one could not take over.
        rehearsal
                .look()
                .ifPresent(obstacle -> state.become(
                        Health.State.STANDBY,
                        obstacle.isEmpty() ? holder : holder + "; this one could not take over: " + obstacle));
    }

    private String run(Lease lease) {
        EngineRun run = new EngineRun(config, source, preflight, metrics, watcher);
        current = run;
        try {
            state.become(Health.State.STARTING, "");
            run.start(lease);
            beInterruptible(false);
            state.become(Health.State.STARTING, "slot " + config.slot() + ": looking for the place to resume at");
            firstOutcome.complete(true);
            return awaitEnd(run, lease);
        } catch (NotNow notNow) {
            return String.valueOf(notNow.getMessage());
        } catch (SQLException e) {
            return sqlFailure(e);
        } catch (StartRefused refused) {
            throw refused;
        } catch (RuntimeException e) {
            LOG.debug("A run could not begin: slot={}", config.slot(), e);
            return e.toString();
        } finally {
            beInterruptible(false);
            stop(run);
        }
    }

    private String awaitEnd(EngineRun run, Lease lease) {
        CompletableFuture<String> end = new CompletableFuture<>();
        var unusedRun = run.ended().thenAccept(cause -> end.complete(Causes.describe(cause)));
        var unusedLease = lease.lost().thenAccept(cause -> end.complete("the lease is lost: " + cause));
        Silence silence = new Silence(config.slot(), state.silence(), this::heartbeat, state);
        boolean arrived = false;
        while (!isClosing()) {
            try {
                return end.get(100, TimeUnit.MILLISECONDS);
            } catch (TimeoutException stillRunning) {
                if (!arrived && metrics.hasProgressed()) {
                    arrived = true;
                    run.arrived();
                    state.become(Health.State.READY, "");
                }
                silence.look(metrics.run(), System.nanoTime()).ifPresent(end::complete);
            } catch (ExecutionException | InterruptedException e) {
                return e.toString();
            }
        }
        return "stopped";
    }

    private void heartbeat() throws SQLException {
        beInterruptible(true);
        try {
            source.heartbeat();
        } finally {
            beInterruptible(false);
        }
    }

    private void stop(EngineRun run) {
        try {
            if (!run.stop(config.engine().stopTimeout())) {
                haltNow("Debezium");
                return;
            }
            current = null;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void haltNow(String what) {
        LOG.error(
                "{} has not stopped within {} s and still holds the slot; the process is halted: slot={}",
                what,
                config.engine().stopTimeout().toSeconds(),
                config.slot());
        halt.run();
    }

    /** At the start what nobody will mend by waiting is refused; later, a password that is being changed is waited for. */
    private String sqlFailure(SQLException e) {
        if (Causes.needsSomebody(e) && !firstOutcome.isDone()) {
            throw Causes.refused(config.source(), e);
        }
        return "the database: " + e.getMessage();
    }

    private void beInterruptible(boolean may) {
        synchronized (interruption) {
            interruptible = may;
            if (!may) {
                // One that came too late must not meet the stop that follows.
                var unused = Thread.interrupted();
            }
        }
    }

    private boolean isClosing() {
        return closing.getCount() == 0;
    }

    private void sleep(Duration pause) {
        try {
            var unused = closing.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            closing.countDown();
        }
    }
}
