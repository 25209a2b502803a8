package io.tailrace.proof.child;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.engine.CdcEngine;
import java.time.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The engine as it is, with a configuration that leaves nearly everything at its default. Arguments: {@link Site#arguments}. */
public final class EngineMain {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final int EXIT = 1;

    private EngineMain() {}

    /** Runs until it is killed, or gives up. */
    public static void main(String[] arguments) {
        Parent parent = Parent.listening();
        CdcEngine engine =
                new CdcEngine(Site.of(arguments).config(), new SimpleMeterRegistry(), Clock.systemUTC(), parent);
        Thread starter = new Thread(engine::start, "proof-start");
        starter.setDaemon(true);
        starter.start();
        Health said = new Health(Health.State.NEW, "");
        while (true) {
            Health now = engine.health();
            if (now.state() == Health.State.FAILED) {
                System.err.println("The engine has given up: " + now.detail());
                Runtime.getRuntime().halt(EXIT);
            }
            if (!now.equals(said)) {
                // It starts, and says nothing more of it, until it has a stream to search in.
                boolean searching =
                        now.state() == Health.State.STARTING && !now.detail().isEmpty();
                parent.tell(searching ? Parent.SEARCHING : now.state().name());
                said = now;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
