package io.tailrace.benchmarks.harness;

import io.tailrace.benchmarks.contender.ContenderProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A contender's JVM, on this one's class path. Does not outlive it. Not thread-safe. */
public final class ContenderJvm implements AutoCloseable {

    private static final int TAIL_LINES = 30;

    private final Process process;
    private final BufferedReader lines;
    private final Path log;
    private final Thread exitHook;

    private ContenderJvm(Process process, Path log) {
        this.process = process;
        this.log = log;
        this.lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.exitHook = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(exitHook);
    }

    /**
     * Starts one. Heap apart the JVM is left to choose, as it is for a user.
     *
     * @param options for the JVM
     * @param arguments of {@link ContenderProcess}
     * @param log takes what it says on standard error
     */
    static ContenderJvm start(List<String> options, List<String> arguments, Path log) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add(ContenderProcess.class.getName());
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        return new ContenderJvm(builder.start(), log);
    }

    /** Waits for a line that begins so, and gives what follows. */
    public String await(String beginning) throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length());
            }
        }
        throw new IllegalStateException("the contender ended without '" + beginning.strip() + "':\n" + tail());
    }

    void send(String line) throws IOException {
        OutputStream in = process.getOutputStream();
        in.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        in.flush();
    }

    /** Waits for its end, which must be a good one. */
    public void awaitEnd() throws InterruptedException {
        if (!process.waitFor(90, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the contender does not end:\n" + tail());
        }
        if (process.exitValue() != 0) {
            throw new IllegalStateException("the contender ended with " + process.exitValue() + ":\n" + tail());
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(exitHook);
        } catch (IllegalStateException exiting) {
            // The hook does the same.
        }
    }

    private String tail() {
        try {
            List<String> all = Files.readAllLines(log);
            return String.join("\n", all.subList(Math.max(0, all.size() - TAIL_LINES), all.size()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
