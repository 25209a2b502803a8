package io.tailrace.executor.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Place;
import io.tailrace.executor.claim.Claim.Verdict;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What must not become dearer with each row that stands behind a head, or that was done before. */
@RealParts
class LongKeyTest {

    private final CommandTable table = new CommandTable(TableNames.DEFAULT, Duration.ofSeconds(7));

    @BeforeEach
    void migrate(Stack stack) throws SQLException {
        ClaimDatabase.migrate(stack, Scope.ALL);
    }

    /** As a table is after a restore and before its first ANALYZE: what the planner does not know costs a long key its pace. */
    @Test
    void aLongKeyIsNotReadFromEndToEnd(Stack stack) throws Exception {
        stack.execute("""
                INSERT INTO tailrace.internal_command (command_name, ordering_key, place)
                    SELECT 'ship', 'k', n FROM generate_series(1, 20000) n""");
        try (Connection connection = ClaimDatabase.open(stack)) {
            List<ClaimRequest> last = last(connection, 200);
            long before = sequentialReads(connection);
            Claim head = table.claim(connection, last.get(0));
            assertThat(head.verdict()).isEqualTo(Verdict.BEHIND);
            List<Stamp> stamps = table.behind(connection, "k", 0, last);
            assertThat(stamps).hasSize(200);
            table.announced(
                    connection,
                    stamps.stream().map(Stamp::id).toList(),
                    stamps.stream().map(Stamp::turn).toList());
            assertThat(sequentialReads(connection) - before).isZero();
        }
    }

    /**
     * A row that is locked by a transaction and stamped by a subtransaction of it gets a MultiXact, and what that has put an end to is never
     * marked dead in an index: each guard of a key would visit all that was done before.
     */
    @Test
    void aRowIsLockedAndStampedByOneTransaction(Stack stack) throws Exception {
        stack.execute(
                "INSERT INTO tailrace.internal_command (command_name, ordering_key) VALUES ('ship', 'k'), ('ship', 'k')");
        try (Connection connection = ClaimDatabase.open(stack)) {
            List<ClaimRequest> two = last(connection, 2);
            long before = multiXacts(connection);
            Claim first = table.claim(connection, two.get(0));
            assertThat(table.completeAndCommit(connection, first, false)).isTrue();
            Claim second = table.claim(connection, two.get(1));
            table.takeBack(connection);
            assertThat(table.waiting(connection, second, 1, Until.after(Duration.ZERO), null))
                    .isPresent();
            connection.commit();
            assertThat(multiXacts(connection) - before).isZero();
        }
    }

    /** Where keys go on at their dead letters, one may have thousands of them for as long as they are kept. */
    @Test
    void theDeadOfAKeyAreNotVisited(Stack stack) throws Exception {
        stack.execute(
                "INSERT INTO tailrace.internal_command (command_name, ordering_key, place, status)"
                        + " SELECT 'ship', 'k', n, 'DEAD' FROM generate_series(1, 2000) n",
                "INSERT INTO tailrace.internal_command (command_name, ordering_key, place) VALUES ('ship', 'k', 2001)",
                "INSERT INTO tailrace.delivery (subscription, event_id, source, ordering_key, place, status)"
                        + " SELECT 'billing', gen_random_uuid(), 'ns/db', 'k', n, 'DEAD' FROM generate_series(1, 2000) n");
        try (Connection connection = ClaimDatabase.open(stack)) {
            List<ClaimRequest> last = last(connection, 1);
            long before = indexReads(connection);
            assertThat(table.claim(connection, last.get(0)).verdict()).isEqualTo(Verdict.RUN);
            connection.rollback();
            assertThat(indexReads(connection) - before).isLessThan(100);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT tailrace.delivery_before('billing', 'ns/db', 'k', 2001, gen_random_uuid())");
            }
            connection.commit();
            assertThat(indexReads(connection) - before).isLessThan(100);
        }
    }

    private static long indexReads(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_stat_force_next_flush()");
            connection.commit();
            try (ResultSet row = statement.executeQuery("SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes)"
                    + " + (SELECT sum(seq_tup_read) FROM pg_stat_user_tables)")) {
                row.next();
                return row.getLong(1);
            }
        } finally {
            connection.commit();
        }
    }

    private static long multiXacts(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT mxid_age('1')")) {
            row.next();
            return row.getLong(1);
        } finally {
            connection.commit();
        }
    }

    private static List<ClaimRequest> last(Connection connection, int rows) throws SQLException {
        List<ClaimRequest> last = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT id FROM tailrace.internal_command ORDER BY place DESC LIMIT " + rows)) {
            while (row.next()) {
                last.add(new ClaimRequest(
                        row.getObject(1, UUID.class),
                        "ns/db",
                        "k",
                        new Place(1, 10_000),
                        0,
                        OptionalLong.empty(),
                        false));
            }
        }
        connection.commit();
        return last;
    }

    private static long sequentialReads(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'internal_command'")) {
            row.next();
            return row.getLong(1);
        }
    }
}
