package io.tailrace.proof;

import io.tailrace.contract.Health;
import io.tailrace.engine.CdcEngine;
import io.tailrace.engine.publish.BatchWatcher.Step;
import io.tailrace.proof.child.EngineMain;
import io.tailrace.proof.child.Parent;
import io.tailrace.proof.child.Site;
import io.tailrace.proof.child.StockMain;
import java.time.Duration;
import java.util.OptionalInt;

/** A capture in a JVM of its own, ours or the control. Not thread-safe. */
public final class EngineChild implements AutoCloseable {

    private static final String HEAP = "256m";

    private final ChildProcess process;
    private int heard;

    private EngineChild(ChildProcess process) {
        this.process = process;
    }

    public static EngineChild start(ChildJvms jvms, Resume resume, String name, Site site) {
        return new EngineChild(jvms.start(name, main(resume), HEAP, site.arguments()));
    }

    /**
     * Whether it has halted itself, as it does when its Debezium does not stop: a supervisor starts it again.
     *
     * @throws ProofStuck when it has ended for any other reason
     */
    public boolean hasHalted() {
        OptionalInt status = process.status();
        if (status.isPresent() && status.getAsInt() != CdcEngine.HALT_STATUS) {
            throw new ProofStuck("an engine has ended by itself with " + status.getAsInt());
        }
        return status.isPresent();
    }

    /** One that publishes something and ends, so that the others start faster. */
    static void rehearse(ChildJvms jvms, Resume resume, Site site, Duration patience) {
        try (ChildProcess first = jvms.startFirst("engine-first", main(resume), HEAP, site.arguments())) {
            first.require(0, Parent.FLOWING, patience);
            first.end();
        }
    }

    private static Class<?> main(Resume resume) {
        return resume == Resume.STOCK ? StockMain.class : EngineMain.class;
    }

    /** From now on it stands still at the n-th batch with records that comes to that step. */
    void stopAt(Step step, int passages) {
        heard = process.told();
        process.say(Parent.stop(step, passages));
    }

    /** Whether it stands still there. */
    boolean standsAt(Step step, Duration within) {
        return process.await(heard, Parent.at(step)::equals, within);
    }

    /** After it stood still. */
    void goOn() {
        process.say(Parent.go());
    }

    /** Whether it looks for its place in the log, or has found it. */
    boolean searches(Duration within) {
        return process.await(0, line -> line.equals(Parent.SEARCHING) || line.equals(Parent.FLOWING), within);
    }

    /** Whether it has published anything. */
    boolean flows() {
        return process.hasTold(Parent.FLOWING);
    }

    /** Waits until it has published something. */
    boolean flows(Duration within) {
        return process.await(0, Parent.FLOWING::equals, within);
    }

    /** Waits until it has come to a state once more since {@link #mark}. */
    void requireAgain(Health.State state, Duration within) {
        process.require(heard, state.name(), within);
    }

    /** From here on what it tells counts. */
    void mark() {
        heard = process.told();
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
