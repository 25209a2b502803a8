package io.tailrace.cli;

import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.config.TailraceConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code --config}, and {@code --source} for verbs that work on all sources unless told otherwise. */
final class SomeSourcesOption extends ConfigOption {

    @Option(
            names = "--source",
            paramLabel = "<name>",
            description = "Of several sources these; comma-separated, or given more than once (default: all).")
    private List<String> names = List.of();

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    /** {@code ce_source} of those that were named; none when none was. */
    Set<String> limitedTo(TailraceConfig chosen) {
        return names.isEmpty()
                ? Set.of()
                : chosen.eachSource().stream().map(TailraceConfig::ceSource).collect(Collectors.toSet());
    }

    @Override
    List<SourceConfig> choose(TailraceConfig all) {
        if (names.isEmpty()) {
            return all.sources();
        }
        List<String> wanted = names.stream()
                .flatMap(list -> DeadLetterSelection.items(list).stream())
                .distinct()
                .toList();
        if (wanted.isEmpty()) {
            throw new CommandLine.ParameterException(spec.commandLine(), "--source names none");
        }
        List<SourceConfig> chosen = new ArrayList<>();
        wanted.forEach(name -> chosen.add(OneSourceOption.named(name, all, spec)));
        return chosen;
    }
}
