package io.tailrace.proof.child;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.executor.CommandExecutor;
import io.tailrace.executor.handler.Handlers;
import java.time.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The executor as it is, with a handler of the proof's. Arguments: {@link ExecutorSite#arguments}. */
public final class ExecutorMain {

    /** What it says, with the id of a command, of a run that may have taken longer than it may. */
    public static final String SLOW_RUN = Worker.SLOW_RUN;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int EXIT = 1;

    private ExecutorMain() {}

    /** Runs until it is killed, or gives up. */
    public static void main(String[] arguments) {
        ExecutorSite site = ExecutorSite.of(arguments);
        Parent parent = Parent.listening();
        Halts.tell(parent);
        Clock clock = Clock.systemUTC();
        CommandExecutor executor = new CommandExecutor(
                site.config(), Handlers.of(new Worker(site, parent, clock)), new SimpleMeterRegistry(), clock);
        executor.start();
        Health.State said = Health.State.NEW;
        while (true) {
            Health health = executor.health();
            if (health.state() == Health.State.FAILED) {
                System.err.println("The executor has given up: " + health.detail());
                Runtime.getRuntime().halt(EXIT);
            }
            if (health.state() != said) {
                parent.tell(health.state().name());
                said = health.state();
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
