package io.tailrace.executor.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
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
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a dead row says to the claims of its key, and until when. */
@RealParts
class HaltsTest {

    private static final Duration LIMIT = Duration.ofSeconds(7);
    private static final String KEY = "k";

    private final CommandTable commands = new CommandTable(TableNames.DEFAULT, LIMIT);
    private final DeliveryTable deliveries = new DeliveryTable("billing", TableNames.DEFAULT, LIMIT);

    @BeforeEach
    void migrate(Stack stack) throws SQLException {
        ClaimDatabase.migrate(stack, Scope.ALL);
    }

    @Test
    void aKeyStopsAtADeadCommandThatSaysSo(Stack stack) throws Exception {
        try (Connection connection = ClaimDatabase.open(stack)) {
            UUID goesOn = dead(connection, KEY, 3, false);
            UUID next = insert(connection, KEY);
            assertThat(claim(connection, next, KEY, 6).verdict())
                    .as("a dead row as such is in nobody's way")
                    .isEqualTo(Verdict.RUN);
            connection.rollback();

            UUID halts = dead(connection, KEY, 5, true);
            Claim behind = claim(connection, next, KEY, 6);
            assertThat(behind.verdict()).isEqualTo(Verdict.BEHIND);
            assertThat(behind.met()).isEqualTo(halts);
            connection.rollback();
            assertThat(claim(connection, next, KEY, 4).verdict())
                    .as("before it, as a replay of what died earlier")
                    .isEqualTo(Verdict.RUN);
            connection.rollback();
            UUID other = insert(connection, "other");
            assertThat(claim(connection, other, "other", 7).verdict()).isEqualTo(Verdict.RUN);
            connection.rollback();
            assertThat(commands.halts(connection, request(halts, KEY, 5, 1))).isTrue();
            assertThat(commands.halts(connection, request(goesOn, KEY, 3, 1))).isFalse();

            UUID unkeyed = dead(connection, null, 8, true);
            assertThat(commands.halts(connection, request(unkeyed, null, 8, 1)))
                    .as("a row without a key stops nobody")
                    .isFalse();
        }
    }

    @Test
    void aRequeueLetsTheRowRunBeforeThoseBehindIt(Stack stack) throws Exception {
        try (Connection connection = ClaimDatabase.open(stack)) {
            UUID dead = dead(connection, KEY, 5, true);
            UUID next = insert(connection, KEY);
            assertThat(text(connection, "SELECT tailrace.requeue_command('" + dead + "')"))
                    .isEqualTo("OK");
            connection.commit();
            assertThat(text(connection, "SELECT halts FROM tailrace.internal_command WHERE id = '" + dead + "'"))
                    .isEqualTo("f");
            assertThat(claim(connection, next, KEY, 6).met())
                    .as("it waits, as any other")
                    .isEqualTo(dead);
            connection.rollback();
            Claim again = commands.claim(connection, request(dead, KEY, 5, 2));
            assertThat(again.verdict()).isEqualTo(Verdict.RUN);
            assertThat(commands.completeAndCommit(connection, again, false)).isTrue();
            assertThat(claim(connection, next, KEY, 6).verdict()).isEqualTo(Verdict.RUN);
        }
    }

    @Test
    void aSkipLetsTheKeyGoOnAndTheRowStaysDeadAndCanBeRequeued(Stack stack) throws Exception {
        try (Connection connection = ClaimDatabase.open(stack)) {
            UUID first = dead(connection, KEY, 5, true);
            UUID second = dead(connection, KEY, 6, true);
            UUID next = insert(connection, KEY);
            assertThat(skip(connection, second)).isEqualTo("NOT_HEAD");
            assertThat(skip(connection, first)).isEqualTo("OK");
            assertThat(claim(connection, next, KEY, 7).met())
                    .as("the key stops at the next one")
                    .isEqualTo(second);
            connection.rollback();
            assertThat(skip(connection, second)).isEqualTo("OK");
            assertThat(claim(connection, next, KEY, 7).verdict()).isEqualTo(Verdict.RUN);
            connection.rollback();
            assertThat(text(
                            connection,
                            "SELECT status, turn, halts FROM tailrace.internal_command WHERE id = '" + first + "'"))
                    .as("what was said of turn 1 is over")
                    .isEqualTo("DEAD 2 f");
            assertThat(text(connection, "SELECT tailrace.requeue_command('" + first + "')"))
                    .isEqualTo("OK");
            connection.commit();
            assertThat(skip(connection, first)).isEqualTo("NOT_DEAD");
            assertThat(skip(connection, dead(connection, null, 1, true))).isEqualTo("NOT_HALTED");
            assertThat(skip(connection, UUID.randomUUID())).isEqualTo("NOT_FOUND");
        }
    }

