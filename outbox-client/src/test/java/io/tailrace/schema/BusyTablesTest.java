package io.tailrace.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.name.TableNames;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A handler runs, or somebody has forgotten a transaction, while the tables are changed. */
@RealParts
class BusyTablesTest {

    @Test
    void aVersionThatMustWaitLetsTheOthersPassSaysWhoIsInTheWayAndComesAgain(Stack stack) throws Exception {
        Ownership owner = Database.ownership(stack);
        String script = Schema.script(TableNames.DEFAULT, Scope.ALL, owner);
        Database.runScript(stack, script.substring(0, script.indexOf("BEGIN;\n\n-- V007")));
        try (Connection holder = stack.connect();
                Connection connection = stack.connect()) {
            Jdbc.run(holder, "SET application_name = 'a long handler'");
            holder.setAutoCommit(false);
            Jdbc.run(holder, "SELECT FROM tailrace.internal_command");

            assertThatThrownBy(() -> migrator(connection, owner, 1, new ArrayList<>(), () -> {}))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("V007 command_halts: the tables were in use at each of 1 tries")
                    .hasMessageContaining("a long handler) has AccessShareLock on internal_command")
                    .hasMessageContaining("Fix: run it when it is quiet");
            assertThat(connection.getAutoCommit()).isTrue();

            List<String> told = new ArrayList<>();
            MigrationReport report = migrator(connection, owner, 3, told, () -> {
                // Behind a change that waits it would wait too.
                stack.execute("UPDATE tailrace.internal_command SET command_name = command_name");
                holder.rollback();
            });

            assertThat(told).singleElement().asString().startsWith("V007 command_halts waits, try 1 of 3: pid ");
            assertThat(report.done()).startsWith("applied V007 command_halts").contains("applied V010 renew");
        }
        assertThat(Database.differences(stack)).isEmpty();
    }

    private static MigrationReport migrator(
            Connection connection, Ownership owner, int tries, List<String> told, Jdbc.Work then) throws SQLException {
        return new Migrator(connection, TableNames.DEFAULT, Scope.ALL, owner, tries, line -> {
                    told.add(line);
                    try {
                        then.run();
                    } catch (SQLException failed) {
                        throw new AssertionError(failed);
                    }
                })
                .migrate(List.of());
    }
}
