package io.tailrace.proof.load;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One session after the other, as an application has them: when the server goes away it connects again, ends what it had prepared, and
 * writes on. Its rows are numbered in the order of its commits. What became of a commit whose answer was lost only the tables know,
 * and they are who is asked in the end.
 */
final class Writer implements Runnable {

    private static final int LONGEST_PAUSE_MS = 15;
    private static final int RECONNECT_MS = 50;
    private static final int IDLE_MS = 3;

    private final Workload workload;
    private final String jdbcUrl;
    private final WorkloadKind kind;
    private final int writer;
    private final Random random;
    private final Statements statements;
    private int transactions;

    Writer(Workload workload, String jdbcUrl, WorkloadKind kind, int writer, long seed) {
        this.workload = workload;
        this.jdbcUrl = jdbcUrl;
        this.kind = kind;
        this.writer = writer;
        this.random = new Random(seed * Workload.WRITERS + writer);
        this.statements = new Statements(workload, writer, random);
    }

    @Override
    public void run() {
        while (!workload.isEnding()) {
            try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
                endPrepared(connection);
                write(connection);
            } catch (SQLException e) {
                if (!isLostConnection(e)) {
                    workload.failed(e);
                    return;
                }
                workload.count(Did.LOST_CONNECTIONS);
                pause(RECONNECT_MS);
            } catch (IOException | RuntimeException e) {
                workload.failed(e);
                return;
            }
        }
        endLeftovers();
    }

    private void write(Connection connection) throws SQLException, IOException {
        while (!workload.isEnding()) {
            if (workload.isAllowed()) {
                transaction(connection);
            } else {
                pause(IDLE_MS);
            }
        }
    }

    private void transaction(Connection connection) throws SQLException, IOException {
        connection.setAutoCommit(false);
        switch (kind) {
            case SINGLE -> {
                statements.insert(connection);
                pauseALittle(); // so that others commit in between
            }
            case COPY -> {
                for (int i = random.nextInt(3); i >= 0; i--) {
                    statements.copy(connection);
                    pauseALittle();
                }
            }
            case MIXED -> {
                for (int i = random.nextInt(5); i >= 0; i--) {
                    statements.any(connection);
                    pauseALittle();
                }
            }
        }
        end(connection);
    }

    private void end(Connection connection) throws SQLException {
        int how = kind == WorkloadKind.SINGLE ? random.nextInt(20) : random.nextInt(10);
        if (how == 0) {
            connection.rollback();
            workload.count(Did.ROLLBACKS);
        } else if (how == 1) {
            commitInTwoPhases(connection);
        } else {
            connection.commit();
            workload.count(Did.COMMITS);
        }
    }

    private void commitInTwoPhases(Connection connection) throws SQLException {
        String id = preparedPrefix() + ++transactions;
        try (Statement statement = connection.createStatement()) {
            statement.execute("PREPARE TRANSACTION '" + id + "'");
            connection.setAutoCommit(true);
            pauseALittle();
            statement.execute("COMMIT PREPARED '" + id + "'");
        }
        workload.count(Did.TWO_PHASE_COMMITS);
    }

    /** As a transaction manager would after a crash: what is prepared and still there is committed, before anything new. */
    private void endPrepared(Connection connection) throws SQLException {
        connection.setAutoCommit(true);
        List<String> prepared = new ArrayList<>();
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT gid FROM pg_prepared_xacts WHERE starts_with(gid, ?)")) {
            statement.setString(1, preparedPrefix());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    prepared.add(row.getString(1));
                }
            }
        }
        try (Statement statement = connection.createStatement()) {
            for (String id : prepared) {
                statement.execute("COMMIT PREPARED '" + id + "'");
                workload.count(Did.TWO_PHASE_COMMITS);
            }
        }
    }

    /** The server was away when the end came, with something prepared perhaps. */
    private void endLeftovers() {
        try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
            endPrepared(connection);
        } catch (SQLException e) {
            workload.failed(e);
        }
    }

    private String preparedPrefix() {
        return "proof-" + writer + "-";
    }

    private void pauseALittle() {
        pause(random.nextInt(LONGEST_PAUSE_MS));
    }

    /** 08: the connection; 57P: the server shuts down, crashes or starts. */
    private static boolean isLostConnection(SQLException e) {
        String state = e.getSQLState();
        return state != null && (state.startsWith("08") || state.startsWith("57P"));
    }

    private static void pause(int millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
