package io.tailrace.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A main class in a JVM of its own, on the class path of the test, to be killed, stopped in its tracks and brought back. It
 * does not outlive the test JVM. Thread-safe.
 */
public final class ChildJvm implements AutoCloseable {

    private static final int TAIL_LINES = 60;
    private static final Set<Process> ALIVE = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> ALIVE.forEach(Process::destroyForcibly), "tailrace-child-jvms-exit"));
    }

    private final Process process;
    private final String name;
    // Guarded by itself; its monitor is notified of every line and of the end.
    private final List<String> lines = new ArrayList<>();
    private boolean ended;

    private ChildJvm(String name, Process process) {
        this.name = name;
        this.process = process;
        ALIVE.add(process);
        Thread reader = new Thread(this::readLines, "output of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    public static Builder of(Class<?> main) {
        return new Builder(main.getName());
    }

    public static Builder of(String mainClass) {
        return new Builder(mainClass);
    }

    /** Not thread-safe; may start more than one. */
    public static final class Builder {
        private final String mainClass;
        private String heap = "256m";
        private final Map<String, String> properties = new LinkedHashMap<>();
        private final List<String> arguments = new ArrayList<>();
        private String classPath = System.getProperty("java.class.path");

        private Builder(String mainClass) {
            this.mainClass = mainClass;
        }

        /** The largest heap, as in {@code -Xmx}. */
        public Builder heap(String size) {
            this.heap = size;
            return this;
        }

        /** Something before the class path of the test. */
        public Builder classPath(Path first) {
            this.classPath = first + java.io.File.pathSeparator + classPath;
            return this;
        }

        public Builder property(String key, String value) {
            properties.put(key, value);
            return this;
        }

        public Builder arguments(String... values) {
            arguments.addAll(List.of(values));
            return this;
        }

        public ChildJvm start() {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.add("-Xmx" + heap);
            command.add("-XX:+UseSerialGC");
            command.add("-XX:TieredStopAtLevel=1");
            properties.forEach((key, value) -> command.add("-D" + key + "=" + value));
            command.add(mainClass);
            command.addAll(arguments);
            try {
                ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
                builder.environment().put("CLASSPATH", classPath);
                return new ChildJvm(mainClass, builder.start());
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot start " + mainClass, e);
            }
        }
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** What it has written so far, standard error included. */
    public List<String> output() {
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }

    /**
     * Waits for a line that contains a text, also one that was written before the call, and returns it.
     *
     * @throws AssertionError with the end of the output if the process ends or the time passes without it
     */
    public String awaitLine(String text, Duration atMost) {
        return awaitLine("a line with \"" + text + "\"", line -> line.contains(text), atMost);
    }

    /** As {@link #awaitLine(String, Duration)}, for any condition; {@code wanted} names it in the message. */
    public String awaitLine(String wanted, Predicate<String> condition, Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        synchronized (lines) {
            for (int next = 0; ; next++) {
                while (next == lines.size()) {
                    long left = deadline - System.nanoTime();
                    if (ended || left <= 0) {
                        throw new AssertionError((ended ? name + " ended" : name + " ran on for " + atMost)
                                + " without " + wanted + tail());
                    }
                    waitForMore(left);
                }
                if (condition.test(lines.get(next))) {
                    return lines.get(next);
                }
            }
        }
    }

    /** Ends it at once, as {@code kill -9} does, and waits until it is gone. */
    public void kill() {
        process.destroyForcibly();
        awaitExit(Duration.ofSeconds(30));
    }

    /** Asks it to end, as {@code kill} does. Wait with {@link #awaitExit}. */
    public void terminate() {
        signal("TERM");
    }

    /** Tells it that its configuration may have changed, as {@code kill -HUP} does. */
    public void hangUp() {
        signal("HUP");
    }

    /** Stops it in its tracks: no thread runs, every connection stays open. */
    public void pause() {
        signal("STOP");
    }

    /** Lets it run on after {@link #pause}. */
    public void resume() {
        signal("CONT");
    }

    /** Waits for the end; returns the exit code (128 + signal if a signal ended it). */
    public int awaitExit(Duration atMost) {
        try {
            if (!process.waitFor(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new AssertionError(name + " did not end within " + atMost + tail());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for " + name, e);
        }
        ALIVE.remove(process);
        return process.exitValue();
    }

    /** Kills it if it still lives, paused or not. */
    @Override
    public void close() {
        kill();
    }

    private void signal(String signal) {
        try {
            int exit = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new IllegalStateException("Cannot send " + signal + " to " + name + ": it has ended" + tail());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while signalling " + name, e);
        }
    }

    private void waitForMore(long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(lines, nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for a line of " + name, e);
        }
    }

    private void readLines() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                synchronized (lines) {
                    lines.add(line);
                    lines.notifyAll();
                }
            }
        } catch (IOException killed) {
            // The pipe of a killed process may break instead of ending: it has no more lines either way.
        } finally {
            synchronized (lines) {
                ended = true;
                lines.notifyAll();
            }
        }
    }

    private String tail() {
        synchronized (lines) {
            return "; its last lines:\n"
                    + String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        }
    }
}
