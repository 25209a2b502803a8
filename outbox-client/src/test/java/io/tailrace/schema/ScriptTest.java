package io.tailrace.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.name.TableNames;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Test;

@RealParts
class ScriptTest {

    private static final TableNames ODD = new TableNames("Schéma \"ß\" 'q' \\", "Aus.gang\"", "BEFEHLE ${x} 表");

    @Test
    void theScriptMakesWhatMigrateMakes(Stack stack) throws Exception {
        String script = Schema.script(TableNames.DEFAULT, Scope.ALL, Database.ownership(stack));
        Database.runScript(stack, script);

        assertThat(Database.differences(stack)).isEmpty();
        assertThat(Database.migrate(stack).changed()).isFalse();
        assertThatThrownBy(() -> Database.runScript(stack, script)).hasMessageContaining("already exists");
        assertThat(Database.migrate(stack).changed()).isFalse();
    }

    @Test
    void theInboxStandsAlone(Stack stack) throws Exception {
        Database.runScript(stack, Schema.script(TableNames.DEFAULT, Scope.INBOX, Database.ownership(stack)));

        try (Connection connection = stack.connect()) {
            assertThat(Schema.differences(connection, TableNames.DEFAULT, Scope.INBOX))
                    .isEmpty();
            assertThat(
                            Database.rows(
                                    connection,
                                    "SELECT relname FROM pg_class WHERE relnamespace = 'tailrace'::regnamespace AND relkind = 'r' ORDER BY 1"))
                    .containsExactly("delivery", "schema_version");
            assertThat(Database.rows(connection, "SELECT FROM pg_publication")).isEmpty();
            assertThat(Database.rows(
                            connection, "SELECT FROM pg_replication_slots WHERE database = current_database()"))
                    .isEmpty();
            // It can become a whole one later.
            assertThat(Schema.migrate(connection, TableNames.DEFAULT, Scope.ALL, Database.ownership(stack))
                            .done())
                    .contains("applied V001 tables")
                    .doesNotContain("applied V001 inbox");
        }
    }

    @Test
    void anyLegalNameWill(Stack stack) throws Exception {
        Database.runScript(stack, Schema.script(ODD, Scope.ALL, Database.ownership(stack), List.of("postgres")));

        try (Connection connection = stack.connect()) {
            assertThat(Schema.differences(connection, ODD)).isEmpty();
            assertThat(Schema.migrate(connection, ODD, Scope.ALL, Database.ownership(stack))
                            .changed())
                    .isFalse();
            Database.runScript(stack, Schema.partitionScript(ODD, Database.ownership(stack)));
            assertThat(Schema.differences(connection, ODD)).isEmpty();
            Jdbc.run(connection, "ALTER TABLE " + ODD.qualified(ODD.internalCommand()) + " ALTER id DROP DEFAULT");
            assertThat(Schema.differences(connection, ODD))
                    .singleElement()
                    .asString()
                    .startsWith(
                            "\"Schéma \"\"ß\"\" 'q' \\\".\"BEFEHLE ${x} 表\": default of column id is none, expected \"Schéma");
        }
    }

    @Test
    void aNameThatWouldEndAFunctionIsRefused() {
        TableNames names = new TableNames("a$sql$b", "outbox", "internal_command");
        assertThatThrownBy(() -> Schema.script(names, Scope.ALL, new Ownership("shop", "shop", "shop")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a$sql$b");
    }
}
