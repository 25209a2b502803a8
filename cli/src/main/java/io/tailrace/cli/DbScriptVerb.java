package io.tailrace.cli;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code db script}: what a migration does to an empty database, as SQL. */
@Command(
        name = "script",
        description = "Print what `db migrate` does to an empty database, as plain SQL for psql. Connects to nothing.",
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  tailrace db script --only inbox > inbox.sql"})
final class DbScriptVerb implements Callable<Integer> {

    @Mixin
    private final OneSourceOption config = new OneSourceOption();

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
    public Integer call() {
        TailraceConfig read = config.read();
        PrintWriter out = spec.commandLine().getOut();
        Ownership ownership = Ownership.of(read.namespace(), read.source().name());
        out.print(Schema.script(read.source().tables(), schema.scope(), ownership, schema.roles()));
        if (partitionOutbox && schema.scope() == Scope.ALL) {
            out.print(Schema.partitionScript(read.source().tables(), ownership));
        }
        out.flush();
        return Exit.DONE;
    }
}
