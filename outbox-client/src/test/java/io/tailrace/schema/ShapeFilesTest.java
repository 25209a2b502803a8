package io.tailrace.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.name.TableNames;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The files that say what is expected are what the migrations make; {@code -Dtailrace.shape.update} writes them anew. */
@RealParts
class ShapeFilesTest {

    @ParameterizedTest
    @EnumSource
    void theFileSaysWhatTheMigrationsMake(Scope scope, Stack stack) throws Exception {
        try (Connection connection = stack.connect()) {
            for (Migration migration : Migrations.of(scope)) {
                if (migration.equals(Migrations.ALL.get(0))) {
                    Jdbc.run(connection, "CREATE SCHEMA tailrace");
                    Jdbc.run(connection, Template.of(TableNames.DEFAULT).fillResource("schema_version.sql"));
                }
                Jdbc.run(connection, Template.of(TableNames.DEFAULT).fill(migration.text()));
            }
            String made = Shape.read(connection, TableNames.DEFAULT).print();
            if (System.getProperty("tailrace.shape.update") != null) {
                Files.writeString(Path.of("src/main/resources/io/tailrace/schema", Shape.fileOf(scope)), made);
            }
            assertThat(made)
                    .as("after a new migration run this test with -Dtailrace.shape.update and read the change")
                    .isEqualTo(Template.resource(Shape.fileOf(scope)));
        }
    }
}
