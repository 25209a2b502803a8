package io.tailrace.executor.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.executor.claim.Claim.Verdict;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the row says to a claim, state by state, between two sessions. */
@RealParts
class ClaimTest {

    private static final Duration LIMIT = Duration.ofSeconds(7);

    private final CommandTable table = new CommandTable(TableNames.DEFAULT, LIMIT);

    @BeforeEach
    void migrate(Stack stack) throws SQLException {
        ClaimDatabase.migrate(stack, Scope.ALL);
    }

    @Test
    void oneTransactionAtATimeOnAKeyAndOnARow(Stack stack) throws Exception {
        UUID first = insert(stack, "k");
        UUID second = insert(stack, "k");
        UUID unkeyed = insert(stack, null);
        try (Connection one = ClaimDatabase.open(stack);
                Connection two = ClaimDatabase.open(stack)) {
            assertThat(claim(one, first, "k", 1, 0)).isEqualTo(Verdict.RUN);
            assertThat(claim(two, first, "k", 1, 0)).isEqualTo(Verdict.BUSY);
            assertThat(claim(two, second, "k", 2, 0)).isEqualTo(Verdict.BUSY);
            two.rollback();
            assertThat(claim(two, unkeyed, null, 1, 0)).isEqualTo(Verdict.RUN);
            one.rollback();
            assertThat(claim(one, unkeyed, null, 1, 0)).isEqualTo(Verdict.BUSY);
            assertThat(claim(one, second, "k", 2, 0)).isEqualTo(Verdict.RUN);
            // A record without the key, or with another, still meets the lock of the row's own.
            two.rollback();
            assertThat(claim(two, first, null, 1, 0)).isEqualTo(Verdict.BUSY);
            assertThat(claim(two, first, "another", 1, 0)).isEqualTo(Verdict.BUSY);
        }
    }

