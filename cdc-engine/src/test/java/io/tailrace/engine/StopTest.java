package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.contract.Health;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.embedded.EmbeddedBroker;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TcpProxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A stop takes less than ten seconds in every state, whatever is down, and a second one does nothing. */
@RealParts
class StopTest {

    private static final Duration SHORT = Duration.ofSeconds(10);

    /** What its threads are given to end in order: {@code executor.shutdown.timeout.ms}. */
    private static final Duration DEBEZIUMS_PATIENCE = Duration.ofSeconds(2);

    @Test
    void beforeTheStartOnStandbyAndWhileItLooksForItsPlace(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        EngineFixture never = new EngineFixture(stack);
        assertShortStop(never);
        // Start returns when the log flows, and before anything has come through.
        EngineFixture searching = new EngineFixture(stack).started();
        try (EngineFixture holder = searching;
                EngineFixture standby = new EngineFixture(stack).started()) {
            assertThat(standby.engine.health().state()).isEqualTo(Health.State.STANDBY);
            assertShortStop(standby);
            assertThat(holder.engine.health().state()).isIn(Health.State.STARTING, Health.State.READY);
        }
        EngineFixture again = new EngineFixture(stack).started();
        assertThat(again.engine.health().state()).isEqualTo(Health.State.STARTING);
        assertShortStop(again);
    }

