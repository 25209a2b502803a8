package io.tailrace.router.topology;

import io.tailrace.contract.Health.State;
import io.tailrace.contract.StartRefused;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens when a stream thread dies. Its transaction was never committed, so its rows are as they were: another thread takes its
 * place after a wait that grows while nothing works. Only a group whose offsets are gone is not helped so. Called by dying threads.
 */
final class Outages implements StreamsUncaughtExceptionHandler, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Outages.class);

    private static final long FIRST_WAIT_MILLIS = 100;

    private static final long LONGEST_WAIT_MILLIS = 10_000;

    private final Runnable wouldStart;
    private final BiConsumer<State, String> state;
    private final AtomicInteger deaths = new AtomicInteger();
    private final CountDownLatch closing = new CountDownLatch(1);

    /**
     * Watches.
     *
     * @param wouldStart throws {@link StartRefused} if a start would be refused now
     * @param state hears what the router waits for, or why it has given up
     */
    Outages(Runnable wouldStart, BiConsumer<State, String> state) {
        this.wouldStart = wouldStart;
        this.state = state;
    }

    /** Rows are routed again. */
    void over() {
        if (deaths.getAndSet(0) > 0) {
            LOG.info("Router goes on");
        }
    }

    @Override
    public StreamThreadExceptionResponse handle(Throwable error) {
        int death = deaths.incrementAndGet();
        if (death == 1) {
            LOG.error("Router thread ended; nothing it did was committed, another begins where it began", error);
        }
        state.accept(State.WAITING, describe(error));
        try {
            wouldStart.run();
        } catch (StartRefused refused) {
            LOG.error("Router has given up: {}", refused.getMessage());
            state.accept(State.FAILED, String.valueOf(refused.getMessage()));
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        } catch (KafkaException unreachable) {
            LOG.debug("The cluster cannot be asked, so this is an outage", unreachable);
        }
        pause(Duration.ofMillis(Math.min(LONGEST_WAIT_MILLIS, FIRST_WAIT_MILLIS << Math.min(death - 1, 10))));
        return StreamThreadExceptionResponse.REPLACE_THREAD;
    }

    /** Ends every wait. */
    @Override
    public void close() {
        closing.countDown();
    }

    private void pause(Duration wait) {
        try {
            closing.await(wait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    /** The innermost message names the culprit best. */
    private static String describe(Throwable error) {
        Throwable root = error;
        for (int depth = 0; root.getCause() != null && depth < 50; depth++) {
            root = root.getCause();
        }
        return root.getClass().getSimpleName() + ": " + root.getMessage();
    }
}
