package io.tailrace.proof.load;

import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writers side by side, each with its own connection and its own ordering keys. They write as many rows as they are allowed, so that an
 * engine that starts anew all the time keeps up. Thread-safe.
 */
public final class Workload implements AutoCloseable {

    /** The table, made by the caller, that takes the ids of events that leave no row. */
    public static final String EMITTED = "proof_emitted";

    /** Side by side. */
    public static final int WRITERS = 8;

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final AtomicLong allowance = new AtomicLong();
    private final Map<Did, AtomicLong> did = new EnumMap<>(Did.class);
    private final Writers writers = new Writers(PATIENCE);

    /** Starts the writers; they wait until they are allowed rows. */
    public Workload(String jdbcUrl, WorkloadKind kind, long seed) {
        for (Did each : Did.values()) {
            did.put(each, new AtomicLong());
        }
        writers.start(WRITERS, writer -> new Writer(this, jdbcUrl, kind, writer, seed).run());
    }

    /** Lets them write so many more rows, one transaction more or less. */
    public void allow(int rows) {
        allowance.addAndGet(rows);
    }

    /** Lets them write so many rows unless they have not yet written what they may. */
    public void trickle(int rows) {
        if (allowance.get() <= 0 || allowance.get() < rows) {
            allow(rows);
        }
    }

    /** What they have done so far, by name. */
    public Map<String, Long> wrote() {
        Map<String, Long> wrote = new LinkedHashMap<>();
        did.forEach((what, count) -> wrote.put(what.key(), count.get()));
        return wrote;
    }

    /** @throws SQLException what ended a writer that had no reason to end */
    public void requireHealthy() throws SQLException {
        writers.requireHealthy();
    }

    /** Lets every writer end its transaction: none is left open or prepared. The server must be up. */
    @Override
    public void close() {
        writers.close();
    }

    boolean isEnding() {
        return writers.isEnding();
    }

    boolean isAllowed() {
        return allowance.get() > 0;
    }

    void used(int rows) {
        allowance.addAndGet(-rows);
    }

    void count(Did what) {
        AtomicLong count = did.get(what);
        if (count != null) {
            count.incrementAndGet();
        }
    }

    void failed(Throwable cause) {
        writers.failed(cause);
    }
}
