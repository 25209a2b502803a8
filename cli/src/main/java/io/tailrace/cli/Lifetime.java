package io.tailrace.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * How long a process runs: until Ctrl-C, SIGTERM, or what it does ends. A signal asks the thread that runs the process to end; the JVM
 * waits for it, but not longer than a stop may take.
 */
final class Lifetime implements AutoCloseable {

    private static final Duration STOP_WITHIN = Duration.ofSeconds(10);

    /** Of {@link #beforeGivingUp}. */
    private static final Duration LAST_WITHIN = Duration.ofSeconds(5);

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread hook = new Thread(this::onSignal, "tailrace-signal");

    private final AtomicReference<Runnable> last = new AtomicReference<>(() -> {});

    private Lifetime() {}

    /** To be closed when everything else is: the JVM waits for that. */
    static Lifetime begin() {
        Lifetime lifetime = new Lifetime();
        Runtime.getRuntime().addShutdownHook(lifetime.hook);
        return lifetime;
    }

    /** Whether somebody asked the process to end; waits so long for it. */
    boolean isAskedToEnd(Duration within) throws InterruptedException {
        return asked.await(within.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * What is done when the stop takes too long, before the JVM goes: nothing is closed after that.
     *
     * @param work must be short
     */
    void beforeGivingUp(Runnable work) {
        last.set(() -> {
            Thread thread = new Thread(work, "tailrace-last");
            thread.setDaemon(true);
            thread.start();
            try {
                thread.join(LAST_WITHIN.toMillis());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Override
    public void close() {
        ended.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException onItsWayOut) {
            // Then the hook is what waits for us.
            return;
        }
    }

    private void onSignal() {
        asked.countDown();
        try {
            if (!ended.await(STOP_WITHIN.toMillis(), TimeUnit.MILLISECONDS)) {
                last.get().run();
                System.err.println("Not stopped within " + STOP_WITHIN.toSeconds() + " s: given up.");
                Runtime.getRuntime().halt(Exit.FAILED);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
