package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.schema.Difference;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code db check}: names each difference between the database and what this release expects. */
@Command(
        name = "check",
        description = {
            "Name each difference between the database and what this release expects, and what an engine would be refused for.",
            "Changes nothing."
        },
        mixinStandardHelpOptions = true)
final class DbCheckVerb implements Callable<Integer> {

    @Mixin
    private final OneSourceOption config = new OneSourceOption();

    @Mixin
    private final SchemaOptions schema = new SchemaOptions();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() throws SQLException {
        TailraceConfig read = config.readReaching(Server.POSTGRES);
        List<Difference> differences;
        try (Connection connection = SourceConnection.open(read.source())) {
            differences = Schema.differences(connection, read.source().tables(), schema.scope());
            if (differences.isEmpty() && schema.scope() == Scope.ALL) {
                Schema.notices(connection, read.source().tables())
                        .forEach(notice -> output.err().println("Notice: " + notice));
            }
        }
        List<Row> rows =
                new ArrayList<>(differences.stream().map(DbCheckVerb::row).toList());
        if (schema.scope() == Scope.ALL) {
            Refusals.of(read, config.hasSeveral(), config.file().toString(), output.err())
                    .forEach(refusal -> rows.add(new Row()
                            .with("where", "engine")
                            .with("what", "start")
                            .with("expected", "possible")
                            .with("actual", "refused")
                            .with("fix", refusal)));
        }
        output.list(rows, "the database is as this release expects it");
        return rows.isEmpty() ? Exit.DONE : Exit.FAILED;
    }

    private static Row row(Difference difference) {
        return new Row()
                .with("where", difference.where())
                .with("what", difference.what())
                .with("expected", difference.expected())
                .with("actual", difference.actual())
                .with("fix", difference.fix());
    }
}
