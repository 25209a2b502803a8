package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.executor.handler.Result;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A key whose handler is slow holds up nobody else, and costs whoever comes next no more than its own rows. */
@RealParts
class SlowHandlersTest {

    /** More than a partition queues. */
    private static final int SLOW = 1_550;

    private static final int OTHERS = 120;

    @Test
    void aSlowKeyStopsNoOtherAndWhoComesNextLooksAtItsRowsOnly(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack, Configs.withTimeout(Duration.ofSeconds(100)))) {
            CountDownLatch go = new CountDownLatch(1);
            CommandExecutor first = shop.executor(
                    Effects.handler("slow", command -> {
                        go.await();
                        return Result.success();
                    }),
                    Effects.succeeding("quick"));
            List<UUID> slow = insert(shop);
            shop.due(slow, "slow", "s");
            for (int i = 0; i < OTHERS; i++) {
                shop.due("quick", i % 3 == 0 ? null : "k" + i % 50);
            }
            // All the others are done while the first of the slow ones runs, and nothing is stamped behind that.
            shop.awaitCount("SELECT count(*) FROM effect", OTHERS);
            assertThat(shop.count("SELECT count(*) FROM tailrace.internal_command WHERE command_name = 'slow'"
                            + " AND (status <> 'PENDING' OR turn <> 0 OR place IS NOT NULL)"))
                    .isZero();
            go.countDown();
            first.close();
            assertThat(shop.effectsOf("s")).hasSizeBetween(1, SLOW - 1);

            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            shop.executor(shop.config, meters, Effects.succeeding("slow"), Effects.succeeding("quick"));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(120))
                    .until(() -> shop.count("SELECT count(*) FROM effect") == SLOW + OTHERS);
            assertThat(shop.effectsOf("s")).isEqualTo(Shop.texts(slow.toArray(UUID[]::new)));
            // One row of the key may be known by name only.
            assertThat(Shop.count(meters, "tailrace.executor.processed", "outcome", "settled"))
                    .isLessThanOrEqualTo(1);
            shop.awaitAllPassed();
        }
    }

    private static List<UUID> insert(Shop shop) throws Exception {
        List<UUID> ids = new ArrayList<>();
        try (Connection connection = shop.stack.connect()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < SLOW; i++) {
                ids.add(Shop.insert(connection, "slow", "s"));
            }
            connection.commit();
        }
        return ids;
    }
}
