package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.operations.CommandPurge;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code commands purge}: rows that are done go before their time. */
@Command(
        name = "purge",
        description = {
            "Delete commands that are completed or cancelled, before retention.done would.",
            "What the engine has not read stays, and a cancelled one until the time it was scheduled for."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace commands purge --older-than 24h --dry-run",
            "  tailrace commands purge --older-than 24h --name 'billing.*' -o json"
        })
final class CommandsPurgeVerb implements Callable<Integer> {

    @Mixin
    private final OneSourceOption config = new OneSourceOption();

    @Mixin
    private final Output output = new Output();

    @Option(
            names = "--older-than",
            required = true,
            paramLabel = "<time>",
            converter = Hours.class,
            description = "Done for at least so long, such as 24h or 7d; 1h or more.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private Duration age;

    @Option(names = "--name", paramLabel = "<name>", description = "Of this name; billing.* for all that begin so.")
    private @Nullable String name;

    @Option(names = "--dry-run", description = "Count what would be deleted; nothing is.")
    private boolean dryRun;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        if (age.compareTo(CommandPurge.LEAST_AGE) < 0) {
            throw new CommandLine.ParameterException(spec.commandLine(), "--older-than must be 1h or more");
        }
        long rows = new CommandPurge(config.readReaching(Server.POSTGRES))
                .purge(Optional.ofNullable(name), age, dryRun)
                .orElseThrow(
                        () -> new VerbFailed(
                                "the engine does not confirm that it has read what was written: nothing was deleted; see tailrace status"));
        output.one(new Row().with(dryRun ? "wouldDelete" : "deleted", rows));
        return Exit.DONE;
    }

    /** {@code 36h} or {@code 2d}. */
    static final class Hours implements CommandLine.ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            if (!text.matches("[0-9]{1,6}[hd]")) {
                throw new CommandLine.TypeConversionException("'" + text + "' is no time such as 24h or 7d");
            }
            long amount = Long.parseLong(text.substring(0, text.length() - 1));
            return text.endsWith("d") ? Duration.ofDays(amount) : Duration.ofHours(amount);
        }
    }
}
