package io.tailrace.cli;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.engine.EngineOperations;
import io.tailrace.engine.recover.Order;
import io.tailrace.engine.recover.Report;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code engine recover}: the way out of a refusal that waiting does not mend. */
@Command(
        name = "recover",
        description = {
            "Bring slot and position to where an engine can start again, after a start was refused because rows may have been",
            "captured by nobody. Stop all engines of the slot first, or let them be refused. May be killed and run again: no row is",
            "published twice."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace engine recover --from-table --dry-run         how many rows the raw topics lack",
            "  tailrace engine recover --from-table                   publish them",
            "  tailrace engine recover --accept-gap --note 'test data, INC-4711'",
            "",
            "--from-table makes a new slot, reads the raw topics to their end, compares them by id with the tables as they were when the",
            "slot began, and publishes what lacks: events by occurred_at and id, then pending commands by created_at and id. What",
            "commits later comes out of the slot. Both ways leave a line in the operations topic."
        })
final class EngineRecoverVerb implements Callable<Integer> {

    @Mixin
    private final OneSourceOption config = new OneSourceOption();

    @Mixin
    private final Output output = new Output();

    @ArgGroup(multiplicity = "1")
    @SuppressWarnings("NullAway.Init") // by picocli
    private Way way;

    /** One of both. */
    static final class Way {
        @Option(
                names = "--from-table",
                required = true,
                description =
                        "Publish from the tables what the raw topics lack, by id and number of rows with that id.")
        private boolean fromTable;

        @Option(
                names = "--accept-gap",
                required = true,
                description =
                        "Publish nothing: what was committed in the gap and is not in the raw topics never will be.")
        private boolean acceptGap;
    }

    @Option(
            names = "--dry-run",
            description = "Say what would be published; nothing at all is written, the slot stays as it is.")
    private boolean dryRun;

    @Option(
            names = "--since",
            paramLabel = "<instant>",
            description = "Leave out events written before, as 2030-01-01T09:00:00+01:00"
                    + " (default: as far back as the raw topic remembers).")
    private @Nullable OffsetDateTime since;

    @Option(names = "--note", paramLabel = "<text>", description = "Why, to be kept in the operations topic.")
    private String note = "";

    @Option(
            names = "--by",
            paramLabel = "<name>",
            description = "Who does it, to be kept (default: the user of this process).")
    private String by = System.getProperty("user.name", "");

    @Override
    public Integer call() throws SQLException {
        TailraceConfig read = config.readReaching(Server.POSTGRES, Server.KAFKA);
        Optional<Instant> from = Optional.ofNullable(since).map(OffsetDateTime::toInstant);
        Order order = new Order(way.fromTable ? Order.Way.FROM_TABLE : Order.Way.ACCEPT_GAP, dryRun, from, by, note);
        Report report = new EngineOperations(read)
                .recover(order, Clock.systemUTC(), line -> output.err().println(line));
        RecoveryOutput.tell(output, report);
        return Exit.DONE;
    }
}
