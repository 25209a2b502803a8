package io.tailrace.cli;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.schema.MigrationReport;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code db migrate}: brings the database to this release. */
@Command(
        name = "migrate",
        description = {
            "Bring the database to this release: tables, functions, publication, slot, owner, grants, in this order.",
            "Does nothing that is done already, and refuses tables that are not as expected."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace db migrate --config tailrace.yml --grant-to shop_app",
            "  tailrace db script | less                    the same as SQL to review"
        })
final class DbMigrateVerb implements Callable<Integer> {

    @Mixin
    private final ConfigOption config = new ConfigOption();

    @Mixin
    private final SchemaOptions schema = new SchemaOptions();

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Override
    public Integer call() throws SQLException {
        TailraceConfig read = config.readReaching(Server.POSTGRES);
        PrintWriter out = spec.commandLine().getOut();
        try (Connection connection = SourceConnection.open(read.source())) {
            MigrationReport report = Schema.migrate(
                    connection,
                    read.source().tables(),
                    schema.scope(),
                    Ownership.of(read.namespace(), read.source().name()),
                    schema.roles());
            report.done().forEach(out::println);
            if (!report.changed()) {
                out.println("everything stands already");
            }
            report.notes().forEach(note -> spec.commandLine().getErr().println("note: " + note));
        }
        out.flush();
        return Exit.DONE;
    }
}
