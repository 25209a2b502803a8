package io.tailrace.router.topology;

import io.tailrace.contract.Health.State;
import io.tailrace.contract.StartRefused;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
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
    private final Consumer<String> leaveGroup;
    private final BiConsumer<State, String> state;
    private final AtomicInteger deaths = new AtomicInteger();
    private final CountDownLatch closing = new CountDownLatch(1);

    /**
     * Watches.
     *
     * @param wouldStart throws {@link StartRefused} if a start would be refused now
     * @param leaveGroup takes the name of a thread and its member out of the group: a static member stays in it when it dies, and
     *     keeps its partitions from its successor, which has another name, until its session is over
     * @param state hears what the router waits for, or why it has given up
     */
    Outages(Runnable wouldStart, Consumer<String> leaveGroup, BiConsumer<State, String> state) {
        this.wouldStart = wouldStart;
        this.leaveGroup = leaveGroup;
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
        String thread = Thread.currentThread().getName();
        // While the cluster does not answer another thread would only die as well.
        for (int tries = death; !closed(); tries++) {
            try {
                wouldStart.run();
                leaveGroup.accept(thread);
                pause(tries);
                break;
            } catch (StartRefused refused) {
                LOG.error("Router has given up: {}", refused.getMessage());
                state.accept(State.FAILED, String.valueOf(refused.getMessage()));
                return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
            } catch (KafkaException unreachable) {
                LOG.debug("The cluster cannot be asked, so this is an outage", unreachable);
                pause(tries);
            }
        }
        return StreamThreadExceptionResponse.REPLACE_THREAD;
    }

    /** Ends every wait. */
    @Override
    public void close() {
        closing.countDown();
    }

    private boolean closed() {
        return closing.getCount() == 0;
    }

    private void pause(int tries) {
        long wait = Math.min(LONGEST_WAIT_MILLIS, FIRST_WAIT_MILLIS << Math.min(tries - 1, 10));
        try {
            closing.await(wait, TimeUnit.MILLISECONDS);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            closing.countDown();
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
