package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.contract.Health;
import io.tailrace.engine.source.Lease;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TcpProxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Any number of engines for one source: one streams, the others touch nothing, and a holder is succeeded within a stated time. */
@RealParts
class TakeoverTest {

    /** After kill -9. Seen: 2 to 10 s, on two cores under loads of 13 to 30. */
    private static final Duration AFTER_A_KILL = Duration.ofSeconds(10);

    /** After a stop in its tracks: the session of the lease has to run out first, the rest is a start. */
    private static final Duration AFTER_A_SILENCE = Lease.IDLE_LIMIT.plus(AFTER_A_KILL);

    @Test
    void aKilledHolderIsSucceededByOneOfTwo(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        String topic = stack.namespace() + ".raw.events";
        try (ChildJvm holder = EngineProcess.start(stack)) {
            holder.awaitLine(EngineProcess.READY, EngineFixture.PATIENCE);
            try (ChildJvm child = EngineProcess.start(stack);
                    EngineFixture standby = new EngineFixture(stack).started()) {
                child.awaitLine("Ready to take over", EngineFixture.PATIENCE);
                assertThat(standby.engine.health().state()).isEqualTo(Health.State.STANDBY);
                assertThat(standby.gauge("lease.held")).isZero();
                assertThat(standby.gauge("heartbeat.age"))
                        .as("a standby hears none")
                        .isNaN();

                // Enough for several batches, so that the death is likely to fall into one.
                stack.execute(insert("before.death", 5_000));
                holder.kill();
                long killed = System.nanoTime();
                stack.execute(insert("after.death", 1));
                assertThat(stack.reader().awaitCount(5_001, EngineFixture.PATIENCE, topic))
                        .hasSize(5_001);
                Duration took = Duration.ofNanos(System.nanoTime() - killed);
                System.out.println("Takeover after kill -9: " + took);
                assertThat(took)
                        .as(() -> "steps of the other process: "
                                + child.output().stream()
                                        .filter(line -> line.contains("STARTING") || line.contains("Rows flow"))
                                        .toList())
                        .isLessThan(AFTER_A_KILL);

                boolean here = standby.engine.health().state() != Health.State.STANDBY;
                if (here) {
                    standby.awaitState(Health.State.READY);
                    assertThat(child.output()).noneMatch(line -> line.contains(EngineProcess.READY));
                    assertThat(standby.registry
                                    .get(EngineMetrics.PREFIX + "start.step")
                                    .timers())
                            .allSatisfy(step -> assertThat(step.count()).isPositive());
                } else {
                    child.awaitLine(EngineProcess.READY, EngineFixture.PATIENCE);
                    assertThat(standby.engine.health().state()).isEqualTo(Health.State.STANDBY);
                }
                stack.execute(insert("after.all", 1));
                assertThat(Witness.awaitRows(stack.bootstrapServers(), topic, 5_002))
                        .isEqualTo(5_002);
            }
        }
    }

    @Test
    void aHolderThatStandsStillIsSucceededAndDoesNoHarmLater(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (ChildJvm holder = EngineProcess.start(stack)) {
            holder.awaitLine(EngineProcess.READY, EngineFixture.PATIENCE);
            try (EngineFixture standby = new EngineFixture(stack).started()) {
                assertThat(standby.engine.health().state()).isEqualTo(Health.State.STANDBY);
                stack.execute(insert("with.standby", 1));
                stack.reader().awaitCount(1, EngineFixture.PATIENCE, standby.topics.rawEvents());
                assertThat(holder.output())
                        .as("the holder was never disturbed")
                        .noneMatch(line -> line.contains("WAITING"));

                // Stopped in its tracks, its connections open: the lease ends by itself.
                holder.pause();
                long paused = System.nanoTime();
                stack.execute(insert("while.paused", 1));
                stack.reader().awaitCount(2, EngineFixture.PATIENCE, standby.topics.rawEvents());
                Duration took = Duration.ofNanos(System.nanoTime() - paused);
                System.out.println("Takeover after SIGSTOP: " + took);
                assertThat(took).isLessThan(AFTER_A_SILENCE);

                // It wakes up, finds itself succeeded and stands by; what it still had in hand is published by nobody
                // twice.
                holder.resume();
                holder.awaitLine("engine is STANDBY", EngineFixture.PATIENCE);
                stack.execute(insert("after.all", 1));
                assertThat(types(stack, standby, 3))
                        .containsExactlyInAnyOrder("with.standby", "while.paused", "after.all");
                standby.awaitState(Health.State.READY);
                assertThat(standby.gauge("lease.held")).isOne();
            }
        }
    }

    /** A cut cable: the server still believes in the session of the lease and in the walsender, which holds the slot. */
    @Test
    void aWalsenderThatLingersIsEnded(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        String walsender = "SELECT coalesce(max(active_pid), 0) FROM pg_replication_slots WHERE database = '"
                + stack.database() + "'";
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", stack.postgres().port());
                EngineFixture fixture = new EngineFixture(
                                stack,
                                EngineFixture.config(
                                        stack.namespace(), stack.database(), proxy.port(), stack.bootstrapServers()))
                        .started()) {
            fixture.awaitState(Health.State.READY);
            String before = EngineFixture.query(stack, walsender);
            proxy.abandonAll();
            long cut = System.nanoTime();
            stack.execute(insert("after.cut", 1));
            await().atMost(EngineFixture.PATIENCE)
                    .until(() -> fixture.engine.health().state() != Health.State.READY);
            assertThat(EngineFixture.query(stack, walsender)).as("it lingers").isEqualTo(before);
            stack.reader().awaitCount(1, EngineFixture.PATIENCE, fixture.topics.rawEvents());
            assertThat(Duration.ofNanos(System.nanoTime() - cut)).isLessThan(AFTER_A_SILENCE);
            assertThat(EngineFixture.query(stack, walsender)).isNotEqualTo(before);
            fixture.awaitState(Health.State.READY);
        }
    }

    /** One that could not take over says so while there is time. */
    @Test
    void aStandbyThatCouldNotTakeOverSaysSo(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture holder = new EngineFixture(stack).started()) {
            holder.awaitState(Health.State.READY);
            try (EngineFixture standby = new EngineFixture(
                            stack,
                            EngineFixture.config(
                                    stack.namespace(),
                                    stack.database(),
                                    stack.postgres().port(),
                                    "127.0.0.1:1"))
                    .started()) {
                await().atMost(EngineFixture.PATIENCE)
                        .until(() -> standby.engine.health().detail().contains("could not take over"));
                assertThat(standby.engine.health().state()).isEqualTo(Health.State.STANDBY);
            }
            assertThat(holder.engine.health().state()).isEqualTo(Health.State.READY);
        }
    }

    private static String insert(String name, int rows) {
        return "INSERT INTO tailrace.outbox (event_name) SELECT '%s' FROM generate_series(1, %d)".formatted(name, rows);
    }

    private static List<String> types(Stack stack, EngineFixture fixture, int count) {
        return stack.reader().awaitCount(count, EngineFixture.PATIENCE, fixture.topics.rawEvents()).stream()
                .map(record -> EngineFixture.header(record, "ce_type"))
                .toList();
    }
}
