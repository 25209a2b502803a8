package io.tailrace.engine;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.retry.ErrorTrail;
import java.sql.SQLException;
import java.util.Optional;

/** What ended a run, or kept it from beginning, in words. Pure. */
final class Causes {

    private static final int MAX_BYTES = 400;

    private Causes() {}

    /** Whether waiting will not help: no such user, password or database, or a right that is missing. */
    static boolean needsSomebody(SQLException e) {
        String sqlState = e.getSQLState() == null ? "" : e.getSQLState();
        return sqlState.startsWith("28") || sqlState.equals("3D000") || sqlState.equals("42501");
    }

    static StartRefused refused(SourceConfig source, SQLException e) {
        StartRefused refused = new StartRefused(
                ("The database %s at %s:%d refuses user %s: %s. The engine needs LOGIN, REPLICATION, and SELECT and UPDATE on the"
                                + " source table. As an administrator, as far as they lack: ALTER ROLE %6$s REPLICATION; GRANT USAGE ON"
                                + " SCHEMA %7$s TO %6$s; GRANT SELECT, UPDATE ON %8$s TO %6$s")
                        .formatted(
                                source.database(),
                                source.host(),
                                source.port(),
                                source.user(),
                                e.getMessage(),
                                TableNames.quoted(source.user()),
                                TableNames.quoted(source.tables().schema()),
                                source.tables().qualified(TableNames.SOURCE)));
        refused.initCause(e);
        return refused;
    }

    static String describe(Optional<Throwable> cause) {
        if (cause.isEmpty()) {
            return "Debezium has stopped";
        }
        Throwable root = cause.get();
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        return "the stream has ended: " + ErrorTrail.bounded(root.toString(), MAX_BYTES);
    }
}
