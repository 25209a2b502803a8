package io.tailrace.client;

import static io.tailrace.client.Database.begin;
import static io.tailrace.client.Database.lent;
import static io.tailrace.client.Database.rows;
import static io.tailrace.client.Database.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Origin;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@RealParts
class OutboxTest {

    private static final TailraceClient CLIENT = TailraceClient.create();

    @Test
    void standsAndFallsWithTheCallersTransaction(Stack stack) throws Exception {
        Database.migrate(stack);
        try (Connection connection = begin(stack)) {
            Connection lent = lent(connection);
            CLIENT.outbox().publish(lent, Event.of("shop.kept").header("h", "1"));
            Savepoint savepoint = connection.setSavepoint();
            CLIENT.outbox().publish(lent, Event.of("shop.undone"));
            connection.rollback(savepoint);
            connection.commit();

            CLIENT.outbox().publish(lent, Event.of("shop.undone"));
            CLIENT.commands().schedule(lent, Command.of("undone"));
            CLIENT.commands().schedule(lent, Command.of("undone").dedup("d", OnDuplicate.REPLACE), Duration.ZERO);
            CLIENT.inbox().once(lent, "billing", UUID.randomUUID(), () -> {});
            connection.rollback();
        }
        assertThat(rows(stack, "SELECT event_name FROM tailrace.outbox")).containsExactly("shop.kept");
        assertThat(
                        value(
                                stack,
                                "SELECT (SELECT count(*) FROM tailrace.internal_command), (SELECT count(*) FROM tailrace.delivery)"))
                .isEqualTo("0|0");
    }

    @Test
    void autocommitIsRefusedUnlessTheRowStandsAlone(Stack stack) throws Exception {
        Database.migrate(stack);
        try (Connection connection = stack.connect()) {
            assertThatThrownBy(() -> CLIENT.outbox().publish(connection, Event.of("shop.opened")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)")
                    .hasMessageContaining("standingAlone()");
            assertThatThrownBy(() -> CLIENT.commands().schedule(connection, Command.of("open")))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> CLIENT.inbox().once(connection, "billing", UUID.randomUUID(), () -> {}))
                    .isInstanceOf(IllegalStateException.class);

            CLIENT.outbox().publish(connection, Event.of("shop.opened").standingAlone());
            CLIENT.commands().schedule(connection, Command.of("open").standingAlone());
        }
        assertThat(
                        value(
                                stack,
                                "SELECT (SELECT count(*) FROM tailrace.outbox), (SELECT count(*) FROM tailrace.internal_command)"))
                .isEqualTo("1|1");
    }

    @Test
    void everyByteOfAPayloadIsKept(Stack stack) throws Exception {
        Database.migrate(stack);
        List<String> payloads = List.of(
                "null",
                "{}",
                "[]",
                "\"\"",
                "{\"a\":null}",
                "12345678901234567890123",
                "1e400",
                "-0.0",
                "1e3",
                "{\"b\": 1,  \"a\":2,\"b\":3}",
                "\"\\ud800\"",
                "\"\\u0000\"",
                "\"😀 é\"",
                " \n\t[1 ,2]\r\n ",
                "[".repeat(1000) + "]".repeat(1000));
        try (Connection connection = begin(stack)) {
            for (String payload : payloads) {
                UUID id = CLIENT.outbox()
                        .publish(connection, Event.of("shop.paid").json(payload.getBytes(StandardCharsets.UTF_8)));
                assertThat(rows(connection, "SELECT payload::text FROM tailrace.outbox WHERE id = '" + id + "'"))
                        .containsExactly(payload);
            }
            UUID none = CLIENT.outbox().publish(connection, Event.of("shop.paid"));
            UUID binary =
                    CLIENT.outbox().publish(connection, Event.of("shop.paid").binary(new byte[] {0, -1, 7}, "x/y"));
            assertThat(rows(
                            connection,
                            "SELECT payload IS NULL, payload_binary IS NULL, content_type FROM tailrace.outbox WHERE id = '"
                                    + none + "'"))
                    .containsExactly("t|t|null");
            assertThat(rows(
                            connection,
                            "SELECT payload IS NULL, payload_binary, content_type FROM tailrace.outbox WHERE id = '"
                                    + binary + "'"))
                    .containsExactly("t|\\x00ff07|x/y");
            assertThatThrownBy(() -> CLIENT.outbox()
                            .publish(connection, Event.of("shop.paid").json("{")))
                    .hasMessageContaining("json");
            connection.rollback();
        }
    }

