package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.Health;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.ExecutorConfig;
import io.tailrace.contract.config.ExecutorConfig.MissingHandler;
import io.tailrace.contract.name.Topics;
import io.tailrace.executor.handler.Result;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** An outage is not a failure: it uses no attempt, makes no effect twice, and ends by itself. */
@RealParts
class OutageTest {

    private static final String ALL_CLEAN =
            "SELECT count(*) FROM tailrace.internal_command WHERE attempts = 0 AND turn = 0"
                    + " AND status = 'COMPLETED'";

    @Test
    void aKilledBackendUsesNoAttempt(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            AtomicInteger runs = new AtomicInteger();
            shop.executor(
                    Effects.handler("statement", command -> {
                        if (runs.incrementAndGet() == 1) {
                            killBackendOf(stack, command.connection().createStatement());
                            Effects.write(command, "on a dead connection");
                        }
                        return Result.success();
                    }),
                    Effects.handler("commit", command -> {
                        if (runs.incrementAndGet() == 2) {
                            killBackendOf(stack, command.connection().createStatement());
                        }
                        return Result.success();
                    }));
            UUID statement = shop.due("statement", "o-1");
            shop.awaitStatus(statement, "COMPLETED");
            assertThat(runs).hasValue(2);
            runs.set(1);
            UUID commit = shop.due("commit", "o-1");
            shop.awaitStatus(commit, "COMPLETED");
            assertThat(shop.count(ALL_CLEAN)).isEqualTo(2);
            assertThat(shop.effects(statement)).isEqualTo(1);
            assertThat(shop.effects(commit)).isEqualTo(1);
            assertThat(runs).hasValue(3);
            assertThat(shop.allAnswers()).isEmpty();
        }
    }

    /** "Feature not supported" is a statement's failure, though pools take it for a broken connection. */
    @Test
    void aStatementThatIsNotSupportedUsesAnAttemptAndTheNextOneGetsAnotherConnection(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack, Configs.executor(1))) {
            Set<Integer> backends = ConcurrentHashMap.newKeySet();
            shop.executor(Effects.handler("ship", command -> {
                try (Statement statement = command.connection().createStatement();
                        var row = statement.executeQuery("SELECT pg_backend_pid()")) {
                    row.next();
                    backends.add(row.getInt(1));
                }
                throw new SQLException("cached plan must not change result type", "0A000");
            }));
            UUID id = shop.due("ship", "o-1");
            assertThat(shop.answersTo(id, 1).get(0)).containsEntry("tailrace-attempt", "1");
            shop.release(shop.answerRecordsTo(id, 1).get(0));
            assertThat(shop.answersTo(id, 2).get(1)).containsEntry("tailrace-attempt", "2");
            assertThat(backends).hasSize(2);
        }
    }

    static void killBackendOf(Stack stack, Statement statement) throws Exception {
        try (var row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            stack.execute("SELECT pg_terminate_backend(" + row.getInt(1) + ", 5000)");
        }
    }

    @Test
    void theDatabaseRestartsInTheMiddle(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            CountDownLatch half = new CountDownLatch(60);
            CommandExecutor executor = shop.executor(Effects.handler("ship", command -> {
                half.countDown();
                return Result.success();
            }));
            List<UUID> ids = new ArrayList<>();
            for (int i = 0; i < 120; i++) {
                ids.add(shop.insert("ship", "k" + i % 7));
            }
            for (int i = 0; i < 120; i++) {
                shop.due(ids.get(i), "ship", "k" + i % 7, 0);
                if (i == 80) {
                    half.await();
                    stack.postgres().stopImmediate();
                }
            }
            shop.awaitUntil(() -> executor.health().state() == Health.State.WAITING);
            stack.postgres().start();
            shop.awaitCount(ALL_CLEAN, 120);
            assertThat(shop.count("SELECT count(*) FROM effect")).isEqualTo(120);
            assertThat(shop.count("SELECT count(DISTINCT command) FROM effect")).isEqualTo(120);
            for (int key = 0; key < 7; key++) {
                List<String> wanted = new ArrayList<>();
                for (int i = key; i < 120; i += 7) {
                    wanted.add(ids.get(i).toString());
                }
                assertThat(shop.effectsOf("k" + key)).isEqualTo(wanted);
            }
            shop.awaitUntil(() -> executor.health().isReady());
            assertThat(shop.allAnswers()).isEmpty();
            shop.awaitAllPassed();
        }
    }

    @Test
    void theBrokerIsAwayWhenARowFails(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            CountDownLatch inHandler = new CountDownLatch(1);
            CountDownLatch go = new CountDownLatch(1);
            CommandExecutor executor = shop.executor(Effects.handler("ship", command -> {
                inHandler.countDown();
                go.await();
                return Result.failure("no");
            }));
            UUID id = shop.due("ship", "o-1");
            UUID behind = shop.due("ship", "o-1");
            inHandler.await();
            stack.kafka().stop();
            go.countDown();
            shop.awaitUntil(() -> "1".equals(shop.row(behind).get("turn")));
            shop.awaitUntil(() -> executor.health().state() == Health.State.WAITING);
            stack.kafka().start();
            assertThat(shop.answersTo(id, 1))
                    .allSatisfy(answer -> assertThat(answer)
                            .containsEntry("tailrace-kind", "failed")
                            .containsEntry("tailrace-turn", "1"));
            assertThat(shop.answersTo(behind, 1).get(0)).containsEntry("tailrace-kind", "behind");
            assertThat(shop.row(id)).containsEntry("attempts", "1");
            shop.awaitAllPassed();
            shop.awaitUntil(() -> executor.health().isReady());
        }
    }

    @Test
    void aStopFinishesOrGivesBackAndUsesNoAttempt(Stack stack) throws Exception {
        ExecutorConfig config = new ExecutorConfig(
                4, Configs.QUICK, Map.of(), Duration.ofSeconds(60), MissingHandler.DEAD, Duration.ofMillis(300));
        try (Shop shop = Shop.open(stack, config)) {
            CountDownLatch inHandlers = new CountDownLatch(3);
            CountDownLatch never = new CountDownLatch(1);
            CommandExecutor executor = shop.executor(
                    Effects.handler("finishes", command -> {
                        inHandlers.countDown();
                        inHandlers.await();
                        return Result.success();
                    }),
                    Effects.handler("sleeps", command -> {
                        inHandlers.countDown();
                        never.await();
                        return Result.success();
                    }),
                    Effects.handler("queries", command -> {
                        inHandlers.countDown();
                        try (Statement statement = command.connection().createStatement()) {
                            statement.execute("SELECT pg_sleep(60)");
                        }
                        return Result.success();
                    }));
            UUID finishes = shop.due("finishes", "a");
            UUID sleeps = shop.due("sleeps", "b");
            UUID queries = shop.due("queries", "c");
            UUID queued = shop.due("queries", "c");
            inHandlers.await();
            long start = System.nanoTime();
            executor.close();
            executor.close();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(9));
            assertThat(executor.health().state()).isEqualTo(Health.State.STOPPED);
            assertThat(shop.row(finishes)).containsEntry("status", "COMPLETED");
            for (UUID id : List.of(sleeps, queries, queued)) {
                assertThat(shop.row(id))
                        .containsEntry("status", "PENDING")
                        .containsEntry("attempts", "0")
                        .containsEntry("turn", "0");
            }
            // The next one finds them where they were left.
            shop.executor(Effects.succeeding("sleeps"), Effects.succeeding("queries"), Effects.succeeding("finishes"));
            shop.awaitCount(ALL_CLEAN, 4);
            assertThat(shop.count("SELECT count(*) FROM effect")).isEqualTo(4);
        }
    }

    @Test
    void aHandlerThatIsMissingMayBeWaitedFor(Stack stack) throws Exception {
        ExecutorConfig config = new ExecutorConfig(
                4, Configs.QUICK, Map.of(), Duration.ofSeconds(10), MissingHandler.WAIT, Duration.ofSeconds(1));
        try (Shop shop = Shop.open(stack, config)) {
            shop.executor();
            UUID id = shop.due("ship", "o-1");
            assertThat(shop.answersTo(id, 1).get(0))
                    .containsEntry("tailrace-kind", "failed")
                    .containsEntry("tailrace-attempt", "0")
                    .containsEntry("tailrace-error-class", "HandlerMissing");
            assertThat(shop.row(id)).containsEntry("status", "PENDING").containsEntry("attempts", "0");
        }
    }

    @Test
    void aFirstStartThatWasKilledGoesOnAndAGroupThatHadBegunAndHasNoOffsetRefuses(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            String group = shop.config
                    .namespace()
                    .executorGroup(Topics.COMMANDS, shop.config.source().name());
            String commands = shop.config.topicNames().commands();
            // As a first start leaves it that was killed before its offsets were committed.
            shop.operation("begun/" + group + "/" + commands, "beginning");
            CommandExecutor first = shop.executor(Effects.succeeding("ship"));
            shop.awaitStatus(shop.due("ship", "o-1"), "COMPLETED");
            shop.awaitAllPassed();
            first.close();
            try (Admin admin = stack.admin()) {
                admin.deleteConsumerGroupOffsets(group, Set.of(new TopicPartition(commands, 0)))
                        .all()
                        .get();
            }
            assertThatThrownBy(() -> shop.executor(Effects.succeeding("ship")))
                    .isInstanceOf(StartRefused.class)
                    .hasMessageContainingAll(group, "commands-0", "--reset-offsets");
        }
    }
}
