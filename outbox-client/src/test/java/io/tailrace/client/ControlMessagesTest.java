package io.tailrace.client;

import static io.tailrace.client.Database.begin;
import static io.tailrace.client.Database.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the slot delivers of a change: exactly what was committed, in order with the inserts. */
@RealParts
class ControlMessagesTest {

    private static final Commands COMMANDS = TailraceClient.create().commands();

    @BeforeEach
    void migrate(Stack stack) throws Exception {
        Database.migrate(stack);
    }

    @Test
    void everyChangeIsHeardInOrderAndARolledBackOneIsNot(Stack stack) throws Exception {
        UUID id;
        UUID undone;
        try (Connection connection = begin(stack)) {
            id = COMMANDS.schedule(connection, Command.of("mail").key("k\"1"), Instant.parse("2030-01-01T00:00:00Z"));
            undone = COMMANDS.schedule(connection, Command.of("other"));
            connection.commit();
            COMMANDS.cancel(connection, undone);
            connection.rollback();
            COMMANDS.reschedule(connection, id, Instant.parse("2030-01-01T00:00:00.0000001Z"));
            COMMANDS.schedule(connection, Command.of("last"));
            COMMANDS.reschedule(connection, id, Instant.MAX);
            COMMANDS.cancel(connection, id);
            connection.commit();
        }
        assertThat(heard(stack))
                .containsExactly(
                        "insert",
                        "insert",
                        control("reschedule", id, 0, "null", "1893456000001"),
                        "insert",
                        control("reschedule", id, 0, "null", "9223372036854775807"),
                        control("cancel", id, 0, "null", "9223372036854775807"));
    }

    @Test
    void aRowThatWasStampedGetsANewTurn(Stack stack) throws Exception {
        UUID id;
        try (Connection connection = begin(stack)) {
            id = COMMANDS.schedule(connection, Command.of("mail").key("k\"1"));
            rows(
                    connection,
                    "WITH stamped AS (UPDATE tailrace.internal_command SET place = 281474976710661, turn = 4, attempts = 3, hold = 'mail', not_before = now() + interval '1 hour' RETURNING id) SELECT FROM stamped");
            assertThat(COMMANDS.runNow(connection, id)).isEqualTo(CommandChange.OK);
            assertThat(
                            rows(
                                    connection,
                                    "SELECT turn, attempts, hold, not_before <= clock_timestamp(), run_at = not_before FROM tailrace.internal_command"))
                    .containsExactly("5|3|null|t|t");
            COMMANDS.reschedule(connection, id, Instant.parse("2031-01-01T00:00:00Z"));
            assertThat(
                            rows(
                                    connection,
                                    "SELECT turn, not_before = '2031-01-01Z', run_at = not_before FROM tailrace.internal_command"))
                    .containsExactly("6|t|t");
            connection.commit();
        }
        List<String> heard = heard(stack);
        assertThat(heard).hasSize(3);
        assertThat(heard.get(1))
                .contains("\"run-now\"")
                .contains("\"turn\" : 5")
                .contains("\"place\" : 281474976710661");
        assertThat(heard.get(2)).isEqualTo(control("reschedule", id, 6, "281474976710661", "1924992000000"));
    }

    @Test
    void aDeadCommandIsRequeuedOnceWithANewBudget(Stack stack) throws Exception {
        try (Connection connection = begin(stack)) {
            UUID id = COMMANDS.schedule(connection, Command.of("mail").dedup("d", OnDuplicate.REJECT));
            assertThat(rows(connection, "SELECT tailrace.requeue_command('" + id + "')"))
                    .containsExactly("NOT_DEAD");
            rows(
                    connection,
                    "WITH stamped AS (UPDATE tailrace.internal_command SET status = 'DEAD', place = 7, turn = 5, attempts = 5, last_error = 'e', reason = 'rejected', announced_at = now(), completed_at = now() RETURNING id) SELECT FROM stamped");
            UUID younger = COMMANDS.schedule(connection, Command.of("mail").dedup("d", OnDuplicate.REJECT));
            assertThat(rows(connection, "SELECT tailrace.requeue_command('" + id + "')"))
                    .containsExactly("DUPLICATE");
            COMMANDS.cancel(connection, younger);
            assertThat(rows(
                            connection,
                            "SELECT tailrace.requeue_command('" + id + "'), tailrace.requeue_command('" + id + "')"))
                    .containsExactly("OK|NOT_DEAD");
            assertThat(rows(
                            connection,
                            "SELECT status, turn, attempts, place, last_error, reason, announced_at, completed_at FROM tailrace.internal_command WHERE id = '"
                                    + id + "'"))
                    .containsExactly("PENDING|6|0|7|e|rejected|null|null");
            connection.commit();
        }
        // The attempt that met the younger one is not heard: only cancel and the requeue that was done.
        assertThat(heard(stack))
                .hasSize(4)
                .last()
                .asString()
                .contains("\"requeue\"")
                .contains("\"turn\" : 6");
    }

