package io.tailrace.executor.claim;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a row says that an external handler has. */
@RealParts
class ExternalTableTest {

    private static final Duration LEASE = Duration.ofMinutes(5);

    private final CommandTable table = new CommandTable(TableNames.DEFAULT, Duration.ofSeconds(7));
    private final UUID token = UUID.randomUUID();

    @BeforeEach
    void migrate(Stack stack) throws SQLException {
        ClaimDatabase.migrate(stack, Scope.ALL);
    }

    @Test
    void whileTheLeaseLastsRowAndKeyAreTaken(Stack stack) throws Exception {
        UUID smaller = insert(stack, "k");
        UUID out = insert(stack, "k");
        UUID greater = insert(stack, "k");
        try (Connection connection = stack.connect()) {
            connection.setAutoCommit(false);
            Claim claimed = handOut(connection, out, 5);
            // Whatever turn the record speaks of, and also if the router gives the row up.
            assertThat(claim(connection, out, 5, 0)).isEqualTo(Verdict.BUSY);
            assertThat(claim(connection, out, 5, 1)).isEqualTo(Verdict.BUSY);
            assertThat(claim(connection, smaller, 4, 0)).isEqualTo(Verdict.BUSY);
            assertThat(claim(connection, greater, 6, 0)).isEqualTo(Verdict.BEHIND);
            // One that waits with a smaller place does not take it with itself.
            assertThat(table.behind(connection, "k", new Place(1, 4).packed(), List.of(claimed.request())))
                    .isEmpty();
            connection.rollback();

            assertThat(table.external().end(connection, claimed, UUID.randomUUID()))
                    .isEmpty();
            connection.rollback();
            Claim back = table.external().end(connection, claimed, token).orElseThrow();
            assertThat(table.complete(connection, back)).isTrue();
            connection.commit();
            assertThat(claim(connection, greater, 6, 0)).isEqualTo(Verdict.RUN);
        }
    }

    @Test
    void afterTheLeaseWhoeverComesFirstHasIt(Stack stack) throws Exception {
        UUID id = insert(stack, "k");
        UUID other = insert(stack, null);
        try (Connection connection = stack.connect()) {
            connection.setAutoCommit(false);
            Claim claimed = handOut(connection, id, 5);
            expire(stack, id);
            // The worker itself, that only stood still.
            assertThat(table.external().renew(connection, claimed.request(), token, LEASE))
                    .isTrue();
            connection.commit();
            assertThat(claim(connection, id, 5, 0)).isEqualTo(Verdict.BUSY);
            expire(stack, id);
            // Another one: what is not committed is as if it had not been.
            assertThat(claim(connection, id, 5, 0)).isEqualTo(Verdict.EXPIRED);
            Claim expired = table.claim(connection, request(id, "k", 5, 0));
            assertThat(expired.verdict()).isEqualTo(Verdict.EXPIRED);
            Stamp stamp = table.waiting(connection, expired, 1, Until.after(Duration.ZERO), "gone")
                    .orElseThrow();
            assertThat(stamp.attempts()).isEqualTo(1);
            assertThat(stamp.place()).isEqualTo(new Place(1, 5));
            connection.commit();
            assertThat(table.external().renew(connection, claimed.request(), token, LEASE))
                    .isFalse();
            assertThat(table.external().end(connection, claimed, token)).isEmpty();
            connection.rollback();
            assertThat(claim(connection, id, 5, 1)).isEqualTo(Verdict.RUN);

            // An operator may end it as well.
            Claim cancelled = handOut(connection, other, 6);
            expire(stack, other);
            stack.execute("SELECT tailrace.cancel_command('" + other + "')");
            assertThat(table.external().renew(connection, cancelled.request(), token, LEASE))
                    .isFalse();
            assertThat(table.external().end(connection, cancelled, token)).isEmpty();
            connection.rollback();

            // Or have it run elsewhere: a lease would keep the row from that, and its end could not be written.
            UUID hurried = insert(stack, "h");
            Claim overtaken = handOut(connection, hurried, 7);
            expire(stack, hurried);
            stack.execute("SELECT tailrace.run_command_now('" + hurried + "')");
            assertThat(table.external().renew(connection, overtaken.request(), token, LEASE))
                    .isFalse();
        }
    }

    @Test
    void nothingIsHandedOutByWhoHasLostTheClaim(Stack stack) throws Exception {
        UUID id = insert(stack, null);
        try (Connection connection = stack.connect()) {
            connection.setAutoCommit(false);
            Claim old = table.claim(connection, request(id, null, 1, 0));
            connection.rollback();
            org.assertj.core.api.Assertions.assertThatThrownBy(
                            () -> table.external().begin(connection, old, token, LEASE))
                    .isInstanceOf(SQLException.class);
            connection.rollback();
            Claim claimed = handOut(connection, id, 1);
            // Its transaction has ended, and only the way back opens another one for stamps.
            assertThat(table.dead(connection, claimed, 1, Reason.REJECTED, null))
                    .isEmpty();
        }
    }

    private Claim handOut(Connection connection, UUID id, long offset) throws SQLException {
        Claim claimed = table.claim(connection, request(id, keyOf(connection, id), offset, 0));
        assertThat(claimed.verdict()).isEqualTo(Verdict.RUN);
        table.external().begin(connection, claimed, token, LEASE);
        connection.commit();
        return claimed;
    }

    private static @Nullable String keyOf(Connection connection, UUID id) throws SQLException {
        try (var select =
                connection.prepareStatement("SELECT ordering_key FROM tailrace.internal_command WHERE id = ?")) {
            select.setObject(1, id);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }

    private Verdict claim(Connection connection, UUID id, long offset, int turn) throws SQLException {
        Verdict verdict =
                table.claim(connection, request(id, "k", offset, turn)).verdict();
        connection.rollback();
        return verdict;
    }

    private static void expire(Stack stack, UUID id) throws SQLException {
        stack.execute(
                "UPDATE tailrace.internal_command SET claimed_until = clock_timestamp() - interval '1 second' WHERE id = '"
                        + id + "'");
    }

    private static ClaimRequest request(UUID id, @Nullable String key, long offset, int turn) {
        return new ClaimRequest(id, "ns/db", key, new Place(1, offset), turn, OptionalLong.empty(), false);
    }

    private static UUID insert(Stack stack, @Nullable String key) throws SQLException {
        try (Connection connection = stack.connect();
                var insert = connection.prepareStatement(
                        "INSERT INTO tailrace.internal_command (command_name, ordering_key) VALUES ('call', ?) RETURNING id")) {
            insert.setString(1, key);
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return row.getObject(1, UUID.class);
            }
        }
    }
}
