package io.tailrace.schema;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Changes tables that are in use. A change waits for whoever has read or written the table in a transaction that is open, and all who come
 * later, applications with their inserts and executors with their claims, queue behind the change: so it waits shortly, lets them pass, and
 * comes again.
 */
final class BusyTables {

    /** With the two seconds of each, and the one after it: three minutes. */
    static final int TRIES = 60;

    /** Progress is told at the first try, and then at each of so many. */
    private static final int TOLD_EVERY = 10;

    private static final String WAIT = "SET LOCAL lock_timeout = '2s'";

    /** The others have waited as long as that; now they run. */
    private static final String LET_PASS = "SELECT pg_catalog.pg_sleep(1)";

    /** lock_not_available, and deadlock_detected: either way nothing of the change is left. */
    private static final Set<String> IN_USE = Set.of("55P03", "40P01");

    /** Not what they run: that may hold a payload. Those that wait for a lock themselves are in nobody's way for longer. */
    private static final String HOLDERS = """
            SELECT format('pid %s (%s, %s) has %s on %s, in a transaction open for %s s', h.pid, h.usename,
                coalesce(nullif(h.application_name, ''), 'without a name'), h.modes, h.tables,
                extract(epoch FROM clock_timestamp() - h.xact_start)::int)
            FROM (SELECT a.pid, a.usename, a.application_name, a.xact_start,
                    string_agg(DISTINCT l.mode, ', ') AS modes, string_agg(DISTINCT c.relname::text, ', ') AS tables
                FROM pg_catalog.pg_locks l
                JOIN pg_catalog.pg_class c ON c.oid = l.relation AND c.relkind IN ('r', 'p')
                JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
                WHERE l.granted AND n.nspname = ? AND l.pid <> pg_catalog.pg_backend_pid()
                    AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())
                GROUP BY a.pid, a.usename, a.application_name, a.xact_start) h
            ORDER BY h.xact_start LIMIT 3""";

    private final Connection connection;
    private final String schema;
    private final int tries;
    private final Consumer<String> progress;

    /**
     * @param tries how often a change is tried
     * @param progress hears who is in the way, a line at a time
     */
    BusyTables(Connection connection, String schema, int tries, Consumer<String> progress) {
        this.connection = connection;
        this.schema = schema;
        this.tries = tries;
        this.progress = progress;
    }

    /**
     * Does the work in one transaction, again and again while tables that it needs are in use.
     *
     * @param what the work is, for people
     * @throws SQLException of state 55P03, naming who is in the way, when the tables never were free
     */
    void change(String what, Jdbc.Work work) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                Jdbc.transaction(connection, () -> {
                    Jdbc.run(connection, WAIT);
                    work.run();
                });
                return;
            } catch (SQLException failed) {
                if (!IN_USE.contains(failed.getSQLState())) {
                    throw failed;
                }
                String holders = holders();
                if (attempt == tries) {
                    throw new SQLException(
                            "%s: the tables were in use at each of %d tries, nothing of it is done: %s. Fix: run it when it is quiet, or stop the executors and whatever else holds a transaction open, then run it again; what was applied before stays"
                                    .formatted(what, tries, holders),
                            failed.getSQLState(),
                            failed);
                }
                if (attempt % TOLD_EVERY == 1) {
                    progress.accept("%s waits, try %d of %d: %s".formatted(what, attempt, tries, holders));
                }
                Jdbc.list(connection, LET_PASS, row -> true);
            }
        }
    }

    private String holders() throws SQLException {
        List<String> holders = Jdbc.list(connection, HOLDERS, row -> row.getString(1), schema);
        return holders.isEmpty() ? "whoever had them has ended by now" : String.join("; ", holders);
    }
}
