package io.tailrace.executor.scrub;

import io.tailrace.contract.name.TableNames;
import io.tailrace.executor.claim.AttemptUse;
import io.tailrace.executor.claim.ScrubTable;
import io.tailrace.executor.metric.ExecutorMetrics;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the secrets out of the rows of some notes: of all in one transaction, and if one of them is in the way of that, of each in its own.
 *
 * <table>
 *   <caption>what may come of a row, by SQLSTATE</caption>
 *   <tr><td>08, 53, 57P, 25P, none</td><td>the database is away, which is not the row's fault: all of it is to be tried again</td></tr>
 *   <tr><td>40, 55P03, 57014</td><td>somebody else has the row, or took too long: it is come back to, and others go first</td></tr>
 *   <tr><td>all else</td><td>the database will not have it so, as a trigger or a constraint demands: said and counted, and passed</td></tr>
 * </table>
 */
final class NotedRows {

    private static final Logger LOG = LoggerFactory.getLogger(NotedRows.class);

    private final DataSource pool;
    private final ScrubTable events;
    private final ScrubTable commands;
    private final ExecutorMetrics metrics;

    NotedRows(DataSource pool, TableNames tables, ExecutorMetrics metrics) {
        this.pool = pool;
        this.events = ScrubTable.ofEvents(tables);
        this.commands = ScrubTable.ofCommands(tables);
        this.metrics = metrics;
    }

    private enum Fault {
        OUTAGE,
        BUSY,
        REFUSED;

        static Fault of(SQLException error) {
            String state = error.getSQLState();
            // The pool's own words, that it is closed or has no connection, have none.
            if (state == null
                    || state.startsWith("53")
                    || state.startsWith("57P")
                    || state.startsWith("25P")
                    || AttemptUse.of(state) == AttemptUse.LOST) {
                return OUTAGE;
            }
            return state.startsWith("40") || state.equals("55P03") || state.equals("57014") ? BUSY : REFUSED;
        }
    }

    /**
     * Scrubs them, and commits.
     *
     * @return those that are to be come back to
     * @throws SQLException when the database is away
     */
    List<Note> scrub(List<Note> notes) throws SQLException {
        if (notes.isEmpty()) {
            return List.of();
        }
        try (Connection connection = pool.getConnection()) {
            try {
                return together(connection, notes);
            } catch (SQLException error) {
                if (Fault.of(error) == Fault.OUTAGE) {
                    throw error;
                }
                connection.rollback();
                return oneByOne(connection, notes);
            }
        }
    }

    private List<Note> oneByOne(Connection connection, List<Note> notes) throws SQLException {
        List<Note> later = new ArrayList<>();
        for (Note note : notes) {
            try {
                later.addAll(together(connection, List.of(note)));
            } catch (SQLException error) {
                Fault fault = Fault.of(error);
                if (fault == Fault.OUTAGE) {
                    throw error;
                }
                connection.rollback();
                if (fault == Fault.BUSY) {
                    later.add(note);
                } else {
                    refused(note, error);
                }
            }
        }
        return later;
    }

    /** In one transaction, with its commit: a deferred constraint speaks only there. */
    private List<Note> together(Connection connection, List<Note> notes) throws SQLException {
        List<Note> later = new ArrayList<>();
        int scrubbed = 0;
        ScrubTable.waitBriefly(connection);
        for (Note note : notes) {
            ScrubTable table = note.isCommand() ? commands : events;
            if (table.scrub(connection, note.id(), note.paths())) {
                scrubbed++;
            } else if (note.xid().isPresent()
                    && table.isUnseen(connection, note.id(), note.xid().getAsLong())) {
                // Decoded before it is visible: it waits for a standby.
                later.add(note);
            }
        }
        connection.commit();
        metrics.scrubbed(scrubbed);
        return later;
    }

    /** One line for each: nobody comes back to this row. */
    private void refused(Note note, SQLException error) {
        metrics.scrubRefused();
        LOG.error(
                "Secrets stay in a row that is done, the database refuses to change it: {} sqlState={} {}",
                note,
                error.getSQLState(),
                error.getMessage());
    }
}
