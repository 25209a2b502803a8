package io.tailrace.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs one of PostgreSQL's programs to its end. They refuse to run as root; there they run under {@code unshare -U}, which
 * gives them another user id in a user namespace of their own while the files stay root's.
 */
final class PostgresCommand {

    private PostgresCommand() {}

    record Result(int exitCode, String output) {}

    static Result run(Path program, List<String> arguments) {
        List<String> command = new ArrayList<>();
        if (isRoot()) {
            command.add("unshare");
            command.add("-U");
        }
        command.add(program.toString());
        command.addAll(arguments);
        return run(command);
    }

    private static Result run(List<String> command) {
        Path output = null;
        try {
            // A file, not a pipe: the server that pg_ctl leaves behind inherits it and would keep a pipe open for ever.
            output = Files.createTempFile("tailrace-postgres-", ".out");
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(output.toFile())
                    .start();
            int exitCode = process.waitFor();
            return new Result(
                    exitCode, Files.readString(output, StandardCharsets.UTF_8).strip());
        } catch (IOException e) {
            throw new EmbeddedStartException(
                    "Cannot run " + String.join(" ", command) + ": " + e.getMessage()
                            + (isRoot()
                                    ? ". PostgreSQL does not run as root; run as another user or install `unshare`."
                                    : ""),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedStartException("Interrupted while running " + String.join(" ", command), e);
        } finally {
            deleteQuietly(output);
        }
    }

    private static void deleteQuietly(@Nullable Path file) {
        try {
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }
}
