package io.tailrace.engine;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.contract.Part;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.engine.EngineRun.NotNow;
import io.tailrace.engine.capture.CapturedColumns;
import io.tailrace.engine.source.Lease;
import io.tailrace.engine.source.Preflight;
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
    private static final Duration STANDBY_PAUSE = Duration.ofSeconds(1);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);

    /** An outage shows itself sooner than this; a start that takes longer goes on in the background. */
    private static final Duration START_PATIENCE = Duration.ofSeconds(20);

    /** A run that has streamed for so long did not fail at its start: the waits begin small again. */
    private static final Duration SETTLED = Duration.ofSeconds(30);

    private static final int HALT_STATUS = 70;

    private static final int MAX_CAUSE_BYTES = 400;

    private final TailraceConfig config;
    private final EngineMetrics metrics;
    private final Runnable halt;
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

    private volatile Health state = new Health(Health.State.NEW, "");

    /** An engine that halts the JVM if Debezium does not stop in time. */
    public CdcEngine(TailraceConfig config, MeterRegistry registry, Clock clock) {
        this(config, registry, clock, () -> Runtime.getRuntime().halt(HALT_STATUS));
    }

    /**
     * An engine that leaves it to the caller what happens if Debezium does not stop.
     *
     * @param halt called when Debezium still runs at the end of the stop timeout: it holds the slot, whatever the timeouts of the
     *     server, so only the end of the process lets another engine take over
     */
    public CdcEngine(TailraceConfig config, MeterRegistry registry, Clock clock, Runnable halt) {
        this.config = Objects.requireNonNull(config);
        this.metrics = new EngineMetrics(registry, config.slot(), clock);
        this.halt = Objects.requireNonNull(halt);
        this.connections = new SourceConnections(config.source());
        this.preflight = new Preflight(
                config.namespace().value(),
                config.source().database(),
                config.slot(),
                config.publication(),
                config.source().tables(),
                CapturedColumns.of(config.source().tables()));
        this.source = new Source(connections, preflight);
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
        become(Health.State.STARTING, "");
        supervisor.start();
        try {
            firstOutcome.get(START_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException refused) {
            throw refused.getCause() instanceof StartRefused cause
                    ? cause
                    : new IllegalStateException(refused.getCause());
        } catch (TimeoutException stillTrying) {
            LOG.warn("The start takes long and goes on in the background: slot={}", config.slot());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Health health() {
        Health now = state;
        if (now.state() != Health.State.READY) {
            return now;
        }
        Duration age = metrics.heartbeatAge();
        if (age.compareTo(silence()) > 0) {
            return new Health(
                    Health.State.WAITING,
                    "nothing has come through the log of slot %s for %d s, not even a heartbeat"
                            .formatted(config.slot(), age.toSeconds()));
        }
        return now;
    }

    @Override
    public void close() {
        closing.countDown();
        if (!started.get()) {
            state = new Health(Health.State.STOPPED, "");
            return;
        }
        synchronized (interruption) {
            if (interruptible) {
                supervisor.interrupt();
            }
        }
        Duration patience = config.engine().stopTimeout().plusMillis(500);
        try {
            supervisor.join(patience.toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        if (supervisor.isAlive() && !Thread.currentThread().isInterrupted()) {
            haltNow("the engine");
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
                    become(Health.State.WAITING, failure);
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
            become(Health.State.STOPPED, "");
        } catch (StartRefused refused) {
            become(Health.State.FAILED, String.valueOf(refused.getMessage()));
            firstOutcome.completeExceptionally(refused);
        } catch (RuntimeException | Error bug) {
            LOG.error("The engine has a bug and stands still: slot={}", config.slot(), bug);
            become(Health.State.FAILED, bug.toString());
            firstOutcome.completeExceptionally(bug);
        } finally {
            firstOutcome.complete(true);
        }
    }

    /** One try for the lease and, with it, one run; says what ended it, or nothing when another engine holds the lease. */
    private String attempt() {
        try {
            beInterruptible(true);
            Optional<Lease> taken = Lease.tryTake(connections, config.slot());
            if (taken.isEmpty()) {
                become(Health.State.STANDBY, "another engine holds the lease of slot " + config.slot());
                firstOutcome.complete(true);
                return "";
            }
            try (Lease lease = taken.get()) {
                return run(lease);
            }
        } catch (SQLException e) {
            return sqlFailure(e);
        } finally {
            beInterruptible(false);
        }
    }

    private String run(Lease lease) {
        EngineRun run = new EngineRun(config, source, preflight, metrics);
        try {
            become(Health.State.STARTING, "");
            run.start(lease);
            beInterruptible(false);
            become(Health.State.STARTING, "slot " + config.slot() + ": looking for the place to resume at");
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
        var unusedRun = run.ended().thenAccept(cause -> end.complete(describe(cause)));
        var unusedLease = lease.lost().thenAccept(cause -> end.complete("the lease is lost: " + cause));
        while (!isClosing()) {
            try {
                return end.get(100, TimeUnit.MILLISECONDS);
            } catch (TimeoutException stillRunning) {
                if (metrics.hasProgressed()) {
                    become(Health.State.READY, "");
                }
            } catch (ExecutionException | InterruptedException e) {
                return e.toString();
            }
        }
        return "stopped";
    }

    private void stop(EngineRun run) {
        try {
            if (!run.stop(config.engine().stopTimeout())) {
                haltNow("Debezium");
            }
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
        String sqlState = e.getSQLState() == null ? "" : e.getSQLState();
        boolean needsSomebody = sqlState.startsWith("28") || sqlState.equals("3D000") || sqlState.equals("42501");
        if (needsSomebody && !firstOutcome.isDone()) {
            throw refused(e);
        }
        return "the database: " + e.getMessage();
    }

    private StartRefused refused(SQLException e) {
        StartRefused refused = new StartRefused(
                "The database %s at %s:%d refuses user %s: %s. The engine needs LOGIN, REPLICATION, and SELECT and UPDATE on the source table"
                        .formatted(
                                config.source().database(),
                                config.source().host(),
                                config.source().port(),
                                config.source().user(),
                                e.getMessage()));
        refused.initCause(e);
        return refused;
    }

    private static String describe(Optional<Throwable> cause) {
        if (cause.isEmpty()) {
            return "Debezium has stopped";
        }
        Throwable root = cause.get();
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        return "the stream has ended: " + ErrorTrail.bounded(root.toString(), MAX_CAUSE_BYTES);
    }

    /** The only place where the state changes, and the only one that logs it: edges, not beats. */
    private void become(Health.State next, String detail) {
        Health before = state;
        Health after = new Health(next, detail);
        state = after;
        if (before.equals(after) || (before.state() == next && next == Health.State.STARTING)) {
            return;
        }
        switch (next) {
            case FAILED -> LOG.error("Engine {} -> {}: slot={} {}", before.state(), next, config.slot(), detail);
            case WAITING ->
                LOG.warn(
                        "Engine {} -> {}: slot={} {}; it begins anew by itself",
                        before.state(),
                        next,
                        config.slot(),
                        detail);
            default -> LOG.info("Engine {} -> {}: slot={} {}", before.state(), next, config.slot(), detail);
        }
    }

    private Duration silence() {
        Duration three = config.engine().heartbeatInterval().multipliedBy(3);
        Duration least = Duration.ofSeconds(15);
        return three.compareTo(least) > 0 ? three : least;
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
