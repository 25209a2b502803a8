package io.tailrace.operations.sweep;

import io.tailrace.contract.name.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Commands that should have run long ago, and dead ones of which nobody knows that their letter was written. Word of them goes through the
 * log, in transactions of a thousand on a connection that commits by itself. The rows are not changed: place, turn and attempts stay.
 */
public final class OverdueRows implements Overdue {

    /** Null is passed over by greatest. */
    private static final String DUE = "greatest(%1$s.run_at, %1$s.not_before, %1$s.created_at)";

    /** An external handler has it, or its name is paused. */
    private static final String WAITS =
            "(coalesce(%1$s.claimed_until >= clock_timestamp(), false) OR EXISTS (SELECT FROM <pause> p WHERE p.name = %1$s.hold))";

    private static final String SOME = "WITH overdue AS (SELECT r AS command, r.ctid AS place";

    private static final String WAKE =
            OverdueTable.SOME + ") SELECT o.place::text, (o.command).status, %s('wake', o.command) FROM overdue o";

    private final String table;
    private final OverdueTable overdueRows;
    private final String wake;

    public OverdueRows(TableNames names) {
        this.table = names.qualified(names.internalCommand());
        this.overdueRows = new OverdueTable(
                table,
                new OverdueTable.Words(
                        "id", "%1$s.ordering_key", DUE, WAITS.replace("<pause>", names.qualified("pause")), "true"),
                List.of());
        this.wake = WAKE.formatted(names.qualified("emit_control"));
    }

    @Override
    public Seen count(Connection connection, Duration overdue, InHand but, Waiting waiting) throws SQLException {
        return overdueRows.count(connection, overdue, but, waiting);
    }

    @Override
    public Seen wake(Connection connection, Duration overdue, InHand but, Waiting waiting) throws SQLException {
        Seen[] woken = {Seen.NONE};
        Sweep.over(connection, table, waiting, stretch -> {
            long pending = 0;
            long dead = 0;
            String last = "";
            try (PreparedStatement statement = overdueRows.prepared(connection, SOME, wake, stretch, overdue, but);
                    ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    last = rows.getString(1);
                    boolean isDead = rows.getString(2).equals("DEAD");
                    dead += isDead ? 1 : 0;
                    pending += isDead ? 0 : 1;
                }
            }
            woken[0] = woken[0].plus(new Seen(pending, dead, 0));
            return pending + dead == Sweep.ROWS ? Optional.of(last) : Optional.empty();
        });
        return woken[0];
    }
}
