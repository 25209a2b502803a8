package io.tailrace.executor.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.redact.SecretPaths;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is left of a row whose secrets were taken out, column by column. */
@RealParts
class ScrubTableTest {

    private static final SecretPaths PATHS =
            SecretPaths.of(List.of("customer.card", "lines[*].pin", "no.such.path", "total.amount", "headers.api-key"));

    private final ScrubTable events = ScrubTable.ofEvents(TableNames.DEFAULT);
    private final ScrubTable commands = ScrubTable.ofCommands(TableNames.DEFAULT);

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private Stack stack;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private Connection connection;

    @BeforeEach
    void migrate(Stack given) throws SQLException {
        stack = given;
        connection = stack.connect();
        Schema.migrate(
                connection,
                TableNames.DEFAULT,
                Scope.ALL,
                Ownership.of(new Namespace(stack.namespace()), stack.database()));
        connection.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    @Test
    void onlyTheNamedValuesGoAndDoingItAgainWritesNothing() throws SQLException {
        UUID id = event(
                "{ \"customer\":{\"card\":{\"no\":\"4711\"},\"name\":\"\\u00e9\"}, \"lines\":[{\"pin\":1},{\"pin\":[2]},3], \"total\":1e2 }",
                null,
                null,
                "{\"API-Key\":\"4711\",\"region\":\"eu\"}");

        assertThat(events.scrub(connection, id, PATHS)).isTrue();
        assertThat(column(id, "payload::text"))
                .as("fields, elements, another shape than the path wants; spaces and escapes stay")
                .isEqualTo(
                        "{ \"customer\":{\"card\":null,\"name\":\"\\u00e9\"}, \"lines\":[{\"pin\":null},{\"pin\":null},null], \"total\":null }");
        assertThat(column(id, "headers::text")).isEqualTo("{\"API-Key\":\"\",\"region\":\"eu\"}");
        assertThat(column(id, "event_name || ordering_key || tenant_id")).isEqualTo("sales.placedkacme");

        String where = column(id, "ctid::text");
        assertThat(events.scrub(connection, id, PATHS)).isFalse();
        assertThat(column(id, "ctid::text")).isEqualTo(where);
        assertThat(events.scrub(connection, UUID.randomUUID(), PATHS)).isFalse();
    }

    @Test
    void bytesAreCutIfTheyAreJsonAndElseGoWhole() throws SQLException {
        UUID json = event(null, "{\"customer\":{\"card\":1}}", "application/json", null);
        UUID other = event(null, "card=4711", "text/plain", "{\"region\":\"eu\"}");
        UUID untyped = event(null, "{\"customer\":{\"card\":1}}", null, null);
        for (UUID id : List.of(json, other, untyped)) {
            assertThat(events.scrub(connection, id, PATHS)).isTrue();
        }
        assertThat(column(json, "convert_from(payload_binary, 'UTF8')")).isEqualTo("{\"customer\":{\"card\":null}}");
        assertThat(column(other, "payload_binary::text")).isNull();
        assertThat(column(other, "headers::text")).isEqualTo("{\"region\":\"eu\"}");
        assertThat(column(untyped, "payload_binary::text")).isNull();
    }

    @Test
    void twoEventsOfOneIdAreLeftAlone() throws SQLException {
        UUID id = event("{\"customer\":{\"card\":1}}", null, null, null);
        stack.execute("INSERT INTO tailrace.outbox (id, event_name) VALUES ('" + id + "', 'sales.other')");
        assertThat(events.scrub(connection, id, PATHS)).isFalse();
    }

    @Test
    void aCommandKeepsItsSecretsUntilItIsDone() throws SQLException {
        for (String status : List.of("PENDING", "DEAD", "COMPLETED", "CANCELLED")) {
            UUID id = UUID.randomUUID();
            stack.execute("INSERT INTO tailrace.internal_command (id, command_name, status, payload) VALUES ('" + id
                    + "', 'charge', '" + status + "', '{\"customer\":{\"card\":1}}')");
            boolean isDone = status.equals("COMPLETED") || status.equals("CANCELLED");
            assertThat(commands.scrub(connection, id, PATHS)).as(status).isEqualTo(isDone);
        }
    }

    @Test
    void aRowThatIsNotVisibleYetIsToldFromOneThatIsGone() throws SQLException {
        try (Connection writer = stack.connect()) {
            writer.setAutoCommit(false);
            UUID id = UUID.randomUUID();
            long xid;
            try (ResultSet row = writer.createStatement()
                    .executeQuery("INSERT INTO tailrace.outbox (id, event_name) VALUES ('" + id
                            + "', 'sales.placed') RETURNING pg_current_xact_id()::text::bigint & 4294967295")) {
                row.next();
                xid = row.getLong(1);
            }
            assertThat(events.isUnseen(connection, id, xid)).isTrue();
            writer.rollback();
            connection.commit();
            assertThat(events.isUnseen(connection, id, xid)).isFalse();
        }
    }

    @Test
    void aCommandWhoseCancelIsNotVisibleYetIsToldFromOneThatIsNotDone() throws SQLException {
        UUID id = UUID.randomUUID();
        stack.execute("INSERT INTO tailrace.internal_command (id, command_name) VALUES ('" + id + "', 'charge')");
        try (Connection writer = stack.connect()) {
            writer.setAutoCommit(false);
            long xid;
            try (ResultSet row = writer.createStatement()
                    .executeQuery("UPDATE tailrace.internal_command SET status = 'CANCELLED' WHERE id = '" + id
                            + "' RETURNING pg_current_xact_id()::text::bigint & 4294967295")) {
                row.next();
                xid = row.getLong(1);
            }
            assertThat(commands.isUnseen(connection, id, xid)).isTrue();
            writer.rollback();
            connection.commit();
            assertThat(commands.isUnseen(connection, id, xid)).isFalse();
        }
    }

    private UUID event(
            @Nullable String json, @Nullable String binary, @Nullable String contentType, @Nullable String headers)
            throws SQLException {
        try (Connection writer = stack.connect();
                PreparedStatement insert = writer.prepareStatement("""
                        INSERT INTO tailrace.outbox (event_name, ordering_key, tenant_id, payload, payload_binary, content_type, headers)
                        VALUES ('sales.placed', 'k', 'acme', ?::json, convert_to(?, 'UTF8'), ?, ?::json) RETURNING id""")) {
            insert.setString(1, json);
            insert.setString(2, binary);
            insert.setString(3, contentType);
            insert.setString(4, headers);
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return row.getObject(1, UUID.class);
            }
        }
    }

    private @Nullable String column(UUID id, String expression) throws SQLException {
        try (ResultSet row = connection
                .createStatement()
                .executeQuery("SELECT " + expression + " FROM tailrace.outbox WHERE id = '" + id + "'")) {
            row.next();
            return row.getString(1);
        }
    }
}