    @Test
    void aReplacedCommandIsACancelledOneAndANewOne(Stack stack) throws Exception {
        try (Connection connection = begin(stack)) {
            UUID id = COMMANDS.schedule(
                    connection,
                    Command.of("mail")
                            .key("k")
                            .json("{ }")
                            .header("h", "1")
                            .dedup("d", OnDuplicate.REJECT)
                            .maxAttempts(2),
                    Instant.parse("2030-01-01T00:00:00Z"));
            String kept = "command_name, ordering_key, headers::text, dedup_key, max_attempts, run_at, status";
            assertThat(rows(
                            connection,
                            "SELECT outcome, new_id <> '" + id + "' FROM tailrace.replace_command('" + id
                                    + "', '[1 ]')"))
                    .containsExactly("OK|t");
            assertThat(rows(connection, "SELECT outcome, new_id FROM tailrace.replace_command('" + id + "')"))
                    .containsExactly("NOT_PENDING|null");
            assertThat(rows(connection, "SELECT payload, " + kept + " FROM tailrace.internal_command ORDER BY id"))
                    .containsExactly(
                            "{ }|mail|k|{\"h\" : \"1\"}|d|2|2030-01-01 00:00:00+00|CANCELLED",
                            "[1 ]|mail|k|{\"h\" : \"1\"}|d|2|2030-01-01 00:00:00+00|PENDING");
            connection.commit();
        }
        assertThat(heard(stack)).hasSize(3).satisfies(heard -> {
            assertThat(heard.get(1)).contains("\"cancel\"");
            assertThat(heard.get(2)).isEqualTo("insert");
        });
    }

    private static String control(String act, UUID id, int turn, String place, String runAt) {
        return "{\"schema\" : \"tailrace\", \"act\" : \"%s\", \"id\" : \"%s\", \"name\" : \"mail\", \"key\" : \"k\\\"1\", \"turn\" : %d, \"place\" : %s, \"runAt\" : %s}"
                .formatted(act, id, turn, place, runAt);
    }

    /** Inserts and control messages as pgoutput sends them; what is left out is the frame of transactions and tables. */
    private static List<String> heard(Stack stack) throws SQLException {
        String peek =
                "SELECT data FROM pg_logical_slot_peek_binary_changes('%s', NULL, NULL, 'proto_version', '1', 'publication_names', '%s', 'messages', 'true')"
                        .formatted(
                                Database.ownership(stack).slot(),
                                Database.ownership(stack).publication());
        List<String> heard = new ArrayList<>();
        try (Connection connection = stack.connect();
                Statement statement = connection.createStatement();
                ResultSet changes = statement.executeQuery(peek)) {
            while (changes.next()) {
                ByteBuffer data = ByteBuffer.wrap(changes.getBytes(1));
                byte type = data.get();
                if (type == 'I') {
                    heard.add("insert");
                } else if (type == 'M') {
                    heard.add(message(data));
                } else {
                    assertThat((char) type).isIn('B', 'C', 'R', 'Y');
                }
            }
        }
        return heard;
    }

    private static String message(ByteBuffer data) {
        assertThat(data.get()).as("flags: transactional").isEqualTo((byte) 1);
        data.getLong();
        StringBuilder prefix = new StringBuilder();
        for (byte b = data.get(); b != 0; b = data.get()) {
            prefix.append((char) b);
        }
        assertThat(prefix).hasToString("tailrace.control");
        byte[] content = new byte[data.getInt()];
        data.get(content);
        return new String(content, StandardCharsets.UTF_8);
    }
}
