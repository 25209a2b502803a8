package io.tailrace.engine;

import io.tailrace.engine.source.SlotFigures;
import io.tailrace.engine.source.Source;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to one run. When no heartbeat comes through it writes one itself, which tells two things apart that look alike from
 * outside: that it cannot be written, which Debezium says to nobody, and that the run is deaf. A run is deaf when one of its connections is dead
 * without a word; TCP would find out after a quarter of an hour, and a new run connects anew.
 *
 * <p>One that reads a giant transaction is silent too, and must not be ended, or it would begin anew for ever. Then the walsender has
 * work. So the verdict needs a walsender that was never seen at work, for twice the bound after the first; and as long as
 * the run has not found its place, which reads far more than it tells, one that is gone altogether.
 *
 * <p>Used by the supervisor alone, many times a second.
 */
final class Silence {

    private static final Logger LOG = LoggerFactory.getLogger(Silence.class);

    private final String slot;
    private final Duration bound;
    private final Writer heartbeat;
    private final EngineState state;

    // When the run was first seen to be silent without a reason.
    private long deafNanos;
    private boolean deaf;

    // When a heartbeat was last written here.
    private long writtenNanos;
    private boolean asked;
    private boolean written;
    private boolean refused;

    /** What writes a heartbeat: {@link Source#heartbeat}. */
    interface Writer {
        void write() throws SQLException;
    }

    /** @param bound how long is silence: less is none */
    Silence(String slot, Duration bound, Writer heartbeat, EngineState state) {
        this.slot = Objects.requireNonNull(slot);
        this.bound = Objects.requireNonNull(bound);
        this.heartbeat = Objects.requireNonNull(heartbeat);
        this.state = Objects.requireNonNull(state);
    }

    /**
     * How the run does at one moment.
     *
     * @param heartbeatAge since the newest heartbeat that has come through was written
     * @param progressAge since anything came through
     * @param arrived whether anything has come through this run
     * @param slot what the server says; empty when it does not answer
     */
    record Run(Duration heartbeatAge, Duration progressAge, boolean arrived, Optional<SlotFigures> slot) {}

    /** Takes a look; says why the run is to be ended, or nothing. */
    Optional<String> look(Run run, long nowNanos) {
        if (run.heartbeatAge().compareTo(bound) <= 0) {
            asked = false;
            tell(Optional.empty());
        } else if (!asked || nowNanos - writtenNanos > bound.toNanos()) {
            asked = true;
            writtenNanos = nowNanos;
            write();
        }
        boolean suspect = asked
                && written
                && run.progressAge().compareTo(bound) > 0
                && run.slot()
                        .map(seen -> !seen.active() || (run.arrived() && seen.waits()))
                        .orElse(false);
        if (!suspect) {
            deaf = false;
            return Optional.empty();
        }
        if (!deaf) {
            deaf = true;
            deafNanos = nowNanos;
        }
        return nowNanos - deafNanos > 2 * bound.toNanos()
                ? Optional.of(
                        "nothing has come through the log for %d s, not even a heartbeat that could be written, and the walsender %s"
                                .formatted(
                                        run.progressAge().toSeconds(),
                                        run.slot().map(SlotFigures::active).orElse(false) ? "waits" : "is gone"))
                : Optional.empty();
    }

    private void write() {
        try {
            heartbeat.write();
            written = true;
            tell(Optional.empty());
        } catch (SQLException e) {
            written = false;
            tell(Optional.of(String.valueOf(e.getMessage())));
        }
    }

    private void tell(Optional<String> obstacle) {
        state.heartbeatObstacle(obstacle.orElse(""));
        if (obstacle.isPresent() && !refused) {
            LOG.warn(
                    "Heartbeats cannot be written; rows flow, but how far behind they are, and whether silence is one, nobody can tell: slot={} {}",
                    slot,
                    obstacle.get());
        } else if (obstacle.isEmpty() && refused) {
            LOG.info("Heartbeats are written again: slot={}", slot);
        }
        refused = obstacle.isPresent();
    }
}
