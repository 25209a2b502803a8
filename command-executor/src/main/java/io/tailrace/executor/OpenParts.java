package io.tailrace.executor;

import io.tailrace.contract.Health;
import io.tailrace.executor.intake.Intake;
import io.tailrace.executor.intake.KeyQueues;
import io.tailrace.executor.run.RunGuard;
import io.tailrace.executor.run.SourceGate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an executor has opened, to be closed in reverse, and how its workers come to rest before that. Not thread-safe: its owner's lock guards it. */
final class OpenParts {

    private static final Logger LOG = LoggerFactory.getLogger(OpenParts.class);

    /** For a handler that was interrupted, to end. */
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(2);

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    /** Takes one that is open. */
    <T extends AutoCloseable> T add(T part) {
        opened.push(part);
        return part;
    }

    /** Closes all of them, whatever one of them says to it. */
    void close() {
        while (!opened.isEmpty()) {
            AutoCloseable part = opened.pop();
            try {
                part.close();
            } catch (Exception e) {
                LOG.warn("{} did not close", part.getClass().getSimpleName(), e);
            }
        }
    }

    /** How an executor that has begun is: its database, then its group, then its handlers. */
    static Health health(SourceGate source, Intake intake, RunGuard guard) {
        if (!source.health().isReady()) {
            return source.health();
        }
        return intake.health().isReady() ? guard.health() : intake.health();
    }

    /**
     * What runs may end; what does not in time is interrupted and rolled back, and uses no attempt. Without anybody's lock.
     *
     * @param queues of which nothing begins any more
     * @param what is handled, for people
     */
    static void drain(KeyQueues queues, RunGuard guard, Duration inTime, String what) {
        try {
            if (!queues.awaitIdle(inTime)) {
                LOG.info(
                        "Handlers of {} still run after the stop timeout, they are interrupted: {}",
                        what,
                        queues.running());
                guard.stopAll();
                if (!queues.awaitIdle(AFTER_INTERRUPT)) {
                    LOG.warn(
                            "Handlers of {} take no notice of the interrupt, their transactions roll back: {}",
                            what,
                            queues.running());
                }
            }
        } catch (InterruptedException e) {
            guard.stopAll();
            Thread.currentThread().interrupt();
        }
    }
}
