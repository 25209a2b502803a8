package io.tailrace.cli;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.schema.MigrationReport;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import io.tailrace.schema.Source;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
    private final SomeSourcesOption config = new SomeSourcesOption();

    @Mixin
    private final SchemaOptions schema = new SchemaOptions();

    @Option(
            names = "--partition-outbox",
            description = "Make the outbox a table that is partitioned by occurred_at, with a DEFAULT partition.")
    private boolean partitionOutbox;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Override
    public Integer call() throws SQLException {
        TailraceConfig read = config.readReaching(Server.POSTGRES);
        PrintWriter out = spec.commandLine().getOut();
        int exit = Exit.DONE;
        for (TailraceConfig one : read.eachSource()) {
            String prefix = read.sources().size() == 1 ? "" : one.source().name() + ": ";
            try {
                exit = Math.max(exit, migrate(one, prefix, out));
            } catch (StartRefused refused) {
                if (prefix.isEmpty()) {
                    throw refused;
                }
                // The others are brought as far as they go: each is a database of its own.
                spec.commandLine().getErr().println("Refused: " + prefix + refused.getMessage());
                exit = Exit.REFUSED;
            }
        }
        out.flush();
        return exit;
    }

    private int migrate(TailraceConfig one, String prefix, PrintWriter out) throws SQLException {
        PrintWriter err = spec.commandLine().getErr();
        boolean started;
        try (Connection connection = SourceConnection.open(one.source())) {
            Ownership ownership = Ownership.of(one.namespace(), one.source().name());
            MigrationReport report = Schema.migrate(
                    connection,
                    one.source().tables(),
                    schema.scope(),
                    ownership,
                    schema.roles(),
                    line -> err.println(prefix + line));
            report.done().forEach(line -> out.println(prefix + line));
            boolean partitioned = partitionOutbox
                    && schema.scope() == Scope.ALL
                    && Schema.partitionOutbox(connection, one.source().tables(), ownership);
            if (partitioned) {
                out.println(prefix + "made the outbox a partitioned table, by occurred_at, with a DEFAULT partition");
            }
            if (!report.changed() && !partitioned) {
                out.println(prefix + "everything stands already");
            }
            report.notes().forEach(note -> err.println("note: " + prefix + note));
            started = schema.scope() == Scope.ALL
                    && Schema.source(connection, one.source().tables())
                            .filter(Source::started)
                            .isPresent();
        }
        if (!started) {
            return Exit.DONE; // There is no position yet that the slot could contradict.
        }
        List<String> refusals =
                Refusals.of(one, config.hasSeveral(), config.file().toString(), err);
        refusals.forEach(
                refusal -> err.println(prefix + "The schema stands, but an engine would be refused: " + refusal));
        return refusals.isEmpty() ? Exit.DONE : Exit.FAILED;
    }
}
