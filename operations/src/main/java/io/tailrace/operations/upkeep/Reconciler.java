package io.tailrace.operations.upkeep;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.operations.sweep.EngineRead;
import io.tailrace.operations.sweep.OverdueRows;
import io.tailrace.operations.sweep.OverdueRows.Seen;
import io.tailrace.operations.sweep.Waiting;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends word of commands that are overdue although everybody has passed what was written before they fell due: nobody seems to have them. The
 * router drops word of a row that it holds, and what it does not drop the row itself guards: at worst an executor looks at a row in vain.
 * While somebody is behind, it is lag and no loss, and is told as such. Used by one thread.
 */
final class Reconciler {

    /** An engine that runs confirms within some heartbeats. */
    private static final Duration ENGINE_PATIENCE = Duration.ofSeconds(60);

    private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);

    private final String source;
    private final Duration overdue;
    private final OverdueRows rows;
    private final EngineRead engine;
    private final Readers readers;
    private final UpkeepMetrics metrics;
    private final InstantSource clock;

    /** What it told last: an edge is logged, not each pass. */
    private String told = "";

    /** @param overdue by how much a row is */
    Reconciler(TailraceConfig config, Duration overdue, UpkeepMetrics metrics, InstantSource clock) {
        this.source = config.source().name();
        this.overdue = overdue;
        this.rows = new OverdueRows(config.source().tables());
        this.engine = new EngineRead(config.slot());
        this.readers = new Readers(config);
        this.metrics = metrics;
        this.clock = clock;
    }

    /** Looks once. Without an overdue row nothing else is asked. */
    void pass(Connection connection, Waiting waiting) throws SQLException {
        Seen seen = rows.count(connection, overdue, waiting);
        if (seen.rows() == 0) {
            metrics.overdue(seen, false);
            tell("");
            return;
        }
        Optional<String> lag = lag(connection, waiting);
        if (!waiting.forTime(Duration.ZERO)) {
            return; // A stop cuts a wait short, and that is no lag.
        }
        metrics.overdue(seen, lag.isPresent());
        if (lag.isPresent()) {
            tell(lag.get());
            return;
        }
        tell("");
        Seen woken = rows.wake(connection, overdue, waiting);
        metrics.woken(woken);
        if (woken.rows() > 0) {
            LOG.warn(
                    "Rows that were overdue are sent again: source={} pending={} dead={}",
                    source,
                    woken.pending(),
                    woken.dead());
        }
    }

    /**
     * Who is behind. A row that fell due in front of half the time had the other half to be passed on, so that clocks may differ, and one
     * that a busy pipeline is about to run is not taken for lost.
     */
    private Optional<String> lag(Connection connection, Waiting waiting) throws SQLException {
        if (engine.all(connection, ENGINE_PATIENCE, waiting).isEmpty()) {
            return Optional.of("the engine has not confirmed what was written");
        }
        return readers.behind(clock.millis() - overdue.toMillis() / 2);
    }

    private void tell(String lag) {
        boolean isNews = lag.isEmpty() != told.isEmpty();
        if (isNews && lag.isEmpty()) {
            LOG.info("Overdue rows are no lag any more: source={}", source);
        } else if (isNews) {
            LOG.warn(
                    "Rows are overdue, and that is lag: nothing is sent again until it has gone. source={} {}",
                    source,
                    lag);
        }
        told = lag;
    }
}
