package io.tailrace.executor.hold;

import io.tailrace.contract.config.ExecutorConfig;
import io.tailrace.contract.record.HoldKind;
import io.tailrace.executor.claim.HoldTable;
import io.tailrace.executor.claim.HoldTable.Held;
import io.tailrace.executor.metric.ExecutorMetrics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gate before a handler, and the watch over what it holds. A name is held by its row in the pause table; the copy here is as old as the
 * last look, so that the way of a row whose name is not held costs nothing. A row whose name may be held asks the table in its own
 * transaction. Once a second this looks again, wakes what is held no more, lets go what has a handler here, and sends the probes of broken
 * names. Any number of executors do so beside each other. Thread-safe.
 */
public final class Holds implements Gate, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Holds.class);

    /** How late a worker may hear of a pause. */
    private static final Duration EVERY = Duration.ofSeconds(1);

    /** Rows that are woken in one transaction. */
    private static final int STEP = 1_000;

    private static final Duration SHORTEST_BREAK = Duration.ofSeconds(1);

    private static final Duration LONGEST_BREAK = Duration.ofMinutes(5);

    /** After a probe that failed, which says neither that the dependency is there nor that it is not. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(10);

    /** A probe whose answer nobody has heard for so long beyond its timeout is given up. */
    private static final Duration BEYOND_TIMEOUT = Duration.ofSeconds(60);

    /** For so long after its end it is remembered what a row came to: a name that was held meanwhile has been heard of by then. */
    private static final Duration REMEMBERED = Duration.ofSeconds(5);

    /** Rows whose ends are remembered; each has waited before. */
    private static final int MOST_REMEMBERED = 1_000;

    private final DataSource pool;
    private final HoldTable table;
    private final Predicate<String> handled;
    private final ExecutorConfig config;
    private final String noun;
    private final ScheduledExecutorService timer;
    private final Map<String, Breaker> breakers = new HashMap<>();

    /** Names that were let go because they have a handler here. For the thread of the timer alone. */
    private final Map<String, LetGo> letGo = new HashMap<>();

    /** What rows came to just now, the oldest first. Guarded by itself. */
    private final Map<UUID, Ran> ran = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Ran> eldest) {
            return size() > MOST_REMEMBERED;
        }
    };

    private record Ran(String name, boolean well, long atNanos) {}

    private final Learnt learnt = new Learnt();

    /** For the thread of the timer alone. */
    private final Failing failing = new Failing();

    private volatile @Nullable Map<String, Held> known;

    /**
     * Over one database. Knows nothing before {@link #open} or the first row.
     *
     * @param handled names that have a handler here
     * @param noun what the rows are, at the beginning of a line in the log
     */
    public Holds(
            DataSource pool,
            HoldTable table,
            Predicate<String> handled,
            ExecutorConfig config,
            ExecutorMetrics metrics,
            String noun) {
        this.pool = pool;
        this.table = table;
        this.handled = handled;
        this.config = config;
        this.noun = noun;
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "tailrace-executor-holds");
            thread.setDaemon(true);
            return thread;
        });
        for (HoldKind kind : HoldKind.values()) {
            metrics.held(kind.text(), () -> count(kind));
        }
    }

    /** Starts its watch. */
    public void open() {
        timer.scheduleWithFixedDelay(this::watch, 0, EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public Verdict verdict(Connection claim, String name, UUID id, boolean hasHandler) throws SQLException {
        boolean answered = hasHandler && !config.switchedOff().containsKey(name);
        Map<String, Held> names = known;
        if (names == null) {
            // The first rows may be faster than the first look.
            names = learn(table.all(claim));
        }
        Held held = table.isAmong(names, name) ? table.of(claim, name).orElse(null) : null;
        if (held == null || held.kind() == HoldKind.MISSING) {
            return answered ? Verdict.RUN : mayWait(name) ? Verdict.MISSING : Verdict.UNHANDLED;
        }
        return held.kind() == HoldKind.BROKEN && answered && id.equals(held.probe()) ? Verdict.PROBE : Verdict.HELD;
    }

    @Override
    public void missing(Connection claim, String name) throws SQLException {
        Map<String, Held> names = known;
        if (names == null || !names.containsKey(name)) {
            table.hold(claim, name, HoldKind.MISSING, whyNot(name), null);
        }
    }

    @Override
    public String whyNot(String name) {
        String off = config.switchedOff().get(name);
        return off == null
                ? "no handler is registered for " + name
                : name + " is switched off" + (off.isBlank() ? "" : ": " + off);
    }

    @Override
    public void unavailable(String name, String key, String because, Duration retryAfter, boolean probe) {
        Duration until = bounded(retryAfter);
        if (probe) {
            later(connection -> table.putOffProbe(connection, name, until));
        } else if (opens(name, key)) {
            later(connection -> {
                if (table.hold(connection, name, HoldKind.BROKEN, because, until)) {
                    LOG.warn(
                            "{} of a name wait until one of them goes well: name={} because={}, {} times in a row",
                            noun,
                            name,
                            because,
                            Breaker.OPENS_AFTER);
                }
            });
        }
    }

    @Override
    public void succeeded(String name, boolean probe) {
        synchronized (breakers) {
            Breaker breaker = breakers.get(name);
            if (breaker != null) {
                breaker.succeeded();
            }
        }
        if (probe) {
            later(connection -> letRun(connection, name));
        }
    }

    private void letRun(Connection connection, String name) throws SQLException {
        if (table.release(connection, name, HoldKind.BROKEN)) {
            LOG.info("{} of a name run again, one of them went well: name={}", noun, name);
        }
    }

    @Override
    public void probeFailed(String name) {
        later(connection -> table.putOffProbe(connection, name, AFTER_FAILURE));
    }

    @Override
    public void ran(String name, UUID id, boolean well) {
        Ran now = new Ran(name, well, System.nanoTime());
        synchronized (ran) {
            ran.remove(id);
            ran.put(id, now);
        }
    }

    /** What was learnt last is still written down, if the database is there. */
    @Override
    public void close() {
        timer.shutdown();
        try {
            timer.awaitTermination(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        timer.shutdownNow();
    }

    private boolean isAnswered(String name) {
        return handled.test(name) && !config.switchedOff().containsKey(name);
    }

    private boolean mayWait(String name) {
        return config.onMissingHandler() == ExecutorConfig.MissingHandler.WAIT
                || config.switchedOff().containsKey(name);
    }

    private int count(HoldKind kind) {
        Map<String, Held> names = known;
        return names == null
                ? 0
                : (int) names.values().stream()
                        .filter(held -> held.kind() == kind)
                        .count();
    }

    /** Only names with a handler come here, so that there are no more breakers than those. */
    private boolean opens(String name, String key) {
        synchronized (breakers) {
            return breakers.computeIfAbsent(name, any -> new Breaker()).unavailable(key);
        }
    }

    private static Duration bounded(Duration wait) {
        return wait.compareTo(SHORTEST_BREAK) < 0
                ? SHORTEST_BREAK
                : wait.compareTo(LONGEST_BREAK) > 0 ? LONGEST_BREAK : wait;
    }

    private void later(Learnt.Word word) {
        learnt.add(word);
        try {
            timer.execute(this::watch);
        } catch (RejectedExecutionException closing) {
            LOG.debug("Closing: what was learnt of a name is learnt anew by the next executor", closing);
        }
    }

    private void watch() {
        Connection connection;
        try {
            connection = pool.getConnection();
        } catch (SQLException | RuntimeException down) {
            LOG.debug("Held names are looked at later", down);
            return;
        }
        try (connection) {
            look(connection);
            if (failing.ends()) {
                LOG.info("{} that are held by a name are looked after again", noun);
            }
        } catch (SQLException | RuntimeException failed) {
            if (!timer.isShutdown() && failing.begins(failed)) {
                LOG.warn(
                        "{} that are held by a name are not looked after, and not woken when that is resumed; tried every {} s: {}",
                        noun,
                        EVERY.toSeconds(),
                        failed.getMessage(),
                        failed);
            } else {
                LOG.debug("Held names are looked at later", failed);
            }
        }
    }

    /** Everything here is looked at again by the next watch, so a failure of it needs no more than that. */
    private void look(Connection connection) throws SQLException {
        learnt.write(connection);
        Map<String, Held> names = learn(table.all(connection));
        connection.commit();
        boolean isWhole = table.isWhole(names);
        for (Map.Entry<String, Held> name : names.entrySet()) {
            tend(connection, name.getKey(), name.getValue(), isWhole);
        }
        int woken;
        do {
            woken = table.wake(connection, STEP);
            connection.commit();
        } while (woken == STEP && !timer.isShutdown());
    }

    /** @param isWhole whether all names are held, so that a probe would find nothing out */
    private void tend(Connection connection, String name, Held held, boolean isWhole) throws SQLException {
        if (held.kind() == HoldKind.MISSING && isAnswered(name)) {
            letGo(connection, name);
        } else if (held.kind() == HoldKind.BROKEN && held.probe() != null) {
            listenFor(connection, name, held.probe());
        }
        if (held.kind() == HoldKind.BROKEN && held.probeDue() && !isWhole && isAnswered(name)) {
            Optional<UUID> probe =
                    table.probe(connection, name, config.handlerTimeout().plus(BEYOND_TIMEOUT));
            probe.ifPresent(id -> LOG.debug("Probe of a broken name: name={} rowId={}", name, id));
        }
        connection.commit();
    }

    /** A probe that ran before its name was known here to be broken. */
    private void listenFor(Connection connection, String name, UUID probe) throws SQLException {
        Ran came;
        synchronized (ran) {
            came = ran.remove(probe);
        }
        if (came == null || !came.name().equals(name) || System.nanoTime() - came.atNanos() > REMEMBERED.toNanos()) {
            return;
        }
        if (came.well()) {
            letRun(connection, name);
        } else {
            table.putOffProbe(connection, name, AFTER_FAILURE);
        }
    }

    private void letGo(Connection connection, String name) throws SQLException {
        long now = System.nanoTime();
        LetGo before = letGo.get(name);
        if ((before == null || before.isOver(now)) && table.release(connection, name, HoldKind.MISSING)) {
            letGo.put(name, before == null ? LetGo.first(now) : before.again(now));
            LOG.info("{} that waited for a handler run: name={}", noun, name);
        }
    }

    /** The one place where what is known changes: says which names are held and which are no more. */
    private synchronized Map<String, Held> learn(Map<String, Held> now) {
        Map<String, Held> before = known == null ? Map.of() : known;
        now.forEach((name, held) -> {
            Held was = before.get(name);
            if (was == null || was.kind() != held.kind()) {
                LOG.info("{} of a name wait: name={} because={}", noun, name, held.kind());
            }
        });
        Set<String> gone = new HashSet<>(before.keySet());
        gone.removeAll(now.keySet());
        gone.forEach(name -> LOG.info("{} of a name wait no more: name={}", noun, name));
        known = Map.copyOf(now);
        return now;
    }
}
