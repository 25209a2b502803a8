package io.tailrace.cli;

import io.tailrace.cli.Output.Row;
import io.tailrace.contract.config.Problem;
import io.tailrace.contract.config.TailraceConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code config check}: reads a file and names everything that is wrong with it; connects to nothing. */
@Command(
        name = "check",
        description = "Read a configuration and name everything that is wrong with it. Connects to nothing.",
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  tailrace config check --config tailrace.yml"})
final class ConfigCheckVerb implements Callable<Integer> {

    @Mixin
    private final ConfigOption config = new ConfigOption();

    @Mixin
    private final Output output = new Output();

    @Override
    public Integer call() {
        Path file = config.file();
        try {
            TailraceConfig read = config.read();
            if (output.isJson()) {
                output.json(List.of());
            } else {
                output.out()
                        .println("%s is good: namespace %s, %s"
                                .formatted(
                                        file,
                                        read.namespace(),
                                        read.eachSource().stream()
                                                .map(one -> "source %s, slot and publication %s"
                                                        .formatted(one.ceSource(), one.slot()))
                                                .collect(Collectors.joining("; "))));
                output.out().flush();
            }
            return Exit.DONE;
        } catch (ConfigRefused refused) {
            if (!output.isJson() || refused.problems().isEmpty()) {
                throw refused;
            }
            output.list(refused.problems().stream().map(ConfigCheckVerb::row).toList(), "");
            return Exit.REFUSED;
        }
    }

    private static Row row(Problem problem) {
        return new Row()
                .with("key", problem.key())
                .with("line", problem.line().isPresent() ? problem.line().getAsInt() : null)
                .with("message", problem.message());
    }
}
