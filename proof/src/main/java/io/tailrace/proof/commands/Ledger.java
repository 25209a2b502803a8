package io.tailrace.proof.commands;

import io.tailrace.proof.child.ExecutorSite;
import io.tailrace.proof.child.Job;
import io.tailrace.proof.commands.Stored.Command;
import io.tailrace.proof.commands.Stored.Effect;
import io.tailrace.proof.commands.Stored.Note;
import io.tailrace.proof.commands.Stored.Status;
import io.tailrace.proof.load.RowId;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What the proof asks of the database and does to it. Each question has a connection of its own: sessions do not outlive crashes. */
final class Ledger {

    /** As the executor calls its sessions. */
    private static final String SESSIONS = "tailrace-executor";

    private static final String DUE = "status = 'PENDING' AND run_at < now() + interval '1 hour'";
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final String jdbcUrl;

    Ledger(String jdbcUrl) {
        this.jdbcUrl = jdbcUrl;
    }

    private interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Makes the tables of the handlers. */
    void create() throws SQLException {
        execute(ExecutorSite.TABLES);
    }

    /** From now on nothing is rejected that can be mended. */
    void mend() throws SQLException {
        execute("INSERT INTO " + ExecutorSite.MENDED + " DEFAULT VALUES");
    }

    /** Ends all sessions of all executors; how many there were. */
    int endSessions() throws SQLException {
        return list(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '" + SESSIONS
                                + "'",
                        row -> row.getBoolean(1))
                .size();
    }

    /** Commands that are due and not done. */
    long pending() throws SQLException {
        return list("SELECT count(*) FROM tailrace.internal_command WHERE " + DUE, row -> row.getLong(1))
                .get(0);
    }

    /** Commands that somebody works on now. */
    Set<String> inHand() throws SQLException {
        return new HashSet<>(list(
                "SELECT id::text FROM tailrace.internal_command WHERE " + DUE + " AND id NOT IN"
                        + " (SELECT id FROM tailrace.internal_command WHERE " + DUE + " FOR UPDATE SKIP LOCKED)",
                row -> row.getString(1)));
    }

    /** Commands of which an executor under suspicion has died: that is a failure, stamped before the run and left by the death. */
    Set<String> diedOf() throws SQLException {
        return new HashSet<>(list(
                "SELECT id::text FROM tailrace.internal_command WHERE last_error LIKE 'WorkerDied%'",
                row -> row.getString(1)));
    }

    /** Waits until no command is pending that is not far ahead; says whether it was in time. */
    boolean awaitDone(Duration patience) throws SQLException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (pending() > 0) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return true;
    }

    /** Commands that are dead now. */
    long dead() throws SQLException {
        return list("SELECT count(*) FROM tailrace.internal_command WHERE status = 'DEAD'", row -> row.getLong(1))
                .get(0);
    }

    Stored read() throws SQLException {
        List<Command> commands = list(
                """
                SELECT id::text, ordering_key, status, trunc(extract(epoch FROM run_at) * 1000000)::bigint,
                       run_at > now() + interval '1 hour', attempts, (payload->>'snooze')::int,
                       (payload->>'unavailable')::int, (payload->>'fail')::int, payload->>'end'
                FROM tailrace.internal_command""",
                row -> new Command(
                        row.getString(1),
                        row.getString(2),
                        number(row.getString(1)),
                        Load.isInCommitOrder(row.getString(2)),
                        Status.valueOf(row.getString(3)),
                        row.getLong(4),
                        row.getBoolean(5),
                        row.getInt(6),
                        new Job(row.getInt(7), row.getInt(8), row.getInt(9), Job.End.valueOf(row.getString(10)))));
        List<Effect> effects = list(
                "SELECT command_id::text, trunc(extract(epoch FROM at) * 1000000)::bigint FROM " + ExecutorSite.EFFECTS
                        + " ORDER BY n",
                row -> new Effect(row.getString(1), row.getLong(2)));
        Map<Note, Integer> notes = new HashMap<>();
        list(
                        "SELECT command_id::text, what FROM " + ExecutorSite.NOTES,
                        row -> new Note(row.getString(1), row.getString(2)))
                .forEach(note -> notes.merge(note, 1, Integer::sum));
        return new Stored(commands, effects, notes);
    }

    private static long number(String id) {
        return RowId.of(UUID.fromString(id))
                .orElseThrow(() -> new IllegalStateException("no writer wrote row " + id))
                .number();
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private <T> List<T> list(String sql, Reader<T> reader) throws SQLException {
        List<T> all = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                all.add(reader.read(row));
            }
        }
        return all;
    }
}
