package io.tailrace.executor.run;

import io.tailrace.executor.claim.ClaimRequest;
import io.tailrace.executor.claim.ExternalTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The claim of an external handler while it runs: renewed once a third of it has passed, and tried again more often than that until it is. When it is
 * lost, or could not be renewed in time, the run is interrupted: another worker may have the row. For a run that takes no notice
 * of its timeout it is renewed no more, so that others may have the row. By a clock that only rises, and counted from
 * before the database was asked, so that it ends here no later than there. Thread-safe.
 */
final class Lease {

    private static final Logger LOG = LoggerFactory.getLogger(Lease.class);

    /** The lease divided by this is what may pass before it is renewed. */
    private static final int PART = 3;

    /** The lease divided by this is how often it is looked at. */
    private static final int BEATS = 12;

    private final Connections connections;
    private final ExternalTable table;
    private final ClaimRequest row;
    private final UUID token;
    private final Duration length;
    private long since;
    private boolean over;
    private RunGuard.@Nullable Watched run;

    /** @param since a {@link System#nanoTime} from before the claim was made */
    Lease(Connections connections, ExternalTable table, ClaimRequest row, UUID token, Duration length, long since) {
        this.connections = connections;
        this.table = table;
        this.row = row;
        this.token = token;
        this.length = length;
        this.since = since;
    }

    UUID token() {
        return token;
    }

    /** How often {@link #renewWhenDue} is to be called. */
    Duration beat() {
        return length.dividedBy(BEATS);
    }

    /** The run that is ended with this lease. */
    synchronized void guards(RunGuard.Watched watched) {
        run = watched;
        if (over) {
            watched.fence();
        }
    }

    /** Looks after it. Never throws. */
    void renewWhenDue() {
        if (isGivenUp()) {
            return;
        }
        long asked = System.nanoTime();
        if (asked - started() < length.toNanos() / PART) {
            return;
        }
        try (Connection connection = connections.take()) {
            boolean mine = table.renew(connection, row, token, length);
            connection.commit();
            if (mine) {
                renewed(asked);
            } else {
                end("somebody else has used an attempt for it, or has changed it");
            }
        } catch (SQLException | RuntimeException notNow) {
            LOG.debug("The lease of an external run is not renewed yet: rowId={}", row.id(), notNow);
        }
        if (System.nanoTime() - started() >= length.toNanos()) {
            end("its lease could not be renewed in time");
        }
    }

    private synchronized boolean isGivenUp() {
        if (run != null && run.isOutlasting()) {
            end("its handler goes on after its timeout, and its lease is renewed no more");
        }
        return over;
    }

    private synchronized long started() {
        return since;
    }

    private synchronized void renewed(long asked) {
        since = asked;
    }

    private synchronized void end(String why) {
        if (over) {
            return;
        }
        over = true;
        LOG.warn("An external run is interrupted, another worker may have its row: rowId={} {}", row.id(), why);
        if (run != null) {
            run.fence();
        }
    }
}
