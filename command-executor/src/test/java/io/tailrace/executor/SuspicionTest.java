package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.record.Kind;
import io.tailrace.executor.handler.Result;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TcpProxy;
import io.tailrace.testkit.TopicReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A row that ends the process of whoever runs it is found, and ends among the dead letters; the others lose nothing by it. */
@RealParts
class SuspicionTest {

    @Test
    void aRowThatKillsItsWorkerDiesOfItAndTheOthersAreDoneOnce(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            Map<String, List<String>> wanted = new HashMap<>();
            UUID poison = null;
            for (int i = 0; i < 40; i++) {
                String key = i % 4 == 0 ? null : "k" + i % 7;
                UUID id = shop.due("ship", key);
                if (key != null) {
                    wanted.computeIfAbsent(key, k -> new ArrayList<>()).add(id.toString());
                }
                if (i == 20) {
                    poison = shop.due("halt", "p");
                }
            }
            UUID killer = Objects.requireNonNull(poison);
            // The first death finds it unsuspected; its three attempts are the next ones.
            List<String> attempts = new ArrayList<>();
            AtomicInteger released = new AtomicInteger();
            while (!"3".equals(shop.row(killer).get("attempts"))) {
                try (ChildJvm child = KilledExecutorTest.child(shop, 5)) {
                    Awaitility.await().atMost(Duration.ofMinutes(4)).until(() -> {
                        release(shop, killer, released, Set.of("failed"));
                        return !child.isAlive();
                    });
                }
                attempts.add(shop.row(killer).get("attempts"));
                assertThat(attempts).hasSizeLessThan(9);
            }
            assertThat(attempts).startsWith("0").endsWith("1", "2", "3");

            // Its dedup_key is taken until somebody who lives says that it is dead.
            assertThat(shop.row(killer)).containsEntry("status", "PENDING");

            shop.executor(Effects.succeeding("ship"), Effects.succeeding("halt"));
            shop.awaitUntil(() -> shop.row(killer).get("announced_at") != null);
            // Perhaps twice: its record and its release are two, and the lane drops what it has heard.
            assertThat(Shop.idsOf(shop.allAnswers(), Kind.DEAD)).containsOnly(killer.toString());
            assertThat(shop.row(killer))
                    .containsEntry("status", "DEAD")
                    .containsEntry("reason", "retries-exhausted")
                    .hasEntrySatisfying("last_error", error -> assertThat(error).contains("worker died"));
            shop.awaitCount(
                    "SELECT count(*) FROM tailrace.internal_command WHERE status = 'COMPLETED' AND attempts = 0"
                            + " AND last_error IS NULL AND first_failed_at IS NULL",
                    40);
            assertThat(shop.count("SELECT count(*) FROM effect")).isEqualTo(40);
            assertThat(shop.count("SELECT count(DISTINCT command) FROM effect")).isEqualTo(40);
            wanted.forEach((key, ids) -> {
                try {
                    assertThat(shop.effectsOf(key)).isEqualTo(ids);
                } catch (java.sql.SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
    }

    @Test
    void suspectsRunOneAtATimeAndLoseNothing(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            UUID stopped = shop.due("ship", "a");
            UUID succeeds = shop.due("ship", "b");
            UUID fails = shop.due("ship", "c");
            killInTheHandler(shop);
            AtomicInteger atOnce = new AtomicInteger();
            Map<UUID, Map<String, String>> seen = new ConcurrentHashMap<>();
            CountDownLatch inHandler = new CountDownLatch(1);
            CountDownLatch never = new CountDownLatch(1);
            CommandExecutor first = shop.executor(Effects.handler("ship", command -> {
                assertThat(atOnce.incrementAndGet()).isEqualTo(1);
                seen.put(command.id(), clean(shop.row(command.id())));
                assertThat(command.attempt()).isEqualTo(1);
                try {
                    if (command.id().equals(stopped)) {
                        inHandler.countDown();
                        never.await();
                    }
                    return command.id().equals(fails) ? Result.failure("no") : Result.success();
                } finally {
                    atOnce.decrementAndGet();
                }
            }));
            assertThat(inHandler.await(Shop.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            first.close();
            // Stopped in order: it never failed.
            assertThat(clean(shop.row(stopped)))
                    .isEqualTo(Map.of("status", "PENDING", "attempts", "0", "last_error", ""));
            assertThat(shop.row(stopped)).containsEntry("turn", "1");

            CountDownLatch others = new CountDownLatch(1);
            shop.executor(Effects.handler("ship", command -> {
                others.await();
                return command.id().equals(fails) ? Result.failure("no") : Result.success();
            }));
            others.countDown();
            shop.release(shop.answerRecordsTo(stopped, 1).get(0));
            for (UUID id : List.of(stopped, succeeds)) {
                assertThat(clean(shop.awaitStatus(id, "COMPLETED")))
                        .isEqualTo(Map.of("status", "COMPLETED", "attempts", "0", "last_error", ""));
                assertThat(shop.effects(id)).isEqualTo(1);
            }
            assertThat(shop.answersTo(fails, 1).get(0))
                    .containsEntry("tailrace-kind", "failed")
                    .containsEntry("tailrace-attempt", "1")
                    .containsEntry("tailrace-error-message", "no");
            assertThat(shop.row(fails)).containsEntry("attempts", "1");
            // What others see of a suspect as long as it runs: it has failed.
            assertThat(seen.get(stopped))
                    .isEqualTo(Map.of(
                            "status",
                            "PENDING",
                            "attempts",
                            "1",
                            "last_error",
                            "WorkerDied: worker died: its process ended while it ran this"));
        }
    }

    /** Lost together with its connection, and then not looked at again before the stop: nobody has died of it. */
    @Test
    void aSuspectThatWaitsForItsNextLookIsLeftAsItWas(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack);
                Connection other = stack.connect()) {
            UUID id = shop.insert("ship", "a");
            stack.execute("UPDATE tailrace.internal_command SET dedup_key = 'once', max_attempts = 1");
            shop.due(id, "ship", "a", 0);
            killInTheHandler(shop);
            CountDownLatch inHandler = new CountDownLatch(1);
            CountDownLatch go = new CountDownLatch(1);
            AtomicInteger runs = new AtomicInteger();
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            CommandExecutor first = shop.executor(shop.config, meters, Effects.handler("ship", command -> {
                if (runs.incrementAndGet() == 1) {
                    throw new SQLException("once more", "40001");
                }
                inHandler.countDown();
                go.await();
                OutageTest.killBackendOf(stack, command.connection().createStatement());
                return Result.success();
            }));
            assertThat(inHandler.await(Shop.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            other.setAutoCommit(false);
            Thread keyTaken = new Thread(() -> Trouble.takeKey(shop, other, "a"));
            keyTaken.start();
            shop.awaitCount(Trouble.WAITING_FOR_A_KEY, 1);
            double busy = Shop.count(meters, "tailrace.executor.stepped.back", "why", "busy");
            go.countDown();
            keyTaken.join();
            shop.awaitMeter(meters, "tailrace.executor.stepped.back", "why", "busy", busy + 1);
            // Of the first run it was taken back; of the second it stands, and nobody else gets the dedup_key
            // meanwhile.
            assertThat(clean(shop.row(id))).containsEntry("status", "PENDING").containsEntry("attempts", "1");
            assertThat(shop.row(id)).containsEntry("turn", "2");
            assertThat(shop.count("SELECT count(*) FROM tailrace.schedule_command('ship', 'once', 'ignore')"
                            + " WHERE outcome = 'IGNORED'"))
                    .isEqualTo(1);
            first.close();
            assertThat(clean(shop.row(id))).isEqualTo(Map.of("status", "PENDING", "attempts", "0", "last_error", ""));
            other.rollback();

            shop.executor(Effects.succeeding("ship"));
            shop.release(shop.answerRecordsTo(id, 1).get(0));
            assertThat(shop.awaitStatus(id, "COMPLETED")).containsEntry("attempts", "0");
            assertThat(shop.effects(id)).isEqualTo(1);
        }
    }

    /** The same when the group is rearranged meanwhile: who goes on with it elsewhere finds a row that has not failed. */
    @Test
    void aSuspectThatGoesToAnotherMemberHasNotFailed(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack);
                Connection one = stack.connect();
                Connection other = stack.connect()) {
            // In one partition and in the other.
            Map<UUID, String> keys = new HashMap<>();
            for (int n = 0; keys.size() < 2; n++) {
                String key = "k" + n;
                if (BuiltInPartitioner.partitionForKey(key.getBytes(StandardCharsets.UTF_8), 2) == keys.size()) {
                    keys.put(shop.due("ship", key), key);
                }
            }
            killInTheHandler(shop);
            Set<UUID> met = ConcurrentHashMap.newKeySet();
            BlockingQueue<UUID> inHandler = new LinkedBlockingQueue<>();
            Semaphore go = new Semaphore(0);
            shop.executor(Effects.handler("ship", command -> {
                if (met.add(command.id())) {
                    inHandler.add(command.id());
                    go.acquire();
                    OutageTest.killBackendOf(stack, command.connection().createStatement());
                }
                return Result.success();
            }));
            for (Connection taker : List.of(one, other)) {
                UUID id = Objects.requireNonNull(inHandler.poll(Shop.PATIENCE.toSeconds(), TimeUnit.SECONDS));
                taker.setAutoCommit(false);
                Thread keyTaken = new Thread(() -> Trouble.takeKey(shop, taker, Objects.requireNonNull(keys.get(id))));
                keyTaken.start();
                shop.awaitCount(Trouble.WAITING_FOR_A_KEY, 1);
                go.release();
                keyTaken.join();
            }
            String accused = "SELECT count(*) FROM tailrace.internal_command WHERE attempts = 1";
            assertThat(shop.count(accused)).isEqualTo(2);

            // Four partitions: the first member keeps one.
            for (int more = 0; more < 3; more++) {
                shop.executor(Effects.succeeding("ship"));
            }
            shop.awaitUntil(() -> shop.count(accused) < 2);
            one.rollback();
            other.rollback();
            for (UUID id : keys.keySet()) {
                AtomicInteger released = new AtomicInteger();
                shop.awaitUntil(() -> {
                    release(shop, id, released, Set.of("failed", "behind"));
                    return "COMPLETED".equals(shop.row(id).get("status"));
                });
                assertThat(shop.row(id)).containsEntry("attempts", "0").containsEntry("last_error", null);
                assertThat(shop.effects(id)).isEqualTo(1);
            }
        }
    }

    @Test
    void anAccusationOfWhichNobodyHeardIsTakenBack(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack);
                TcpProxy proxy = TcpProxy.to("127.0.0.1", stack.postgres().port())) {
            UUID id = shop.due("ship", "a");
            killInTheHandler(shop);
            Trouble.slowCommits(stack, "NEW.attempts = 1");
            shop.executor(Trouble.through(proxy, shop), new SimpleMeterRegistry(), Effects.succeeding("ship"));
            shop.awaitCount(Trouble.IN_A_SLOW_COMMIT, 1);
            proxy.abandonAll();
            assertThat(shop.awaitStatus(id, "COMPLETED"))
                    .containsEntry("attempts", "0")
                    .containsEntry("turn", "1")
                    .containsEntry("last_error", null);
            assertThat(shop.effects(id)).isEqualTo(1);
            assertThat(shop.allAnswers()).isEmpty();
        }
    }

    private static void killInTheHandler(Shop shop) {
        try (ChildJvm child = KilledExecutorTest.child(shop, 60_000)) {
            child.awaitLine("in the handler", Shop.PATIENCE.multipliedBy(4));
            child.kill();
        }
    }

    private static Map<String, String> clean(Map<String, ?> row) {
        Map<String, String> clean = new HashMap<>();
        for (String column : List.of("status", "attempts", "last_error")) {
            Object value = row.get(column);
            clean.put(column, value == null ? "" : value.toString());
        }
        return clean;
    }

    /** As its lane would. */
    private static void release(Shop shop, UUID id, AtomicInteger released, Set<String> kinds) {
        List<ConsumerRecord<byte[], byte[]>> answers = shop.allAnswers().stream()
                .filter(answer ->
                        Shop.isAbout(answer, id) && kinds.contains(TopicReader.header(answer, "tailrace-kind")))
                .toList();
        if (answers.size() > released.get()) {
            released.set(answers.size());
            shop.release(answers.get(answers.size() - 1));
        }
    }
}
