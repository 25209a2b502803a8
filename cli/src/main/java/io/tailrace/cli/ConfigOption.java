package io.tailrace.cli;

import io.tailrace.contract.config.ConfigReader;
import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.config.Surroundings;
import io.tailrace.contract.config.TailraceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --config}, and where the file is looked for without it. With all sources that it has, unless a subclass lets one choose. */
class ConfigOption {

    /** In this order, from the working directory. */
    static final List<Path> PLACES = List.of(Path.of("tailrace.yml"), DevVerb.DIRECTORY.resolve("tailrace.yml"));

    private static final String VARIABLE = "TAILRACE_CONFIG";

    @Option(
            names = {"-c", "--config"},
            paramLabel = "<file>",
            description = "Configuration; without it $TAILRACE_CONFIG, tailrace.yml, .tailrace/dev/tailrace.yml.")
    private @Nullable Path file;

    /** The file that is meant, whether or not it can be read. */
    final Path file() {
        if (file != null) {
            return file;
        }
        String named = System.getenv(VARIABLE);
        if (named != null && !named.isEmpty()) {
            return Path.of(named);
        }
        return PLACES.stream()
                .filter(Files::isRegularFile)
                .findFirst()
                .orElseThrow(() -> new ConfigRefused(
                        "no configuration: give one with --config or in $%s, or have %s; `%s dev` makes the last one"
                                .formatted(
                                        VARIABLE,
                                        String.join(
                                                " or ",
                                                PLACES.stream()
                                                        .map(Path::toString)
                                                        .toList()),
                                        Called.name())));
    }

    /** The sources that are meant of those that there are. */
    List<SourceConfig> choose(TailraceConfig all) {
        return all.sources();
    }

    /**
     * Reads it, with the sources that are meant.
     *
     * @throws ConfigRefused naming all that is wrong
     */
    final TailraceConfig read() {
        TailraceConfig all = read(file());
        return all.of(choose(all));
    }

    /**
     * Reads it, and asks the servers that are needed whether they are there.
     *
     * @throws ConfigRefused naming all that is wrong
     * @throws VerbFailed naming each server that cannot be used, with its address and its keys
     */
    final TailraceConfig readReaching(Server... needed) {
        Path named = file();
        TailraceConfig all = read(named);
        TailraceConfig config = all.of(choose(all));
        boolean several = all.sources().size() > 1;
        List<String> problems = Arrays.stream(needed)
                .flatMap(server -> server.problems(config, several, named.toString()).stream())
                .toList();
        if (!problems.isEmpty()) {
            throw new VerbFailed(String.join(System.lineSeparator(), problems));
        }
        return config;
    }

    /** How to read it again, with the sources that are meant. */
    final Reloading reloading() {
        Path named = file();
        return new Reloading(named, text -> {
            TailraceConfig all = read(named.toString(), text);
            return all.of(choose(all));
        });
    }

    /** Whether the file has more sources than one. */
    final boolean hasSeveral() {
        return read(file()).sources().size() > 1;
    }

    static TailraceConfig read(Path file) {
        try {
            return read(file.toString(), Files.readString(file));
        } catch (NoSuchFileException absent) {
            throw new ConfigRefused(file + ": does not exist");
        } catch (IOException unreadable) {
            throw new ConfigRefused("%s: cannot be read (%s)"
                    .formatted(file, unreadable.getClass().getSimpleName()));
        }
    }

    static TailraceConfig read(String name, String text) {
        YamlTree tree = YamlTree.parse(name, text);
        return ConfigReader.read(tree.root(), tree.lines(), new ThisMachine()).match(config -> config, problems -> {
            throw new ConfigRefused(name, problems);
        });
    }

    private static final class ThisMachine implements Surroundings {
        @Override
        public Optional<String> variable(String name) {
            return Optional.ofNullable(System.getenv(name));
        }

        @Override
        public String file(String path) throws IOException {
            return Files.readString(Path.of(path));
        }
    }
}