    @Test
    void whileTheDatabaseSaysNothing(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", stack.postgres().port())) {
            TailraceConfig config =
                    EngineFixture.config(stack.namespace(), stack.database(), proxy.port(), stack.bootstrapServers());
            EngineFixture streaming = new EngineFixture(stack, config).started();
            streaming.awaitState(Health.State.READY);
            proxy.silence();
            assertShortStop(streaming);
            proxy.resume();
            proxy.cutAll();

            EngineFixture searching = new EngineFixture(stack, config).started();
            proxy.silence();
            assertShortStop(searching);

            // Nothing answers from the first question on.
            EngineFixture starting = new EngineFixture(stack, config);
            Thread starter = new Thread(starting.engine::start);
            starter.start();
            await().until(() -> starting.engine.health().state() == Health.State.STARTING);
            assertShortStop(starting);
            starter.join();
            proxy.resume();
            proxy.refuse();

            EngineFixture between = new EngineFixture(stack, config).started();
            between.awaitState(Health.State.WAITING);
            assertThat(between.engine.health().detail()).contains("the database");
            assertShortStop(between);
        }
    }

    @Test
    void whileTheBrokerIsDown(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        EngineFixture inBatch = new EngineFixture(stack).started();
        inBatch.awaitState(Health.State.READY);
        stack.kafka().stop();
        awaitBatch(stack);
        assertShortStop(inBatch);
        EngineFixture starting = new EngineFixture(stack).started();
        assertThat(starting.engine.health().state()).isEqualTo(Health.State.WAITING);
        assertShortStop(starting);
        stack.kafka().start();
    }

    @Test
    void whileTheBrokerSaysNothing(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", 0);
                EmbeddedBroker broker =
                        EmbeddedBroker.builder().advertisedPort(proxy.port()).start()) {
            proxy.retarget(broker.port());
            TailraceConfig config = EngineFixture.config(
                    stack.namespace(), stack.database(), stack.postgres().port(), "127.0.0.1:" + proxy.port());
            EngineFixture inBatch = new EngineFixture(stack, config).started();
            inBatch.awaitState(Health.State.READY);
            proxy.silence();
            awaitBatch(stack);
            assertShortStop(inBatch);
            EngineFixture starting = new EngineFixture(stack, config);
            Thread starter = new Thread(starting.engine::start);
            starter.start();
            await().atMost(EngineFixture.PATIENCE).until(() -> starting.gauge("lease.held") == 1);
            assertShortStop(starting);
            starter.join();
            proxy.resume();
        }
    }

    /** The reader waits for room that nobody makes any more: whoever waits for the reader waits in vain. */
    @Test
    void whileABacklogIsWorkedOff(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        stack.execute("INSERT INTO tailrace.outbox (event_name) SELECT 'in.backlog' FROM generate_series(1, 100000)");
        TailraceConfig config = EngineFixture.config(
                stack.namespace(),
                stack.database(),
                stack.postgres().port(),
                stack.bootstrapServers(),
                TableNames.DEFAULT,
                64);
        EngineFixture flowing = new EngineFixture(stack, config).started();
        flowing.awaitState(Health.State.READY);
        await().pollInterval(Duration.ofMillis(1)).until(StopTest::readerWaitsForRoom);
        assertThat(assertShortStop(flowing)).isLessThan(DEBEZIUMS_PATIENCE);
    }

    private static boolean readerWaitsForRoom() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Arrays::stream)
                .anyMatch(frame -> frame.getClassName().endsWith(".ChangeQueue")
                        && frame.getMethodName().equals("put"));
    }

    /** As when a broker has too few replicas in sync for a while: nothing is given up, and readiness says so meanwhile. */
    @Test
    void itGoesOnWhenTheBrokerAnswersAgain(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", 0);
                EmbeddedBroker broker =
                        EmbeddedBroker.builder().advertisedPort(proxy.port()).start()) {
            proxy.retarget(broker.port());
            TailraceConfig config = EngineFixture.config(
                    stack.namespace(), stack.database(), stack.postgres().port(), "127.0.0.1:" + proxy.port());
            Duration shortSilence = Duration.ofSeconds(5);
            try (EngineFixture fixture = new EngineFixture(stack, config, Clock.systemUTC(), shortSilence).started()) {
                fixture.awaitState(Health.State.READY);
                proxy.silence();
                awaitBatch(stack);
                fixture.awaitState(Health.State.WAITING);
                assertThat(fixture.gauge("heartbeat.age")).isGreaterThan(4);
                assertThat(fixture.gauge("slot.unconfirmed")).isPositive();
                proxy.resume();
                assertThat(Witness.awaitRows(broker.bootstrapServers(), fixture.topics.rawEvents(), 1))
                        .isEqualTo(1);
                fixture.awaitState(Health.State.READY);
                await().atMost(EngineFixture.PATIENCE).until(() -> fixture.gauge("heartbeat.age") < 5);
            }
        }
    }

    /** It would hold the slot for as long as the process lives. */
    @Test
    void aDebeziumThatDoesNotStopIsHalted(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        StuckClock clock = new StuckClock();
        try (EngineFixture fixture = new EngineFixture(stack, EngineFixture.config(stack), clock).started()) {
            fixture.awaitState(Health.State.READY);
            clock.stick();
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('in.batch')");
            await().atMost(EngineFixture.PATIENCE).until(clock::holdsSomebody);
            long began = System.nanoTime();
            fixture.close();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SHORT);
            assertThat(fixture.halts).hasPositiveValue();
        } finally {
            clock.release();
        }
    }

    /** Debezium asks it for the time in the middle of a batch, and comes no further, whoever interrupts it. */
    private static final class StuckClock extends Clock {

        private final CountDownLatch free = new CountDownLatch(1);
        private final AtomicInteger held = new AtomicInteger();
        private volatile boolean stuck;

        void stick() {
            stuck = true;
        }

        void release() {
            free.countDown();
        }

        boolean holdsSomebody() {
            return held.get() > 0;
        }

        @Override
        public Instant instant() {
            String thread = Thread.currentThread().getName();
            if (stuck && !thread.equals("main") && !thread.startsWith("tailrace-watch-")) {
                held.incrementAndGet();
                boolean interrupted = false;
                while (free.getCount() > 0) {
                    try {
                        free.await();
                    } catch (InterruptedException deaf) {
                        interrupted = true;
                    }
                }
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
            return Clock.systemUTC().instant();
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private static void awaitBatch(Stack stack) throws Exception {
        stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('in.batch')");
        String end = EngineFixture.query(stack, "SELECT pg_current_wal_lsn()::text");
        await().alias("the row was sent to the engine, whose batch cannot end")
                .atMost(EngineFixture.PATIENCE)
                .until(() -> EngineFixture.query(
                                stack, "SELECT bool_or(sent_lsn >= '%s') FROM pg_stat_replication".formatted(end))
                        .equals("t"));
    }

    private static Duration assertShortStop(EngineFixture fixture) {
        Health.State from = fixture.engine.health().state();
        long began = System.nanoTime();
        fixture.close();
        fixture.close();
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        System.out.println("Stopped from " + from + ": " + took);
        assertThat(took).isLessThan(SHORT);
        assertThat(fixture.engine.health().state()).isEqualTo(Health.State.STOPPED);
        assertThat(fixture.halts).hasValue(0);
        return took;
    }
}
