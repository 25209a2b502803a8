package io.tailrace.proof;

import io.tailrace.proof.child.Parent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A JVM of its own on this one's class path, for signals. It says what it reaches ({@link Parent}), and does not outlive this JVM: the
 * end of its standard input is its own. What it logs goes to a file. Thread-safe.
 */
public final class ChildProcess implements AutoCloseable {

    private static final Duration EXIT_PATIENCE = Duration.ofSeconds(120);
    private static final Set<Process> ALIVE = ConcurrentHashMap.newKeySet();

    static {
        // One that is stopped does not read the end of its input.
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> ALIVE.forEach(Process::destroyForcibly), "proof-children-exit"));
    }

    private final String name;
    private final Process process;
    private final Path log;
    // Guarded by itself; its monitor is notified of every line and of the end.
    private final List<String> told = new ArrayList<>();
    private boolean ended;

    ChildProcess(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
        ALIVE.add(process);
        Thread reader = new Thread(this::readLines, "output of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** How much it has told so far: where to begin to wait for something new. */
    public int told() {
        synchronized (told) {
            return told.size();
        }
    }

    /** Its exit code, if it has ended. */
    public OptionalInt status() {
        return process.isAlive() ? OptionalInt.empty() : OptionalInt.of(process.exitValue());
    }

    /** What it has told that begins so, without that. */
    public List<String> allTold(String beginning) {
        synchronized (told) {
            return told.stream()
                    .filter(line -> line.startsWith(beginning))
                    .map(line -> line.substring(beginning.length()))
                    .toList();
        }
    }

    /** Whether it has told that, ever. */
    public boolean hasTold(String text) {
        synchronized (told) {
            return told.contains(text);
        }
    }

    /**
     * Waits until it has told something.
     *
     * @param from how much of it to pass over
     * @return whether it came in time
     * @throws ChildEnded when it will not tell anything any more
     */
    public boolean await(int from, Predicate<String> wanted, Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        synchronized (told) {
            for (int next = from; ; next++) {
                while (next >= told.size()) {
                    long left = deadline - System.nanoTime();
                    if (ended) {
                        throw endedByItself();
                    }
                    if (left <= 0) {
                        return false;
                    }
                    waitForMore(left);
                }
                if (wanted.test(told.get(next))) {
                    return true;
                }
            }
        }
    }

    /** As {@link #await}, and it must come. */
    public void require(int from, String wanted, Duration atMost) {
        if (!await(from, wanted::equals, atMost)) {
            throw new ProofStuck(
                    "%s has not told '%s' within %d s; see %s".formatted(name, wanted, atMost.toSeconds(), log));
        }
    }

    /** Tells it something; one that is gone does not hear it. */
    public void say(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException gone) {
            // Whoever waits for an answer learns of it.
            return;
        }
    }

    /** Its input ends, and so does it; returns when it is gone. */
    public void end() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(EXIT_PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new ProofStuck(name + " does not end; see " + log);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ALIVE.remove(process);
    }

    /** SIGKILL; returns when it is gone. */
    public void kill() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(EXIT_PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new ProofStuck(name + " has survived SIGKILL for " + EXIT_PATIENCE.toSeconds() + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        ALIVE.remove(process);
    }

    /** SIGSTOP: no thread runs, every connection stays open. */
    public void pause() {
        signal("STOP");
    }

    /** SIGCONT. */
    public void resume() {
        signal("CONT");
    }

    @Override
    public void close() {
        kill();
    }

    /** Its output has ended, and so it has or is about to. */
    private ChildEnded endedByItself() {
        try {
            int status = process.waitFor(EXIT_PATIENCE.toSeconds(), TimeUnit.SECONDS) ? process.exitValue() : -1;
            return new ChildEnded("%s has ended by itself with %d; see %s".formatted(name, status, log), status);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProofStuck("interrupted while waiting for " + name, e);
        }
    }

    private void signal(String signal) {
        try {
            int exit = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new ProofStuck("SIG" + signal + " does not reach " + name + "; see " + log);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void waitForMore(long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(told, nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProofStuck("interrupted while waiting for " + name, e);
        }
    }

    private void readLines() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.startsWith(Parent.MARK)) {
                    synchronized (told) {
                        told.add(line.substring(Parent.MARK.length()));
                        told.notifyAll();
                    }
                }
            }
        } catch (IOException killed) {
            // The pipe of a killed process may break instead of ending: it tells no more either way.
        } finally {
            synchronized (told) {
                ended = true;
                told.notifyAll();
            }
        }
    }
}