    @Test
    void aKeyOfASubscriptionStopsAtADeadEventUntilItsReplayIsClaimed(Stack stack) throws Exception {
        try (Connection connection = ClaimDatabase.open(stack)) {
            UUID dead = UUID.randomUUID();
            UUID next = UUID.randomUUID();
            Claim claimed = deliveries.claim(connection, event(dead, KEY, 5, 0, false));
            assertThat(deliveries.dead(connection, claimed, 1, Reason.REJECTED, "E: x", true))
                    .isPresent();
            connection.commit();

            Claim behind = deliveries.claim(connection, event(next, KEY, 6, 0, false));
            assertThat(behind.verdict()).isEqualTo(Verdict.BEHIND);
            assertThat(behind.met()).isEqualTo(dead);
            connection.rollback();
            DeliveryTable shipping = new DeliveryTable("shipping", TableNames.DEFAULT, LIMIT);
            assertThat(shipping.claim(connection, event(next, KEY, 6, 0, false)).verdict())
                    .as("another subscription")
                    .isEqualTo(Verdict.RUN);
            connection.rollback();

            Claim replay = deliveries.claim(connection, event(dead, KEY, 5, 1, true));
            assertThat(replay.verdict()).isEqualTo(Verdict.RUN);
            connection.rollback();
            assertThat(deliveries.halts(connection, event(dead, KEY, 5, 1, false)))
                    .as("nothing has happened")
                    .isTrue();
            Claim again = deliveries.claim(connection, event(dead, KEY, 5, 1, true));
            assertThat(deliveries.completeAndCommit(connection, again, false)).isTrue();
            assertThat(deliveries.halts(connection, event(dead, KEY, 5, 1, false)))
                    .isFalse();
            assertThat(deliveries
                            .claim(connection, event(next, KEY, 6, 0, false))
                            .verdict())
                    .isEqualTo(Verdict.RUN);
            connection.rollback();

            Claim unkeyed = deliveries.claim(connection, event(UUID.randomUUID(), null, 9, 0, false));
            assertThat(deliveries.dead(connection, unkeyed, 1, Reason.REJECTED, "E: x", true))
                    .isPresent();
            assertThat(deliveries.halts(connection, unkeyed.request())).isFalse();
        }
    }

    private UUID dead(Connection connection, @Nullable String key, long offset, boolean halts) throws SQLException {
        UUID id = insert(connection, key);
        Claim claimed = claim(connection, id, key, offset);
        assertThat(commands.dead(connection, claimed, 1, Reason.REJECTED, "E: x", halts))
                .isPresent();
        connection.commit();
        return id;
    }

    private Claim claim(Connection connection, UUID id, @Nullable String key, long offset) throws SQLException {
        return commands.claim(connection, request(id, key, offset, 0));
    }

    private static ClaimRequest request(UUID id, @Nullable String key, long offset, int turn) {
        return new ClaimRequest(id, "ns/db", key, new Place(1, offset), turn, OptionalLong.empty(), false);
    }

    private static ClaimRequest event(UUID id, @Nullable String key, long offset, int turn, boolean replay) {
        EventContent event = new EventContent(
                "shop.order",
                1,
                Bytes.utf8("{}"),
                false,
                "application/json",
                null,
                Origin.NONE,
                new EventContent.Raw(0, offset, 1_000),
                replay);
        return new ClaimRequest(id, "ns/db", key, new Place(1, offset), turn, OptionalLong.empty(), false, event);
    }

    private static String skip(Connection connection, UUID id) throws SQLException {
        String answer = text(connection, "SELECT tailrace.skip_command('" + id + "')");
        connection.commit();
        return answer;
    }

    private static UUID insert(Connection connection, @Nullable String key) throws SQLException {
        String id = text(
                connection,
                "INSERT INTO tailrace.internal_command (command_name, ordering_key) VALUES ('ship', "
                        + (key == null ? "NULL" : "'" + key + "'") + ") RETURNING id");
        connection.commit();
        return UUID.fromString(id);
    }

    /** All columns of one row. */
    private static String text(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            StringBuilder all = new StringBuilder(String.valueOf(row.getString(1)));
            for (int i = 2; i <= row.getMetaData().getColumnCount(); i++) {
                all.append(' ').append(row.getString(i));
            }
            return all.toString();
        }
    }
}
