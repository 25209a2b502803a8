package io.tailrace.cli;

import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.config.TailraceConfig;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code --config}, and {@code --source} for verbs that work on one database: to be said when there are several. */
final class OneSourceOption extends ConfigOption {

    @Option(
            names = "--source",
            paramLabel = "<name>",
            description = "Of several sources this one: its name in the configuration, or its database.")
    private @Nullable String name;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Override
    List<SourceConfig> choose(TailraceConfig all) {
        if (name != null) {
            return List.of(named(name, all, spec));
        }
        if (all.sources().size() > 1) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(),
                    "there are several sources: say which one with --source (%s)".formatted(names(all)));
        }
        return all.sources();
    }

    /** @throws CommandLine.ParameterException naming those that there are */
    static SourceConfig named(String name, TailraceConfig all, CommandSpec spec) {
        return all.sources().stream()
                .filter(source -> source.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new CommandLine.ParameterException(
                        spec.commandLine(), "there is no source '%s' (%s)".formatted(name, names(all))));
    }

    private static String names(TailraceConfig all) {
        return all.sources().stream().map(SourceConfig::name).collect(Collectors.joining(", "));
    }
}
