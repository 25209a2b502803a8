package io.tailrace.proof.child;

import io.tailrace.engine.publish.BatchWatcher;
import io.tailrace.engine.publish.BatchWatcher.Step;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a child hears of its parent and tells it. The child tells, in lines on standard output that begin with {@link #MARK}, what it has
 * become and which step it has reached. The parent says, on standard input:
 *
 * <pre>
 * stop BEFORE_SEND 3     stand still when this step is reached for the third time, by a batch with records or a row, and say so
 * go                     go on
 * </pre>
 *
 * <p>Its end is the child's end. Thread-safe.
 */
public final class Parent implements BatchWatcher {

    /** Begins every line that is meant for the parent; libraries write to standard output too. */
    public static final String MARK = "proof: ";

    /** A server that was started takes requests. */
    public static final String UP = "up";

    /** The log is being searched for the place to go on at. */
    public static final String SEARCHING = "searching";

    /** The first batch was published: the place is found. */
    public static final String FLOWING = "flowing";

    private static final String AT = "at ";
    private static final String STOP = "stop ";
    private static final String GO = "go";

    private record Stop(String step, int passages) {}

    private final AtomicReference<@Nullable Stop> stop = new AtomicReference<>();
    private final Semaphore go = new Semaphore(0);
    private final AtomicBoolean flows = new AtomicBoolean();
    private final Consumer<String> others;

    private Parent(Consumer<String> others) {
        this.others = others;
    }

    /** Begins to listen. */
    public static Parent listening() {
        return listening(unknown -> System.err.println("the parent says what nobody understands: " + unknown));
    }

    /**
     * Begins to listen.
     *
     * @param others takes every line that is about no step, in order
     */
    public static Parent listening(Consumer<String> others) {
        Parent parent = new Parent(others);
        Thread ear = new Thread(parent::listen, "proof-parent");
        ear.setDaemon(true);
        ear.start();
        return parent;
    }

    /** What the parent has to say so that the child stands still there. */
    public static String stop(Enum<?> step, int passages) {
        return STOP + step + " " + passages;
    }

    /** What the parent has to say so that the child goes on. */
    public static String go() {
        return GO;
    }

    /** What the child says when it stands still there. */
    public static String at(Enum<?> step) {
        return AT + step;
    }

    /** Tells the parent. */
    public void tell(String text) {
        synchronized (System.out) {
            System.out.println(MARK + text);
            System.out.flush();
        }
    }

    @Override
    public void reached(Step step, int records) {
        if (step == Step.BEFORE_FLUSH && flows.compareAndSet(false, true)) {
            tell(FLOWING);
        }
        if (records == 0) {
            return;
        }
        passes(step);
    }

    /** A step was reached, by any thread: if the parent has asked for it, this one stands still here until it is told to go on. */
    public void passes(Enum<?> step) {
        Stop now = stop.get();
        if (now == null || !now.step().equals(step.name())) {
            return;
        }
        if (now.passages() > 1) {
            // The parent says nothing new before it was answered; of two threads at once one counts.
            stop.compareAndSet(now, new Stop(now.step(), now.passages() - 1));
        } else if (stop.compareAndSet(now, null)) {
            tell(at(step));
            go.acquireUninterruptibly();
        }
    }

    private void listen() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                hear(line);
            }
        } catch (IOException broken) {
            System.err.println("the parent is gone: " + broken);
        } catch (RuntimeException refused) {
            // Or the parent would wait for an answer as long as it can.
            refused.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0);
    }

    private void hear(String line) {
        if (line.equals(GO)) {
            go.release();
            return;
        }
        if (!line.startsWith(STOP)) {
            others.accept(line);
            return;
        }
        String[] words = line.substring(STOP.length()).split(" ", 2);
        stop.set(new Stop(words[0], Integer.parseInt(words[1])));
    }
}