    @Test
    void everyFieldFindsItsColumn(Stack stack) throws Exception {
        Database.migrate(stack);
        Origin origin = new Origin("tenant", "user", "a,b", "corr", "cause", "00-trace");
        TailraceClient client = TailraceClient.builder().origin(() -> origin).build();
        UUID id = UUID.randomUUID();
        try (Connection connection = begin(stack)) {
            Event event = Event.of("shop.paid.v3")
                    .version(3)
                    .key("k")
                    .json("{}")
                    .contentType("a/b+json")
                    .header("quote\"", "\\ \"\n😀")
                    .header("empty", "")
                    .id(id);
            assertThat(client.outbox().publish(connection, event)).isEqualTo(id);
            connection.commit();
        }
        assertThat(
                        rows(
                                stack,
                                "SELECT id, event_name, event_version, ordering_key, content_type, tenant_id, user_id, user_roles, correlation_id, causation_id, traceparent, now() - occurred_at < '1 minute' FROM tailrace.outbox"))
                .containsExactly(id + "|shop.paid.v3|3|k|a/b+json|tenant|user|a,b|corr|cause|00-trace|t");
        assertThat(rows(stack, "SELECT h.key, h.value FROM tailrace.outbox, json_each_text(headers) h"))
                .containsExactly("quote\"|\\ \"\n😀", "empty|");
    }

    @Test
    void idsAreVersionSevenAndInOrderOfTime(Stack stack) throws Exception {
        Database.migrate(stack);
        assertThat(value(stack, """
                        WITH made AS MATERIALIZED (SELECT n, tailrace.new_id() AS id FROM generate_series(1, 5000) n)
                        SELECT count(DISTINCT id), bool_and(substr(id::text, 15, 1) = '7'), bool_and(substr(id::text, 20, 1) IN ('8', '9', 'a', 'b')),
                            bool_and(('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint
                                BETWEEN extract(epoch FROM now()) * 1000 - 1000 AND extract(epoch FROM clock_timestamp()) * 1000),
                            (SELECT bool_and(id > before) FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM made) o)
                        FROM made""")).isEqualTo("5000|t|t|t|t");
    }

    @Test
    void anApplicationNeedsInsertAndExecuteAndNothingElse(Stack stack) throws Exception {
        String role = stack.namespace() + "_app";
        stack.execute(
                "CREATE ROLE " + role + " LOGIN",
                "REVOKE ALL ON DATABASE " + stack.database() + " FROM PUBLIC",
                "REVOKE ALL ON SCHEMA public FROM PUBLIC",
                "ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC",
                "GRANT CONNECT ON DATABASE " + stack.database() + " TO " + role);
        Database.migrate(stack, role);
        try (Connection connection = Database.connectAs(stack, role)) {
            connection.setAutoCommit(false);
            Commands commands = CLIENT.commands();
            CLIENT.outbox()
                    .publish(
                            connection,
                            Event.of("shop.paid").key("k").json("{}").header("h", "v"));
            UUID id = commands.schedule(connection, Command.of("mail").key("k").json("{}"), Duration.ofHours(1));
            commands.schedule(connection, Command.of("mail").dedup("d", OnDuplicate.REJECT));
            commands.schedule(connection, Command.of("mail").dedup("d", OnDuplicate.REPLACE));
            assertThat(commands.reschedule(connection, id, Duration.ofHours(2))).isEqualTo(CommandChange.OK);
            assertThat(commands.runNow(connection, id)).isEqualTo(CommandChange.OK);
            assertThat(commands.cancel(connection, id)).isEqualTo(CommandChange.OK);
            assertThat(CLIENT.inbox().once(connection, "billing", id, () -> {})).isEqualTo(InboxOutcome.RAN);
            connection.commit();

            for (String forbidden : List.of(
                    "SELECT FROM tailrace.outbox",
                    "UPDATE tailrace.internal_command SET status = 'COMPLETED'",
                    "INSERT INTO tailrace.internal_command (command_name, status) VALUES ('mail', 'COMPLETED')",
                    "SELECT FROM tailrace.source",
                    "SELECT tailrace.move_command('cancel', tailrace.new_id(), now())")) {
                assertThatThrownBy(() -> rows(connection, forbidden)).hasMessageContaining("permission denied");
                connection.rollback();
            }
        } finally {
            stack.execute("DROP OWNED BY " + role, "DROP ROLE " + role);
        }
    }

    @Test
    void anyLegalNameWill(Stack stack) throws Exception {
        TableNames odd = new TableNames("Schéma \"ß\" 'q' \\", "Aus.gang?\"", "BEFEHLE 表");
        Database.migrate(stack, odd, "postgres");
        TailraceClient client = TailraceClient.builder().tables(odd).build();
        try (Connection connection = begin(stack)) {
            client.outbox().publish(connection, Event.of("shop.paid"));
            UUID id = client.commands().schedule(connection, Command.of("mail").dedup("d", OnDuplicate.REPLACE));
            assertThat(client.commands().cancel(connection, id)).isEqualTo(CommandChange.OK);
            assertThat(client.inbox().once(connection, "billing", id, () -> {})).isEqualTo(InboxOutcome.RAN);
            assertThat(rows(connection, "SELECT event_name FROM \"Schéma \"\"ß\"\" 'q' \\\".\"Aus.gang?\"\"\""))
                    .containsExactly("shop.paid");
            connection.rollback();
        }
    }
}
