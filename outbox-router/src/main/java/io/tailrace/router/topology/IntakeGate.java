package io.tailrace.router.topology;

import io.tailrace.router.observe.RouterMetrics;
import java.util.Optional;
import org.apache.kafka.streams.KafkaStreams;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether rows are taken in. While something is down without which none can go on, nothing is read from the topics and no timer
 * fires; the threads keep polling and committing, so that the group holds together and all goes on where it stood. Thread-safe.
 */
public final class IntakeGate {

    private static final Logger LOG = LoggerFactory.getLogger(IntakeGate.class);

    private final RouterMetrics metrics;
    private @Nullable KafkaStreams streams;
    private String reason = "";

    public IntakeGate(RouterMetrics metrics) {
        this.metrics = metrics;
    }

    /** Why no row is taken in; empty when they are. */
    public synchronized Optional<String> reason() {
        return reason.isEmpty() ? Optional.empty() : Optional.of(reason);
    }

    /** Takes charge of a topology, before it is started. */
    synchronized void attach(KafkaStreams topology) {
        streams = topology;
        if (!reason.isEmpty()) {
            topology.pause();
        }
    }

    /** Stops the intake; said once, however often the reason changes. */
    synchronized void shut(String why) {
        boolean wasOpen = reason.isEmpty();
        reason = why;
        if (!wasOpen) {
            return;
        }
        LOG.warn("Intake stopped, no attempt is used meanwhile, it goes on by itself: {}", why);
        metrics.intakeStopped(true);
        if (streams != null) {
            streams.pause();
        }
    }

    /** Goes on. */
    synchronized void open() {
        if (reason.isEmpty()) {
            return;
        }
        reason = "";
        LOG.info("Intake goes on");
        metrics.intakeStopped(false);
        if (streams != null) {
            streams.resume();
        }
    }
}
