package io.tailrace.operations;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.operations.Status.SlotState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;

/** What PostgreSQL says of the source. */
final class SourceProbe {

    private final Database database;
    private final String slot;
    private final TableNames tables;

    SourceProbe(TailraceConfig config) {
        this.database = new Database(config.source());
        this.slot = config.slot();
        this.tables = config.source().tables();
    }

    Optional<SlotState> slot() {
        return database.call("looking at the slot", connection -> {
            try (PreparedStatement statement = connection.prepareStatement("""
                    SELECT slot_name, active, wal_status, confirmed_flush_lsn::text,
                           pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::bigint,
                           pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint, safe_wal_size,
                           to_jsonb(s) ->> 'failover'
                    FROM pg_replication_slots s WHERE slot_name = ?""")) {
                statement.setString(1, slot);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next()
                            ? Optional.of(new SlotState(
                                    row.getString(1),
                                    row.getBoolean(2),
                                    row.getString(3),
                                    Optional.ofNullable(row.getString(4)),
                                    row.getLong(5),
                                    row.getLong(6),
                                    Optional.ofNullable(row.getObject(7, Long.class)),
                                    Optional.ofNullable(row.getString(8)).map(Boolean::valueOf)))
                            : Optional.empty();
                }
            }
        });
    }

    /** Pending and allowed to run by the database's clock. */
    long dueCommands() {
        return database.call("counting due commands", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                            "SELECT count(*) FROM "
                                    + tables.qualified(tables.internalCommand())
                                    + " WHERE status = 'PENDING' AND run_at <= now() AND coalesce(not_before, run_at) <= now()");
                    ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        });
    }
}
