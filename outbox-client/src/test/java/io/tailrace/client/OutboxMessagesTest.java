package io.tailrace.client;

import static io.tailrace.client.Database.begin;
import static io.tailrace.client.Database.lent;
import static io.tailrace.client.Database.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Origin;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Events that are messages: what the log holds of them, and what is refused at the door. */
@RealParts
class OutboxMessagesTest {

    private static final TailraceClient CLIENT =
            TailraceClient.builder().outboxMode(OutboxMode.MESSAGE).build();

    @Test
    void standsAndFallsWithTheCallersTransactionAndLeavesNoRow(Stack stack) throws Exception {
        Database.migrate(stack);
        UUID kept;
        UUID last;
        try (Connection connection = begin(stack)) {
            Connection lent = lent(connection);
            kept = CLIENT.outbox().publish(lent, Event.of("shop.kept"));
            Savepoint savepoint = connection.setSavepoint();
            CLIENT.outbox().publish(lent, Event.of("shop.undone"));
            connection.rollback(savepoint);
            last = CLIENT.outbox().publish(lent, Event.of("shop.last"));
            connection.commit();
            CLIENT.outbox().publish(lent, Event.of("shop.undone"));
            connection.rollback();
        }
        try (Connection connection = stack.connect()) {
            assertThatThrownBy(() -> CLIENT.outbox().publish(connection, Event.of("shop.opened")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("standingAlone()");
        }
        assertThat(heard(stack))
                .containsExactly(
                        "v1 8,36,9,-,-,-,-,-,-,-,-,-,-,-,-;tailrace" + kept + "shop.kept",
                        "v1 8,36,9,-,-,-,-,-,-,-,-,-,-,-,-;tailrace" + last + "shop.last");
        assertThat(value(stack, "SELECT count(*) FROM tailrace.outbox")).isEqualTo("0");
    }

    @Test
    void everyFieldStandsInItsPlace(Stack stack) throws Exception {
        Database.migrate(stack);
        Origin origin = new Origin("tenant", "user", "a,b", "corr", "cause", "00-trace");
        TailraceClient client = TailraceClient.builder()
                .outboxMode(OutboxMode.MESSAGE)
                .origin(() -> origin)
                .build();
        UUID id = UUID.randomUUID();
        try (Connection connection = begin(stack)) {
            Event event = Event.of("shop.paid.v3")
                    .version(3)
                    .key("kä😀")
                    .json(" {\"a\" : 1e400}\n")
                    .contentType("a/b+json")
                    .header("quote\"", "\\ ü")
                    .id(id);
            assertThat(client.outbox().publish(connection, event)).isEqualTo(id);
            UUID binary = client.outbox()
                    .publish(connection, Event.of("shop.paid").binary("ß".getBytes(StandardCharsets.UTF_8), "x/y"));
            connection.commit();
            assertThat(heard(stack))
                    .containsExactly(
                            "v1 8,36,12,1,7,8,21,6,4,3,4,5,8,15,-;tailrace" + id
                                    + "shop.paid.v33kä😀a/b+json{\"quote\\\"\" : \"\\\\ ü\"}tenantusera,bcorrcause00-trace {\"a\" : 1e400}\n",
                            "v1 8,36,9,-,-,3,-,6,4,3,4,5,8,-,2;tailrace" + binary
                                    + "shop.paidx/ytenantusera,bcorrcause00-traceß");
        }
    }

    @Test
    void whatATableWouldRefuseIsRefused(Stack stack) throws Exception {
        Database.migrate(stack);
        assertRefused(stack, "NULL", "", "", "event_name is null", "23502");
        for (String field : List.of(
                "ordering_key 512",
                "content_type 255",
                "tenant_id 64",
                "user_id 64",
                "user_roles 512",
                "correlation_id 64",
                "causation_id 64",
                "traceparent 128")) {
            String name = field.substring(0, field.indexOf(' '));
            int most = Integer.parseInt(field.substring(field.indexOf(' ') + 1));
            assertRefused(stack, "'a.b'", name, "'" + "ä".repeat(most + 1) + "'", name, "23514");
            stack.execute("SELECT tailrace.emit('a.b', %s => '%s')".formatted(name, "ä".repeat(most)));
        }
        assertRefused(stack, "'a.b'", "payload => '1', payload_binary", "'x'", "payload_binary", "23514");
        assertRefused(stack, "'a.b'", "payload", "'{'", "json", "22P02");
        assertRefused(stack, "'a.b'", "headers", "'{'", "json", "22P02");
        assertRefused(stack, "'a.b'", "payload", "to_json(repeat('x', 983040))", "at most 983040 are allowed", "54000");
        stack.execute(
                "SET tailrace.max_message_bytes = 1000000; SELECT tailrace.emit('a.b', payload => to_json(repeat('x', 983040)))");
    }

    @Test
    void anApplicationNeedsExecuteAndNothingElse(Stack stack) throws Exception {
        String role = stack.namespace() + "_app";
        stack.execute(
                "CREATE ROLE " + role + " LOGIN",
                "GRANT CONNECT ON DATABASE " + stack.database() + " TO " + role,
                // Who may write messages at will can forge what the functions write.
                """
                DO $do$ DECLARE f regprocedure; BEGIN
                    FOR f IN SELECT oid FROM pg_proc WHERE proname = 'pg_logical_emit_message' LOOP
                        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f);
                    END LOOP; END $do$""");
        Database.migrate(stack, role);
        stack.execute("REVOKE INSERT ON tailrace.outbox FROM " + role);
        try (Connection connection = Database.connectAs(stack, role)) {
            connection.setAutoCommit(false);
            CLIENT.outbox()
                    .publish(
                            connection,
                            Event.of("shop.paid").key("k").json("{}").header("h", "v"));
            connection.commit();
            assertThatThrownBy(() -> Database.rows(
                            connection, "SELECT pg_logical_emit_message(true, 'tailrace.outbox', 'forged')"))
                    .hasMessageContaining("permission denied");
            connection.rollback();
        } finally {
            stack.execute("DROP OWNED BY " + role, "DROP ROLE " + role);
        }
        assertThat(heard(stack)).hasSize(1);
    }

    @Test
    void anyLegalNameWill(Stack stack) throws Exception {
        TableNames odd = new TableNames("Schéma \"ß\" 'q' \\", "Aus.gang?\"", "BEFEHLE 表");
        Database.migrate(stack, odd, "postgres");
        TailraceClient client = TailraceClient.builder()
                .tables(odd)
                .outboxMode(OutboxMode.MESSAGE)
                .build();
        try (Connection connection = begin(stack)) {
            UUID id = client.outbox().publish(connection, Event.of("shop.paid"));
            connection.commit();
            assertThat(heard(stack))
                    .containsExactly("v1 18,36,9,-,-,-,-,-,-,-,-,-,-,-,-;" + odd.schema() + id + "shop.paid");
        }
    }

    private static void assertRefused(
            Stack stack, String name, String parameter, String value, String message, String sqlState) {
        String argument = parameter.isEmpty() ? "" : ", " + parameter + " => " + value;
        assertThatThrownBy(() -> stack.execute("SELECT tailrace.emit(" + name + argument + ")"))
                .as(parameter)
                .hasMessageContaining(message)
                .satisfies(thrown -> assertThat(sqlStateOf(thrown)).isEqualTo(sqlState));
    }

    private static String sqlStateOf(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException refused) {
                return String.valueOf(refused.getSQLState());
            }
        }
        return "none";
    }

    /** The contents of the outbox messages that the slot would deliver. */
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
                if (data.get() == 'M') {
                    assertThat(data.get()).as("transactional").isEqualTo((byte) 1);
                    data.getLong(); // LSN
                    StringBuilder prefix = new StringBuilder();
                    for (byte c = data.get(); c != 0; c = data.get()) {
                        prefix.append((char) c);
                    }
                    assertThat(prefix).hasToString("tailrace.outbox");
                    byte[] content = new byte[data.getInt()];
                    data.get(content);
                    heard.add(new String(content, StandardCharsets.UTF_8));
                }
            }
        }
        return heard;
    }
}
