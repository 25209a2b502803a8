package io.tailrace.cli;

import io.tailrace.contract.Health;
import io.tailrace.contract.Part;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Parts that run in this process. Started from the end of a row's way to its beginning, so that whoever is written to is there first,
 * and closed the other way round. Thread-safe.
 */
final class RunningParts implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RunningParts.class);

    /** A second less than the ten that a stop of the process may take. */
    private static final Duration CLOSE_WITHIN = Duration.ofSeconds(9);

    /** In the order of a row's way. */
    private final List<Part> parts;

    private RunningParts(List<Part> parts) {
        this.parts = parts;
    }

    /**
     * Starts parts.
     *
     * @param parts in the order of a row's way, none of them started
     * @throws io.tailrace.contract.StartRefused from the first that refuses; none runs then
     */
    static RunningParts start(List<Part> parts) {
        RunningParts running = new RunningParts(List.copyOf(parts));
        try {
            for (int i = parts.size() - 1; i >= 0; i--) {
                parts.get(i).start();
            }
            return running;
        } catch (RuntimeException | Error refused) {
            running.close();
            throw refused;
        }
    }

    /** What each is doing now, in the order of a row's way. */
    List<Part> all() {
        return parts;
    }

    boolean areReady() {
        return parts.stream().allMatch(part -> part.health().isReady());
    }

    /** The first that has given up. */
    Optional<Part> failed() {
        return parts.stream()
                .filter(part -> part.health().state() == Health.State.FAILED)
                .findFirst();
    }

    /** Closes all within {@link #CLOSE_WITHIN}; what does not close in time is left behind and named. */
    @Override
    public void close() {
        List<String> open = new ArrayList<>();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> closeInOrder(open), closer());
        try {
            closing.get(CLOSE_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException tooLong) {
            synchronized (open) {
                LOG.error("Not closed within {} s, left behind: {}", CLOSE_WITHIN.toSeconds(), open);
            }
        } catch (ExecutionException bug) {
            LOG.error("Closing failed", bug.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeInOrder(List<String> open) {
        synchronized (open) {
            parts.forEach(part -> open.add(part.name()));
        }
        for (Part part : parts) {
            try {
                part.close();
            } catch (RuntimeException bug) {
                LOG.error("part={} did not close cleanly", part.name(), bug);
            }
            synchronized (open) {
                open.remove(part.name());
            }
        }
    }

    private static java.util.concurrent.Executor closer() {
        return task -> {
            Thread thread = new Thread(task, "tailrace-close");
            thread.setDaemon(true);
            thread.start();
        };
    }
}
