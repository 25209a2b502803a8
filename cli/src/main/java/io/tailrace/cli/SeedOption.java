package io.tailrace.cli;

import java.util.Optional;
import java.util.Random;
import picocli.CommandLine.Option;

/** {@code --seed} of the proofs. */
final class SeedOption {

    @Option(
            names = "--seed",
            paramLabel = "<number>",
            description =
                    "Of the writers and the moments; printed with the result. It does not fix the machine's timing.")
    private Optional<Long> seed = Optional.empty();

    /** That which was given, or one that nobody has chosen. */
    long value() {
        return seed.orElseGet(() -> (long) new Random().nextInt(Integer.MAX_VALUE));
    }
}
