package io.tailrace.contract;

/**
 * A part of Tailrace that runs: engine, router or executor. Single use: started once, closed once; a closed part is not started
 * again, a new one is made.
 */
public interface Part extends AutoCloseable {

    /** {@code engine}, {@code router} or {@code executor}: in logs, metrics and health. */
    String name();

    /**
     * Begins the work and returns. An outage of what the part needs is waited out in the background and shown by {@link #health()}.
     *
     * @throws StartRefused when going on would lose or double data, or cannot work until somebody changes something
     */
    void start();

    /** What the part is doing now; cheap, from any thread. */
    Health health();

    /** Stops within the part's stop timeout, in any state; a second call does nothing. */
    @Override
    void close();
}
