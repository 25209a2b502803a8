package io.tailrace.proof.router;

import io.tailrace.contract.Health;
import io.tailrace.proof.ChildJvms;
import io.tailrace.proof.ChildProcess;
import io.tailrace.proof.ProofStuck;
import io.tailrace.proof.child.Parent;
import io.tailrace.proof.child.RouterMain;
import io.tailrace.proof.child.RouterSite;
import io.tailrace.proof.child.RouterSite.Routes;
import java.time.Duration;
import java.util.Set;

/** A router in a JVM of its own. Not thread-safe. */
final class RouterChild implements AutoCloseable {

    private static final String HEAP = "256m";

    /** It has its partitions: nothing more is to be done, or rows wait for a destination. */
    private static final Set<String> RUNS = Set.of(Health.State.READY.name(), Health.State.WAITING.name());

    private final String name;
    private final ChildProcess process;
    private final Duration patience;
    private int heard;

    private RouterChild(String name, ChildProcess process, Duration patience) {
        this.name = name;
        this.process = process;
        this.patience = patience;
    }

    /** Starts the JVM, and not yet the router. */
    static RouterChild of(ChildJvms jvms, RouterSite site, Duration patience) {
        return new RouterChild(
                site.instance(), jvms.start(site.instance(), RouterMain.class, HEAP, site.arguments()), patience);
    }

    /** One that ends in order, so that the others start faster. */
    static void rehearse(ChildJvms jvms, RouterSite site, Routes routes, Duration patience) {
        ChildProcess process = jvms.startFirst(site.instance(), RouterMain.class, HEAP, site.arguments());
        try (RouterChild first = new RouterChild(site.instance(), process, patience)) {
            first.start(routes);
            first.requireRunning();
            first.stop();
        }
    }

    /** Starts the router. */
    void start(Routes routes) {
        process.require(0, Parent.UP, patience);
        heard = process.told();
        process.say(RouterMain.start(routes));
    }

    /** Returns when it goes on with those routes. */
    void reload(Routes routes) {
        int before = process.told();
        process.say(RouterMain.routes(routes));
        process.require(before, RouterMain.routed(routes), patience);
    }

    /** From here on what it tells counts. */
    void mark() {
        heard = process.told();
    }

    /** Returns when it begins to come up, or partitions are shared out, since {@link #start}. */
    void requireStarting() {
        process.require(heard, Health.State.STARTING.name(), patience);
    }

    /** Whether it has ever had its partitions. */
    boolean hasRun() {
        return RUNS.stream().anyMatch(process::hasTold);
    }

    /** Returns when it has its partitions, for the first time. */
    void requireRunning() {
        if (!process.await(heard, RUNS::contains, patience)) {
            throw new ProofStuck("%s does not run within %d s".formatted(name, patience.toSeconds()));
        }
    }

    /** Returns when it waits for a destination, since {@link #mark}. */
    void requireWaiting() {
        process.require(heard, Health.State.WAITING.name(), patience);
    }

    /** Ends it in order; returns when it is gone. */
    void stop() {
        process.say(RouterMain.close());
        process.end();
    }

    void kill() {
        process.kill();
    }

    void pause() {
        process.pause();
    }

    void resume() {
        process.resume();
    }

    @Override
    public void close() {
        process.close();
    }
}
