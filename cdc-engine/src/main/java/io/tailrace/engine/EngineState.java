package io.tailrace.engine;

import io.tailrace.contract.Health;
import io.tailrace.contract.config.EngineConfig;
import java.time.Duration;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The state of an engine. {@code become} is the only place where it changes; metric and log follow there. The supervisor's thread
 * changes it, any thread may read.
 *
 * <pre>
 * NEW -> STARTING -> READY <-> WAITING      with the lease; WAITING while nothing comes through, or between two runs
 *         |  ^                   |
 *         v  |                   v
 *       STANDBY <----------------+           somebody else has the lease
 * any -> FAILED | STOPPED                    for good
 * </pre>
 */
final class EngineState {

    private static final Logger LOG = LoggerFactory.getLogger(EngineState.class);

    /** Less than that is no silence, however fast the heartbeat. */
    static final Duration SHORTEST_SILENCE = Duration.ofSeconds(15);

    private final String slot;
    private final EngineMetrics metrics;
    private final Duration silence;

    private volatile String heartbeatObstacle = "";
    private volatile Health state = new Health(Health.State.NEW, "");

    /** @param shortest less than that is no silence, however fast the heartbeat: {@link #SHORTEST_SILENCE} */
    EngineState(String slot, EngineConfig config, EngineMetrics metrics, Duration shortest) {
        this.slot = Objects.requireNonNull(slot);
        this.metrics = Objects.requireNonNull(metrics);
        Duration three = config.heartbeatInterval().multipliedBy(3);
        this.silence = three.compareTo(shortest) > 0 ? three : shortest;
        metrics.stateOf(() -> health().state());
    }

    /** What the engine is doing. Ready means that something has come through the log within the last three heartbeats. */
    Health health() {
        Health now = state;
        if (now.state() != Health.State.READY) {
            return now;
        }
        Duration age = metrics.progressAge();
        String obstacle = heartbeatObstacle;
        if (age.compareTo(silence) > 0) {
            return new Health(
                    Health.State.WAITING,
                    "nothing has come through the log of slot %s for %d s, not even a heartbeat%s"
                            .formatted(
                                    slot,
                                    age.toSeconds(),
                                    obstacle.isEmpty() ? "" : ": none can be written, " + obstacle));
        }
        if (!obstacle.isEmpty()) {
            return new Health(
                    Health.State.READY, "slot %s: heartbeats cannot be written: %s".formatted(slot, obstacle));
        }
        return metrics.heartbeatAge()
                .filter(behind -> behind.compareTo(silence) > 0)
                .map(behind -> new Health(
                        Health.State.READY,
                        "slot %s: catching up, what comes through now was written %d s ago or more"
                                .formatted(slot, behind.toSeconds())))
                .orElse(now);
    }

    /** How long nothing may come through before that is silence. */
    Duration silence() {
        return silence;
    }

    /** Why no heartbeat can be written; empty when it can. */
    void heartbeatObstacle(String why) {
        heartbeatObstacle = why;
    }

    /**
     * Gives up for good.
     *
     * @param isTold whether whoever waits for the start is told: of several sources one that is refused is started again and again
     */
    void giveUp(String detail, boolean isTold) {
        become(Health.State.FAILED, detail, isTold ? Level.DEBUG : Level.ERROR);
    }

    /** Changes it, and logs edges, not beats. */
    void become(Health.State next, String detail) {
        become(next, detail, level(next));
    }

    private void become(Health.State next, String detail, Level level) {
        Health before = state;
        Health after = new Health(next, detail);
        state = after;
        metrics.becomes(next);
        if (before.equals(after) || (before.state() == next && next == Health.State.STARTING)) {
            return;
        }
        String more = next == Health.State.WAITING ? "; it begins anew by itself" : "";
        LOG.atLevel(level).log("Engine {} -> {}: slot={} {}{}", before.state(), next, slot, detail, more);
    }

    private static Level level(Health.State next) {
        return switch (next) {
            case FAILED -> Level.ERROR;
            case WAITING -> Level.WARN;
            case STARTING -> Level.DEBUG;
            default -> Level.INFO;
        };
    }
}
