package io.tailrace.proof.load;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Threads that write side by side until they are to end, and what ended one of them too early. Thread-safe. */
public final class Writers implements AutoCloseable {

    private final Duration patience;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ending;

    /** @param patience how long {@link #close} waits for the last transactions */
    public Writers(Duration patience) {
        this.patience = patience;
    }

    /**
     * Starts them; to be called once, by whoever closes them.
     *
     * @param write what one does, by its number, until {@link #isEnding}
     */
    public void start(int count, IntConsumer write) {
        for (int i = 0; i < count; i++) {
            int writer = i;
            Thread thread = new Thread(() -> write.accept(writer), "proof-writer-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    /** Whether they are to end. */
    public boolean isEnding() {
        return ending;
    }

    /** One of them ends, and had no reason to. */
    public void failed(Throwable cause) {
        failure.compareAndSet(null, cause);
    }

    /** @throws SQLException what ended a writer that had no reason to end */
    public void requireHealthy() throws SQLException {
        Throwable failed = failure.get();
        if (failed != null) {
            throw new SQLException("a writer failed: " + failed, failed);
        }
    }

    /** Lets every writer end its transaction: none is left open or prepared. The server must be up. */
    @Override
    public void close() {
        ending = true;
        long deadline = System.nanoTime() + patience.toNanos();
        for (Thread thread : threads) {
            try {
                thread.join(Math.max(
                        1, Duration.ofNanos(deadline - System.nanoTime()).toMillis()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            if (thread.isAlive()) {
                failed(new IllegalStateException(
                        thread.getName() + " has not ended its transaction within " + patience));
            }
        }
    }
}
