package io.tailrace.proof.child;

import io.tailrace.embedded.EmbeddedBroker;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** A broker to be killed. Arguments: its directory, its port. */
public final class BrokerMain {

    private BrokerMain() {}

    /** Runs until it is killed. */
    public static void main(String[] arguments) {
        Parent parent = Parent.listening();
        EmbeddedBroker broker = EmbeddedBroker.builder()
                .dataDirectory(Path.of(arguments[0]))
                .port(Integer.parseInt(arguments[1]))
                // What the proof of the router waits for comes sooner so.
                .setting("group.min.session.timeout.ms", "1000")
                .start();
        parent.tell(Parent.UP);
        while (broker.isRunning()) {
            LockSupport.park(broker);
        }
    }
}
