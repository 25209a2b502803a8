package io.tailrace.proof.commands;

import io.tailrace.proof.Servers;
import io.tailrace.proof.child.ExecutorSite;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** What is nobody's failure: broker and database die and stay away for longer than a command's whole retry budget. Not thread-safe. */
final class Outages {

    private static final Duration AWAY =
            ExecutorSite.RETRY_BUDGET.multipliedBy(3).dividedBy(2);

    /** Scheduled around each. */
    private static final int ROWS_EACH = 150;

    /** Before the database goes. */
    private static final Duration FLOW = Duration.ofMillis(500);

    private final Servers servers;
    private final Ledger ledger;
    private long throughBroker;
    private long throughDatabase;

    Outages(Servers servers, Ledger ledger) {
        this.servers = servers;
        this.ledger = ledger;
    }

    /** SIGKILL; returns when it takes requests again. */
    void ofBroker(Load load) throws SQLException {
        load.allow(ROWS_EACH);
        servers.killBroker();
        LockSupport.parkNanos(AWAY.toNanos());
        throughBroker += ledger.pending();
        servers.startBroker();
    }

    /** As a crash would; returns when it takes requests again. */
    void ofDatabase(Load load) throws SQLException {
        load.allow(ROWS_EACH);
        LockSupport.parkNanos(FLOW.toNanos());
        throughDatabase += ledger.pending();
        servers.crashPostgres();
        LockSupport.parkNanos(AWAY.toNanos());
        servers.startPostgres();
    }

    /** Commands that were due and not done when the broker was about to come back. */
    long throughBroker() {
        return throughBroker;
    }

    /** Commands that were due and not done when the database went. */
    long throughDatabase() {
        return throughDatabase;
    }
}
