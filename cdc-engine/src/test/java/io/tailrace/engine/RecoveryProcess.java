package io.tailrace.engine;

import io.tailrace.engine.recover.Order;
import io.tailrace.engine.recover.Order.Way;
import io.tailrace.engine.recover.Report;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.Stack;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Optional;

/**
 * What {@code engine recover --from-table} does, in a JVM of its own, to be killed: namespace, database, port of PostgreSQL, bootstrap servers. It
 * says what the operator would hear, and at the end what it has done.
 */
public final class RecoveryProcess {

    /** What the line begins with that it prints at the end. */
    static final String DONE = "recovered: ";

    private RecoveryProcess() {}

    /** Starts one on the servers of a test. */
    static ChildJvm start(Stack stack, String heap) {
        return ChildJvm.of(RecoveryProcess.class)
                .heap(heap)
                .arguments(
                        stack.namespace(),
                        stack.database(),
                        Integer.toString(stack.postgres().port()),
                        stack.bootstrapServers())
                .start();
    }

    /** Runs to the end, or until it is killed. */
    public static void main(String[] arguments) throws SQLException {
        Report report = new EngineOperations(
                        EngineFixture.config(arguments[0], arguments[1], Integer.parseInt(arguments[2]), arguments[3]))
                .recover(
                        new Order(Way.FROM_TABLE, false, Optional.empty(), "ann", "INC-1"),
                        Clock.systemUTC(),
                        System.out::println);
        long peak = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getPeakUsage)
                .mapToLong(usage -> usage.getUsed())
                .sum();
        System.out.printf("%s%d events, heap at most %d MiB%n", DONE, report.publishedEvents(), peak >> 20);
    }
}
