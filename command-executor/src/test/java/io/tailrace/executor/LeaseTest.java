package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.executor.handler.Result;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TcpProxy;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whoever has a row has it for a time that ends by itself, and whoever loses it undoes nothing of what others did. */
@RealParts
class LeaseTest {

    /** The handler timeout: a claim ends 5 s later at the latest. */
    private static final Duration TIMEOUT = Duration.ofMillis(500);

    /** Of a claim, of the group's session, and a machine that has other things to do. */
    private static final Duration SHORT = Duration.ofSeconds(25);

    @Test
    void aKeyOfAWorkerThatIsStoppedForEverRunsOnElsewhere(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack, Configs.withTimeout(TIMEOUT))) {
            UUID id = shop.due("ship", "o-1");
            UUID next = shop.due("ship", "o-1");
            try (ChildJvm child = KilledExecutorTest.child(shop, 400)) {
                child.awaitLine("in the handler", Shop.PATIENCE.multipliedBy(4));
                child.pause();
                long stopped = System.nanoTime();
                shop.executor(Effects.succeeding("ship"));
                shop.awaitStatus(id, "COMPLETED");
                shop.awaitStatus(next, "COMPLETED");
                assertThat(Duration.ofNanos(System.nanoTime() - stopped)).isLessThan(SHORT);
                shop.awaitAllPassed();
                child.kill();
            }
            assertThat(shop.effects(id)).isEqualTo(1);
            assertThat(shop.effects(next)).isEqualTo(1);
            assertThat(shop.row(id)).containsEntry("attempts", "0");
        }
    }

    @Test
    void aConnectionThatIsDroppedWithoutAWordIsLostAndTheRowRunsAgain(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack, Configs.withTimeout(TIMEOUT));
                TcpProxy proxy = TcpProxy.to("127.0.0.1", stack.postgres().port())) {
            TailraceConfig through = Configs.of(
                    stack.namespace(),
                    proxy.port(),
                    stack.database(),
                    stack.bootstrapServers(),
                    Configs.withTimeout(TIMEOUT));
            AtomicInteger runs = new AtomicInteger();
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            shop.executor(through, meters, Effects.handler("ship", command -> {
                if (runs.incrementAndGet() == 1) {
                    try (Statement statement = command.connection().createStatement();
                            ResultSet port = statement.executeQuery("SELECT inet_client_port()")) {
                        port.next();
                        proxy.silenceForEver(port.getInt(1));
                    }
                }
                return Result.success();
            }));
            long start = System.nanoTime();
            UUID id = shop.due("ship", "o-1");
            UUID next = shop.due("ship", "o-1");
            shop.awaitStatus(id, "COMPLETED");
            shop.awaitStatus(next, "COMPLETED");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SHORT);
            assertThat(runs).hasValue(3);
            assertThat(Shop.count(meters, "tailrace.executor.stepped.back", "why", "lost"))
                    .isGreaterThanOrEqualTo(1);
            assertThat(shop.effects(id)).isEqualTo(1);
            assertThat(shop.effects(next)).isEqualTo(1);
            assertThat(shop.row(id)).containsEntry("attempts", "0").containsEntry("turn", "0");
            assertThat(shop.allAnswers()).isEmpty();
            shop.awaitAllPassed();
        }
    }

    @Test
    void aPartitionThatIsTakenAwayWhileAHandlerRunsLetsItEndAndRunsNothingTwice(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            CountDownLatch inHandlers = new CountDownLatch(4);
            CountDownLatch go = new CountDownLatch(1);
            AtomicInteger runs = new AtomicInteger();
            shop.executor(Effects.handler("ship", command -> {
                runs.incrementAndGet();
                inHandlers.countDown();
                go.await();
                return Result.success();
            }));
            UUID[] running = new UUID[4];
            UUID[] behind = new UUID[4];
            for (int i = 0; i < 4; i++) {
                running[i] = shop.due("ship", "k" + i);
                behind[i] = shop.due("ship", "k" + i);
            }
            inHandlers.await();
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            AtomicInteger elsewhere = new AtomicInteger();
            shop.executor(shop.config, meters, Effects.handler("ship", command -> {
                elsewhere.incrementAndGet();
                return Result.success();
            }));
            // The new owner has met the rows that run; a partition that was given back in order is under no suspicion.
            shop.awaitMeter(meters, "tailrace.executor.stepped.back", "why", "busy", 1);
            go.countDown();
            for (int i = 0; i < 4; i++) {
                shop.awaitStatus(running[i], "COMPLETED");
                shop.awaitStatus(behind[i], "COMPLETED");
                assertThat(shop.effectsOf("k" + i)).isEqualTo(Shop.texts(running[i], behind[i]));
            }
            assertThat(runs.get() + elsewhere.get()).isEqualTo(8);
            assertThat(elsewhere.get()).isPositive();
            assertThat(shop.count("SELECT count(*) FROM tailrace.internal_command WHERE turn <> 0 OR attempts <> 0"))
                    .isZero();
            assertThat(shop.allAnswers()).isEmpty();
            shop.awaitAllPassed();
        }
    }
}
