package io.tailrace.engine.source;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.name.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The tables beside what the raw topics hold. The ids from the topics go into temporary tables of one session, so that the server, which
 * can sort on disk, does the comparing, and nothing here grows with the number of rows. Nothing but these temporary tables is written.
 *
 * <p>Not thread-safe. Order of use: {@link #sawEvent}, {@link #sawCommand} for every record; {@link #sawAll}; {@link #lookAt} a snapshot; then the counts
 * and the rows, as often as wanted.
 */
public final class Comparison implements AutoCloseable {

    /** Rows come in so many at a time: each may hold a payload of a megabyte. */
    private static final int FETCH_ROWS = 64;

    private final Connection connection;
    private final TableNames tables;
    private final Map<String, Set<String>> columns;
    private final RawWords events;
    private final RawWords commands;

    private Comparison(Connection connection, TableNames tables, Map<String, Set<String>> columns) {
        this.connection = connection;
        this.tables = tables;
        this.columns = columns;
        this.events = new RawWords(connection, "tailrace_raw_event");
        this.commands = new RawWords(connection, "tailrace_raw_command");
    }

    /**
     * Outbox rows and raw records.
     *
     * @param inTable rows that the table holds
     * @param lacking of these, rows that have no record in the topic and will get one
     * @param older of these, rows that have no record in the topic and are older than the comparison reaches
     * @param oldest when the oldest row was written; empty when there is none
     */
    public record Events(long inTable, long lacking, long older, Optional<Instant> oldest) {}

    /**
     * Command rows and raw records.
     *
     * @param pending rows that wait to be run
     * @param lacking of these, rows that have no record in the topic and will get one
     * @param underWay pending rows without a record that an executor has met already: their wake-up is not the raw topic's
     * @param settled rows without a record that are completed, dead or cancelled: nothing is left to run
     */
    public record Commands(long pending, long lacking, long underWay, long settled) {}

    /** Opens the session. The role needs SELECT on both tables and TEMPORARY on the database. */
    public static Comparison open(SourceConnections connections, Preflight expected) throws SQLException {
        Connection connection = connections.patient("tailrace-recover-" + expected.slotName());
        boolean opened = false;
        try (Statement statement = connection.createStatement()) {
            for (String name : List.of(
                    "statement_timeout",
                    "lock_timeout",
                    "idle_in_transaction_session_timeout",
                    "idle_session_timeout",
                    "transaction_timeout")) {
                // The last came with PostgreSQL 17.
                statement.execute("SELECT set_config(name, '0', false) FROM pg_settings WHERE name = '" + name + "'");
            }
            // A policy that hides rows would make them look as if nobody had written them: then an error, please.
            statement.execute("SET row_security = off");
            statement.execute(RawWords.table("tailrace_raw_event"));
            statement.execute(RawWords.table("tailrace_raw_command"));
            Comparison comparison = new Comparison(connection, expected.tables(), expected.columns());
            comparison.requireRights();
            opened = true;
            return comparison;
        } catch (SQLException refused) {
            throw comprehensible(refused, expected);
        } finally {
            if (!opened) {
                connection.close();
            }
        }
    }

    /** A record of an outbox row was read. */
    public void sawEvent(UUID id) throws SQLException {
        events.add(id, 0, true);
    }

    /**
     * A record of a command row was read, or of an act on one; those of a row in their order.
     *
     * @param notBefore what it says of when the row is due, milliseconds since 1970
     * @param row whether it is of the row itself
     */
    public void sawCommand(UUID id, long notBefore, boolean row) throws SQLException {
        commands.add(id, notBefore, row);
    }

    /** All records were read. Before a slot is made: what this session writes later is not in the slot's snapshot. */
    public void sawAll() throws SQLException {
        events.flush();
        commands.flush();
    }

    /**
     * Looks at the tables as they were at the snapshot of a new slot, or, without one, as they are now.
     *
     * @param eventsSince rows of the outbox that were written before this instant are not compared; empty: all are
     */
    public void lookAt(Optional<NewSlot> slot, Optional<Instant> eventsSince) throws SQLException {
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = connection.createStatement()) {
            if (slot.isPresent()) {
                statement.execute(
                        "SET TRANSACTION SNAPSHOT '" + slot.get().snapshot().replace("'", "''") + "'");
            }
            statement.execute("ANALYZE tailrace_raw_event");
            statement.execute("ANALYZE tailrace_raw_command");
        }
        compareEvents(eventsSince);
        compareCommands();
    }

    /** What the comparison of the outbox gave. */
    public Events events() throws SQLException {
        String query = """
                SELECT (SELECT count(*) FROM %1$s), (SELECT extract(epoch FROM min(occurred_at)) FROM %1$s WHERE isfinite(occurred_at)),
                       coalesce(sum(n - present) FILTER (WHERE reached), 0), coalesce(sum(n - present) FILTER (WHERE NOT reached), 0)
                  FROM tailrace_lacking_event
                """.formatted(tables.qualified(tables.outbox()));
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return new Events(
                    row.getLong(1),
                    row.getLong(3),
                    row.getLong(4),
                    Optional.ofNullable(row.getBigDecimal(2)).map(RowReader::instant));
        }
    }

    /** What the comparison of the command table gave. */
    public Commands commands() throws SQLException {
        String query = """
                SELECT (SELECT count(*) FROM %s WHERE status = 'PENDING'),
                       count(*) FILTER (WHERE status = 'PENDING' AND NOT met), count(*) FILTER (WHERE status = 'PENDING' AND met),
                       count(*) FILTER (WHERE status <> 'PENDING')
                  FROM tailrace_lacking_command
                """.formatted(tables.qualified(tables.internalCommand()));
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return new Commands(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4));
        }
    }

    /** Who takes rows, one after the other. */
    public interface Taker {
        /** Takes the next one. */
        void take(TableRow row);
    }

    /** Gives every row that lacks a record: events by {@code occurred_at} and id, then commands by {@code created_at} and id. */
    public void lacking(Taker taker) throws SQLException {
        // Of rows that share an id the topic has had the first ones; which they were only the count can tell.
        String outbox = tables.qualified(tables.outbox());
        read(
                false,
                """
                SELECT %1$s FROM %2$s t JOIN tailrace_lacking_event l USING (id) WHERE l.reached AND l.n = 1
                UNION ALL
                SELECT %3$s FROM (
                    SELECT t.*, t.xmin AS row_xmin, l.present, row_number() OVER (PARTITION BY t.id ORDER BY t.occurred_at, t.ctid) AS nth
                      FROM %2$s t JOIN tailrace_lacking_event l USING (id) WHERE l.reached AND l.n > 1) t
                 WHERE nth > present
                ORDER BY written, id
                """.formatted(
                                captured(false).selected("occurred_at", "t.xmin"),
                                outbox,
                                captured(false).selected("occurred_at", "t.row_xmin")),
                taker);
        read(
                true,
                """
                SELECT %s FROM %s t JOIN tailrace_lacking_command l USING (id) WHERE l.status = 'PENDING' AND NOT l.met
                ORDER BY written, id
                """.formatted(
                        captured(true).selected("created_at", "t.xmin"), tables.qualified(tables.internalCommand())),
                taker);
    }

    /** Who takes acts, one after the other. */
    public interface ActTaker {
        /**
         * Takes the next one.
         *
         * @param content as the SQL functions write it into the log
         * @param xid 32 bits: the transaction that wrote the row's present version
         * @param micros now, by the database's clock
         */
        void take(String content, long xid, long micros);
    }

    /**
     * Gives the acts on commands that the topic may not have heard of, as far as the rows still tell: for a pending row that an executor
     * has met, its turn and when it is due; for one that none has met, when it is due, if the topic was told something else last. To a
     * router that knows the turn already it is no news.
     */
    public void acts(ActTaker taker) throws SQLException {
        // The last of the acts that such a row may have seen: a requeue gives a new budget and leaves the last error.
        String query = """
                WITH told AS (SELECT DISTINCT ON (id) id, not_before FROM tailrace_raw_command ORDER BY id, ord DESC),
                pending AS (
                    SELECT c.*, c.xmin::text::bigint AS row_xid, CASE coalesce(c.not_before, c.run_at)
                               WHEN 'infinity' THEN 9223372036854775807 WHEN '-infinity' THEN 0
                               ELSE greatest(ceil(extract(epoch FROM coalesce(c.not_before, c.run_at)) * 1000), 0)::bigint END AS due
                      FROM %s c WHERE c.status = 'PENDING')
                SELECT json_build_object('schema', ?::text, 'act',
                           CASE WHEN c.place IS NOT NULL AND c.attempts = 0 AND c.last_error IS NOT NULL AND c.announced_at IS NULL
                                THEN 'requeue' ELSE 'reschedule' END,
                           'id', c.id, 'name', c.command_name, 'key', c.ordering_key, 'turn', c.turn, 'place', c.place, 'runAt', c.due)::text,
                       c.row_xid, extract(epoch FROM clock_timestamp())
                  FROM pending c LEFT JOIN told USING (id)
                 WHERE c.place IS NOT NULL OR told.not_before <> c.due
                 ORDER BY c.created_at, c.id
                """.formatted(tables.qualified(tables.internalCommand()));
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setString(1, tables.schema());
            statement.setFetchSize(1_000);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    taker.take(
                            row.getString(1),
                            row.getLong(2),
                            row.getBigDecimal(3).movePointRight(6).longValue());
                }
            }
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    private void requireRights() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String table : List.of(tables.outbox(), tables.internalCommand())) {
                statement
                        .executeQuery("SELECT 1 FROM " + tables.qualified(table) + " LIMIT 1")
                        .close();
            }
        }
    }

    private void compareEvents(Optional<Instant> since) throws SQLException {
        String compare = """
                CREATE TEMPORARY TABLE tailrace_lacking_event AS
                SELECT id, t.n, coalesce(r.n, 0) AS present, t.latest >= ?::timestamptz AS reached
                  FROM (SELECT id, count(*) AS n, max(occurred_at) AS latest FROM %s GROUP BY id) t
                  LEFT JOIN (SELECT id, count(*) AS n FROM tailrace_raw_event GROUP BY id) r USING (id)
                 WHERE t.n > coalesce(r.n, 0)
                """.formatted(tables.qualified(tables.outbox()));
        try (PreparedStatement statement = connection.prepareStatement(compare)) {
            statement.setString(1, since.map(Instant::toString).orElse("-infinity"));
            statement.executeUpdate();
        }
        analyze("tailrace_lacking_event");
    }

    private void compareCommands() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("""
                    CREATE TEMPORARY TABLE tailrace_lacking_command AS
                    SELECT id, status, place IS NOT NULL AS met FROM %s
                     WHERE NOT EXISTS (SELECT FROM tailrace_raw_command r WHERE r.id = %s.id AND r.of_row)
                    """.formatted(
                            tables.qualified(tables.internalCommand()), TableNames.quoted(tables.internalCommand())));
        }
        analyze("tailrace_lacking_command");
    }

    private void analyze(String table) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ANALYZE " + table);
        }
    }

    private void read(boolean command, String query, Taker taker) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setFetchSize(FETCH_ROWS); // In a transaction, so that the rest stays at the server.
            RowReader reader = captured(command);
            try (ResultSet row = statement.executeQuery(query)) {
                while (row.next()) {
                    taker.take(reader.read(row));
                }
            }
        }
    }

    private RowReader captured(boolean command) {
        return new RowReader(
                command, columns.getOrDefault(command ? tables.internalCommand() : tables.outbox(), Set.of()));
    }

    private static SQLException comprehensible(SQLException refused, Preflight expected) {
        if ("42501".equals(refused.getSQLState())) {
            TableNames tables = expected.tables();
            StartRefused lacking = new StartRefused(
                    "The role of source.user may not do what recovery needs (%s). Run, as an administrator: GRANT SELECT ON %s, %s TO <role>; GRANT TEMPORARY ON DATABASE %s TO <role>"
                            .formatted(
                                    refused.getMessage(),
                                    tables.qualified(tables.outbox()),
                                    tables.qualified(tables.internalCommand()),
                                    TableNames.quoted(expected.database())));
            lacking.initCause(refused);
            throw lacking;
        }
        return refused;
    }
}
