package io.tailrace.operations.upkeep;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.sweep.EngineRead;
import io.tailrace.operations.sweep.InHand;
import io.tailrace.operations.sweep.Overdue;
import io.tailrace.operations.sweep.OverdueRows;
import io.tailrace.operations.sweep.Seen;
import io.tailrace.operations.sweep.Waiting;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends rows again, commands or the events of a subscription, that are overdue although everybody has passed what was written before they
 * fell due: nobody seems to have them. The router drops word of a command that it holds, and what it does not drop the row itself guards:
 * at worst an executor looks at a row in vain. While somebody is behind, it is lag and no loss, and is told as such; so is what an executor
 * has begun and not finished, which keeps nobody from looking for the rest. Used by one thread.
 */
final class Reconciler {

    /** An engine that runs confirms within some heartbeats. */
    private static final Duration ENGINE_PATIENCE = Duration.ofSeconds(60);

    private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);

    private final String source;
    private final String x;
    private final Duration overdue;
    private final Overdue rows;
    private final Optional<EngineRead> engine;
    private final Readers readers;
    private final UpkeepMetrics metrics;
    private final InstantSource clock;

    /** What it told last: an edge is logged, not each pass. */
    private String told = "";

    private Reconciler(
            TailraceConfig config,
            String x,
            Duration overdue,
            Overdue rows,
            Optional<EngineRead> engine,
            UpkeepMetrics metrics,
            InstantSource clock) {
        this.source = config.source().name();
        this.x = x;
        this.overdue = overdue;
        this.rows = rows;
        this.engine = engine;
        this.readers = Readers.of(config, x);
        this.metrics = metrics;
        this.clock = clock;
    }

    /**
     * Of commands: word of them goes through the log.
     *
     * @param overdue by how much a row is
     */
    static Reconciler ofCommands(TailraceConfig config, Duration overdue, UpkeepMetrics metrics, InstantSource clock) {
        return new Reconciler(
                config,
                Topics.COMMANDS,
                overdue,
                new OverdueRows(config.source().tables()),
                Optional.of(new EngineRead(config.slot())),
                metrics,
                clock);
    }

    /**
     * Of the events of a subscription: they go to its executors.
     *
     * @param overdue by how much a row is
     */
    static Reconciler ofSubscription(
            TailraceConfig config, String x, Duration overdue, UpkeepMetrics metrics, InstantSource clock) {
        return new Reconciler(config, x, overdue, new LostDeliveries(config, x), Optional.empty(), metrics, clock);
    }

    /** Looks once. Without an overdue row nothing else is asked. */
    void pass(Connection connection, Waiting waiting) throws SQLException {
        Seen seen = rows.count(connection, overdue, InHand.NONE, waiting);
        if (seen.rows() == 0) {
            metrics.overdue(x, seen, false);
            tell("");
            return;
        }
        Readers.Passed passed = passed(connection, waiting);
        if (!waiting.forTime(Duration.ZERO)) {
            return; // A stop cuts a wait short, and that is no lag.
        }
        if (passed.behind().isPresent()) {
            metrics.overdue(x, seen, true);
            tell(passed.behind().get());
            return;
        }
        InHand busy = passed.inHand();
        Seen lost = busy.isEmpty() ? seen : rows.count(connection, overdue, busy, waiting);
        if (lost.rows() == 0) {
            metrics.overdue(x, seen, true);
            tell("the executor has begun with all of them and not finished them");
            return;
        }
        metrics.overdue(x, lost, false);
        tell("");
        wake(connection, busy, waiting);
    }

    private void wake(Connection connection, InHand busy, Waiting waiting) throws SQLException {
        Seen woken = rows.wake(connection, overdue, busy, waiting);
        metrics.woken(woken);
        if (woken.rows() > 0) {
            LOG.warn(
                    "Rows that were overdue are sent again: source={} of={} pending={} dead={}",
                    source,
                    x,
                    woken.pending(),
                    woken.dead());
        }
    }

    /**
     * Who is behind. A row that fell due in front of half the time had the other half to be passed on, so that clocks may differ, and one
     * that a busy pipeline is about to run is not taken for lost.
     */
    private Readers.Passed passed(Connection connection, Waiting waiting) throws SQLException {
        if (engine.isPresent()
                && engine.get().all(connection, ENGINE_PATIENCE, waiting).isEmpty()) {
            return Readers.Passed.not("the engine has not confirmed what was written");
        }
        return readers.passed(clock.millis() - overdue.toMillis() / 2);
    }

    private void tell(String lag) {
        boolean isNews = lag.isEmpty() != told.isEmpty();
        if (isNews && lag.isEmpty()) {
            LOG.info("Overdue rows are no lag any more: source={} of={}", source, x);
        } else if (isNews) {
            LOG.warn(
                    "Rows are overdue, and that is lag: nothing is sent again until it has gone. source={} of={} {}",
                    source,
                    x,
                    lag);
        }
        told = lag;
    }
}
