package io.tailrace.cli;

import io.tailrace.contract.config.Problem;
import java.util.List;
import java.util.stream.Collectors;

/** The configuration file cannot be used; the message names all that is wrong. */
final class ConfigRefused extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    ConfigRefused(String file, List<Problem> problems) {
        super("%s: %s%n%s"
                .formatted(
                        file,
                        problems.size() == 1 ? "1 problem" : problems.size() + " problems",
                        problems.stream().map(problem -> "  " + problem).collect(Collectors.joining("\n"))));
        this.problems = problems;
    }

    ConfigRefused(String message) {
        super(message);
        this.problems = List.of();
    }

    List<Problem> problems() {
        return problems;
    }
}
