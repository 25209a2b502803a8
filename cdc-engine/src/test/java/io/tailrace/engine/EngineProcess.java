package io.tailrace.engine;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.contract.name.TableNames;
import io.tailrace.engine.crash.CrashLoop;
import java.time.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An engine in a JVM of its own: namespace, database, port of PostgreSQL, bootstrap servers, rows of a batch. It says each state that
 * it reaches.
 */
public final class EngineProcess {

    private EngineProcess() {}

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
                System.out.println(now == Health.State.READY ? CrashLoop.READY : "engine is " + now);
                said = now;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }
}
