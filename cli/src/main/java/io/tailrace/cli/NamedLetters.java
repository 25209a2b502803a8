package io.tailrace.cli;

import io.tailrace.operations.Replay;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Dead letters that are named one by one, and who does something to them. */
final class NamedLetters {

    @Parameters(paramLabel = "<row id>", arity = "1..*", description = "The rows of the dead letters.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private List<String> rowIds;

    @Option(names = "--dry-run", description = "Say what would be done; nothing at all is written.")
    private boolean dryRun;

    @Option(
            names = "--by",
            paramLabel = "<name>",
            description = "Who does it, to be kept (default: the user of this process).")
    private String by = System.getProperty("user.name", "");

    @Option(names = "--why", paramLabel = "<text>", description = "Why, to be kept.")
    private String why = "";

    /** Their rows, each once. */
    Set<String> rowIds() {
        return new LinkedHashSet<>(rowIds);
    }

    /** A new one each time. */
    Replay.Order order() {
        return new Replay.Order(UUID.randomUUID().toString(), by, dryRun).because(why);
    }
}