    @Test
    void theLeaseEndsWithTheTransactionAndEndsIt(Stack stack) throws Exception {
        UUID id = insert(stack, "k");
        List<String> limits = List.of(
                "idle_in_transaction_session_timeout",
                "statement_timeout",
                "transaction_timeout",
                "tcp_keepalives_idle");
        try (Connection connection = ClaimDatabase.open(stack)) {
            List<String> before = settings(connection, limits);
            claim(connection, id, "k", 1, 0);
            assertThat(settings(connection, limits)).containsExactly("7s", "7s", "7s", "10");
            // A rollback to the handler's savepoint leaves them.
            table.takeBack(connection);
            assertThat(settings(connection, limits)).containsExactly("7s", "7s", "7s", "10");
            connection.rollback();
            assertThat(settings(connection, limits)).isEqualTo(before);
        }
        CommandTable hurried = new CommandTable(TableNames.DEFAULT, Duration.ofMillis(300));
        try (Connection stopped = ClaimDatabase.open(stack);
                Connection other = ClaimDatabase.open(stack)) {
            assertThat(hurried.claim(stopped, request(id, "k", 1, 0)).verdict()).isEqualTo(Verdict.RUN);
            org.awaitility.Awaitility.await()
                    .atMost(Duration.ofSeconds(5))
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> {
                        Verdict verdict = claim(other, id, "k", 1, 0);
                        other.rollback();
                        return verdict == Verdict.RUN;
                    });
        }
    }

    @Test
    void fenceGuardAndDueDecideInThisOrder(Stack stack) throws Exception {
        UUID head = insert(stack, "k");
        UUID next = insert(stack, "k");
        try (Connection connection = ClaimDatabase.open(stack)) {
            Claim claimed = table.claim(connection, request(head, "k", 5, 0));
            Stamp stamp = table.waiting(connection, claimed, 1, Until.after(Duration.ofHours(1)), "E: x")
                    .orElseThrow();
            assertThat(stamp.turn()).isEqualTo(1);
            assertThat(stamp.place()).isEqualTo(new Place(1, 5));
            assertThat(stamp.waitMillis()).isBetween(3_599_000L, 3_600_000L);
            connection.commit();

            // Behind what waits with a smaller place; not behind a greater one.
            Claim behind = table.claim(connection, request(next, "k", 6, 0));
            assertThat(behind.verdict()).isEqualTo(Verdict.BEHIND);
            assertThat(behind.met()).isEqualTo(head);
            connection.rollback();
            assertThat(claim(connection, next, "k", 4, 0)).isEqualTo(Verdict.RUN);
            connection.rollback();

            // An older turn is settled, its own is early, whatever place the record names.
            assertThat(claim(connection, head, "k", 5, 0)).isEqualTo(Verdict.REPEAT);
            assertThat(claim(connection, head, "k", 9, 1)).isEqualTo(Verdict.EARLY);
            connection.rollback();

            // What is not due and has no place gets none from those in front of it: it would block its key until then.
            execute(connection, "UPDATE tailrace.internal_command SET run_at = 'infinity' WHERE id = '" + next + "'");
            connection.commit();
            assertThat(claim(connection, next, "k", 6, 0)).isEqualTo(Verdict.EARLY);
            assertThat(table.behind(connection, "k", new Place(1, 5).packed(), List.of(request(next, "k", 6, 0))))
                    .isEmpty();
            connection.rollback();

            execute(connection, "UPDATE tailrace.internal_command SET not_before = NULL WHERE id = '" + head + "'");
            connection.commit();
            Claim again = table.claim(connection, request(head, "k", 5, 1));
            assertThat(again.verdict()).isEqualTo(Verdict.RUN);
            assertThat(again.theRow().progress().attempts()).isEqualTo(1);
            assertThat(table.complete(connection, again)).isTrue();
            connection.commit();
            assertThat(claim(connection, head, "k", 5, 1)).isEqualTo(Verdict.SETTLED);
        }
    }

    @Test
    void behindStampsOnlyWhatIsPendingAtItsTurnAndFree(Stack stack) throws Exception {
        UUID free = insert(stack, "k");
        UUID moved = insert(stack, "k");
        UUID done = insert(stack, "k");
        UUID locked = insert(stack, "k");
        UUID inFront = insert(stack, "k");
        stack.execute(
                "UPDATE tailrace.internal_command SET turn = 1 WHERE id = '" + moved + "'",
                "UPDATE tailrace.internal_command SET status = 'COMPLETED' WHERE id = '" + done + "'");
        try (Connection worker = ClaimDatabase.open(stack);
                Connection operator = ClaimDatabase.open(stack)) {
            execute(operator, "SELECT 1 FROM tailrace.internal_command WHERE id = '" + locked + "' FOR UPDATE");
            List<Stamp> stamps = table.behind(
                    worker,
                    "k",
                    new Place(1, 10).packed(),
                    List.of(
                            request(locked, "k", 14, 0),
                            request(done, "k", 13, 0),
                            request(moved, "k", 12, 0),
                            request(free, "k", 11, 0),
                            request(inFront, "k", 9, 0)));
            assertThat(stamps).singleElement().satisfies(stamp -> {
                assertThat(stamp.id()).isEqualTo(free);
                assertThat(stamp.turn()).isEqualTo(1);
                assertThat(stamp.attempts()).isZero();
                assertThat(stamp.place()).isEqualTo(new Place(1, 11));
            });
        }
    }

    @Test
    void nothingIsStampedByWhoHasLostTheClaim(Stack stack) throws Exception {
        UUID id = insert(stack, null);
        try (Connection connection = ClaimDatabase.open(stack)) {
            Claim old = table.claim(connection, request(id, null, 1, 0));
            connection.rollback();
            execute(connection, "CREATE TABLE mine ()");
            assertThat(table.complete(connection, old)).isFalse();
            assertThat(table.waiting(connection, old, 1, Until.after(Duration.ZERO), null))
                    .isEmpty();
            assertThat(table.dead(connection, old, 1, Reason.REJECTED, null)).isEmpty();
        }
    }

    @Test
    void aCompletionThatHasLostItsClaimNeverComesToItsCommit(Stack stack) throws Exception {
        UUID id = insert(stack, null);
        try (Connection connection = ClaimDatabase.open(stack);
                Connection other = ClaimDatabase.open(stack)) {
            Claim old = table.claim(connection, request(id, null, 1, 0));
            connection.rollback();
            execute(connection, "CREATE TABLE written_by_the_handler ()");
            assertThat(table.completeAndCommit(connection, old, false)).isFalse();
            connection.rollback();
            assertThat(exists(other, "written_by_the_handler")).isFalse();

            Claim again = table.claim(connection, request(id, null, 1, 0));
            execute(connection, "CREATE TABLE taken_back ()");
            table.takeBack(connection);
            assertThat(claim(other, id, null, 1, 0)).as("the lock stays").isEqualTo(Verdict.BUSY);
            other.rollback();
            connection.commit();

            again = table.claim(connection, request(id, null, 1, 0));
            execute(connection, "CREATE TABLE written_by_the_handler ()");
            assertThat(table.completeAndCommit(connection, again, false)).isTrue();
            // No commit of the connection: it came with the completion.
            assertThat(claim(other, id, null, 1, 0)).isEqualTo(Verdict.SETTLED);
            assertThat(exists(other, "written_by_the_handler")).isTrue();
            assertThat(exists(other, "taken_back")).isFalse();
        }
    }

    @Test
    void whoFindsARowDoneBringsItToTheDiskByCommitting(Stack stack) throws Exception {
        UUID id = insert(stack, null);
        stack.execute("ALTER SYSTEM SET wal_writer_delay = '10s'");
        stack.execute("SELECT pg_reload_conf()");
        try (Connection connection = ClaimDatabase.open(stack);
                Connection other = ClaimDatabase.open(stack)) {
            Claim claim = table.claim(connection, request(id, null, 1, 0));
            assertThat(table.completeAndCommit(connection, claim, true)).isTrue();
            assertThat(text(connection, "SHOW synchronous_commit")).isEqualTo("on");
            String written = text(connection, "SELECT pg_current_wal_insert_lsn()");
            connection.rollback();
            assertThat(claim(other, id, null, 1, 0)).isEqualTo(Verdict.SETTLED);
            other.commit();
            assertThat(text(other, "SELECT pg_current_wal_flush_lsn() >= '" + written + "'"))
                    .isEqualTo("t");
        } finally {
            stack.execute("ALTER SYSTEM RESET wal_writer_delay");
            stack.execute("SELECT pg_reload_conf()");
        }
    }

    private static String text(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void anErrorOfTheCommitIsThatOfTheCompletion(Stack stack) throws Exception {
        UUID id = insert(stack, null);
        try (Connection connection = ClaimDatabase.open(stack)) {
            execute(
                    connection,
                    "CREATE TABLE checked (n integer UNIQUE DEFERRABLE INITIALLY DEFERRED); INSERT INTO checked VALUES (1)");
            connection.commit();
            Claim claim = table.claim(connection, request(id, null, 1, 0));
            execute(connection, "INSERT INTO checked VALUES (1)");
            assertThatThrownBy(() -> table.completeAndCommit(connection, claim, false))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            error -> assertThat(error.getSQLState()).isEqualTo("23505"));
            connection.rollback();
            assertThat(claim(connection, id, null, 1, 0)).isEqualTo(Verdict.RUN);
        }
    }

    private static boolean exists(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT to_regclass('" + table + "') IS NOT NULL")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    @Test
    void whatWouldHideRowsOrEndThemTooSoonIsNamedWithItsFix(Stack stack) throws Exception {
        try (Connection connection = ClaimDatabase.open(stack)) {
            assertThat(table.problems(connection)).isEmpty();
            execute(connection, "SET LOCAL transaction_timeout = '5s'");
            assertThat(table.problems(connection))
                    .singleElement()
                    .asString()
                    .contains("transaction_timeout", "ALTER ROLE");
            // A role lives no longer than the transaction that made it.
            execute(connection, "CREATE ROLE " + stack.namespace() + "_worker");
            execute(connection, "GRANT USAGE ON SCHEMA tailrace TO " + stack.namespace() + "_worker");
            execute(connection, "ALTER TABLE tailrace.internal_command ENABLE ROW LEVEL SECURITY");
            execute(connection, "SET LOCAL transaction_timeout = 0; SET LOCAL ROLE " + stack.namespace() + "_worker");
            assertThat(table.problems(connection))
                    .satisfiesExactly(
                            grant -> assertThat(grant).contains("GRANT SELECT, UPDATE"),
                            hidden -> assertThat(hidden).contains("BYPASSRLS"));
        }
        CommandTable elsewhere = new CommandTable(new TableNames("else\"where's", "o", "c"), LIMIT);
        try (Connection connection = ClaimDatabase.open(stack)) {
            assertThat(elsewhere.problems(connection))
                    .singleElement()
                    .asString()
                    .contains("tailrace db migrate");
        }
    }

    /** It would say of a name that it is resumed, and wake nothing. */
    @Test
    void aRoleThatMayNotWakeWhatANameHeldIsToldSo(Stack stack) throws Exception {
        String role = stack.namespace() + "_sleeper";
        try (Connection connection = ClaimDatabase.open(stack)) {
            DeliveryTable deliveries = new DeliveryTable("billing", TableNames.DEFAULT, LIMIT);
            execute(connection, "CREATE ROLE " + role);
            execute(connection, "GRANT USAGE ON SCHEMA tailrace TO " + role);
            execute(connection, "GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA tailrace TO " + role);
            execute(connection, "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA tailrace TO " + role);
            execute(connection, "SET LOCAL ROLE " + role);
            assertThat(table.problems(connection)).isEmpty();
            assertThat(deliveries.problems(connection)).isEmpty();
            for (RowTable each : List.of(table, deliveries)) {
                execute(connection, "RESET ROLE");
                String waking = each == table ? "wake_held(integer)" : "probe_held(text,text,bigint)";
                execute(connection, "REVOKE EXECUTE ON FUNCTION tailrace." + waking + " FROM " + role);
                execute(connection, "SET LOCAL ROLE " + role);
                assertThat(each.problems(connection)).singleElement().asString().contains("GRANT EXECUTE");
            }
        }
    }

    @Test
    void aClaimThatIsLostIsNotReleased(Stack stack) throws Exception {
        UUID id = insert(stack, null);
        try (Connection connection = ClaimDatabase.open(stack)) {
            assertThat(claim(connection, id, null, 1, 0)).isEqualTo(Verdict.RUN);
            assertThat(table.release(connection)).isTrue();
            connection.rollback();
            assertThat(claim(connection, id, null, 1, 0)).isEqualTo(Verdict.RUN);
            connection.rollback();
            assertThat(table.release(connection)).isFalse();
        }
    }

    private Verdict claim(Connection connection, UUID id, @Nullable String key, long offset, int turn)
            throws SQLException {
        return table.claim(connection, request(id, key, offset, turn)).verdict();
    }

    private static ClaimRequest request(UUID id, @Nullable String key, long offset, int turn) {
        return new ClaimRequest(id, "ns/db", key, new Place(1, offset), turn, OptionalLong.empty(), false);
    }

    private static UUID insert(Stack stack, @Nullable String key) throws SQLException {
        try (Connection connection = stack.connect();
                var insert = connection.prepareStatement(
                        "INSERT INTO tailrace.internal_command (command_name, ordering_key) VALUES ('ship', ?) RETURNING id")) {
            insert.setString(1, key);
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return row.getObject(1, UUID.class);
            }
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> settings(Connection connection, List<String> names) throws SQLException {
        List<String> values = new java.util.ArrayList<>();
        for (String name : names) {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SHOW " + name)) {
                row.next();
                values.add(row.getString(1));
            }
        }
        return values;
    }
}
