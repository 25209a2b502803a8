package io.tailrace.proof.commands;

import io.tailrace.contract.Health;
import io.tailrace.proof.ChildJvms;
import io.tailrace.proof.ChildProcess;
import io.tailrace.proof.child.ExecutorMain;
import io.tailrace.proof.child.ExecutorSite;
import io.tailrace.proof.child.Halts;
import io.tailrace.proof.child.Parent;
import java.time.Duration;
import java.util.List;

/** An executor in a JVM of its own. Not thread-safe. */
final class ExecutorChild implements AutoCloseable {

    private static final String HEAP = "192m";

    private final ChildProcess process;
    private final Duration patience;
    private int heard;

    private ExecutorChild(ChildProcess process, Duration patience) {
        this.process = process;
        this.patience = patience;
    }

    static ExecutorChild start(ChildJvms jvms, ExecutorSite site, Duration patience) {
        return new ExecutorChild(jvms.start(site.name(), ExecutorMain.class, HEAP, site.arguments()), patience);
    }

    /** Returns when it has joined its group, for the first time. */
    void requireRunning() {
        process.require(0, Health.State.READY.name(), patience);
    }

    /** From now on it stands still when it comes to that step for the n-th time. */
    void stopAt(Halts.Step step, int passages) {
        heard = process.told();
        process.say(Parent.stop(step, passages));
    }

    /** Whether it stands still there. */
    boolean standsAt(Halts.Step step, Duration within) {
        return process.await(heard, Parent.at(step)::equals, within);
    }

    /** Ids of commands, once for each run that may have taken longer than it may. */
    List<String> slowRuns() {
        return process.allTold(ExecutorMain.SLOW_RUN);
    }

    /** After it stood still. */
    void goOn() {
        process.say(Parent.go());
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
