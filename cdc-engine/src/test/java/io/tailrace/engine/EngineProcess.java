package io.tailrace.engine;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.contract.name.TableNames;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.Stack;
import java.time.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An engine in a JVM of its own: namespace, database, port of PostgreSQL, bootstrap servers, rows of a batch. It says each state that
 * it reaches.
 */
public final class EngineProcess {

    /** What it prints when rows flow. */
    static final String READY = "engine is READY";

    private EngineProcess() {}

    /** Starts one on the servers of a test. */
    static ChildJvm start(Stack stack) {
        return start(stack, "256m", EngineFixture.MAX_BATCH_SIZE);
    }

    /** The same with so much heap and batches of so many rows. */
    static ChildJvm start(Stack stack, String heap, int maxBatchSize) {
        return ChildJvm.of(EngineProcess.class)
                .heap(heap)
                .arguments(
                        stack.namespace(),
                        stack.database(),
                        Integer.toString(stack.postgres().port()),
                        stack.bootstrapServers(),
                        Integer.toString(maxBatchSize))
                .start();
    }

    /** Runs until it is killed. */
    public static void main(String[] arguments) {
        CdcEngine engine = new CdcEngine(
                EngineFixture.config(
                        arguments[0],
                        arguments[1],
                        Integer.parseInt(arguments[2]),
                        arguments[3],
                        TableNames.DEFAULT,
                        Integer.parseInt(arguments[4])),
                new SimpleMeterRegistry(),
                Clock.systemUTC());
        engine.start();
        Health.State said = Health.State.NEW;
        while (true) {
            Health.State now = engine.health().state();
            if (now != said) {
                System.out.println("engine is " + now);
                said = now;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }
}
