package io.tailrace.router.topology;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at something over and over, on a thread of its own, for the metrics: no row waits for it, and no row fails with it. */
final class Lookout implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Lookout.class);

    private static final Duration PATIENCE_AT_THE_END = Duration.ofSeconds(2);

    private final String what;
    private final Duration every;
    private final Runnable look;
    private final Runnable blind;
    private final Thread thread;
    private final CountDownLatch closing = new CountDownLatch(1);

    /**
     * Starts to look.
     *
     * @param what for a log
     * @param look one look; may fail like any client of Kafka
     * @param blind is told of a look that failed
     */
    Lookout(String what, Duration every, Runnable look, Runnable blind) {
        this.what = what;
        this.every = every;
        this.look = look;
        this.blind = blind;
        this.thread = new Thread(this::run, "tailrace-router-" + what.replace(' ', '-'));
        thread.setDaemon(true);
        thread.start();
    }

    /** Ends a look that is under way, too. */
    @Override
    public void close() {
        closing.countDown();
        thread.interrupt();
        try {
            thread.join(PATIENCE_AT_THE_END.toMillis());
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        boolean wasBlind = false;
        try {
            do {
                boolean isBlind = !looked(wasBlind);
                if (isBlind) {
                    blind.run();
                }
                wasBlind = isBlind;
            } while (!closing.await(every.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException | InterruptException stopping) {
            // Nobody waits for what was not seen.
        }
    }

    private boolean looked(boolean wasBlind) {
        try {
            look.run();
            return true;
        } catch (InterruptException stopping) {
            throw stopping;
        } catch (KafkaException failed) {
            if (!wasBlind) {
                LOG.warn("The {} cannot be read, metrics that tell of them are not known meanwhile", what, failed);
            }
            return false;
        }
    }
}
