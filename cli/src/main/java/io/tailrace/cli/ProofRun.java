package io.tailrace.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Runs a proof in a directory of its own, prints what it has shown, and keeps the directory if that is not well. */
final class ProofRun {

    /** What runs. */
    interface Proof {
        Shown run(Path directory, Consumer<String> progress, BooleanSupplier asked) throws IOException, SQLException;
    }

    /**
     * What it has shown.
     *
     * @param json as it is printed, in that order
     * @param isClean whether all is as promised
     * @param sentence says so to people
     * @param findings what is not, in words
     */
    record Shown(Map<String, Object> json, boolean isClean, String sentence, List<String> findings) {}

    private final Output output;

    ProofRun(Output output) {
        this.output = output;
    }

    /** Runs it; the exit code. */
    int of(Proof proof) throws IOException, SQLException {
        Path directory = Files.createTempDirectory("tailrace-proof-");
        PrintWriter err = output.err();
        Logging.to(directory.resolve("proof.log"));
        try (Lifetime lifetime = Lifetime.begin()) {
            Consumer<String> progress = line -> {
                err.println(line);
                err.flush();
            };
            try {
                return judge(proof.run(directory, progress, () -> isAsked(lifetime)), directory);
            } catch (IOException | SQLException | RuntimeException failed) {
                if (!isAsked(lifetime)) {
                    throw failed;
                }
                // A signal takes servers and children down while the proof still runs; what it then meets is no
                // finding.
                err.println("Ended before it was over: nothing is proved.");
                delete(directory);
                return Exit.FAILED;
            }
        }
    }

    private int judge(Shown shown, Path directory) {
        print(shown);
        if (shown.isClean()) {
            delete(directory);
            return Exit.DONE;
        }
        shown.findings().forEach(output.err()::println);
        output.err().println("Data and logs are kept in " + directory);
        return Exit.FAILED;
    }

    private void print(Shown shown) {
        if (output.isJson()) {
            output.json(shown.json());
            return;
        }
        Output.Row row = new Output.Row();
        shown.json().forEach(row::with);
        output.one(row);
        output.out().println(shown.isClean() ? shown.sentence() : "NOT RIGHT.");
        output.out().flush();
    }

    private static boolean isAsked(Lifetime lifetime) {
        try {
            return lifetime.isAskedToEnd(Duration.ZERO);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot remove " + directory, failed);
        }
    }
}
