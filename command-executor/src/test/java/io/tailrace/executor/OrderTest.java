package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Kind;
import io.tailrace.executor.handler.Result;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A key keeps its order, and uses only the attempts that are its own, whatever fails and whoever works on it. */
@RealParts
class OrderTest {

    @Test
    void whatIsQueuedBehindAFailedRowComesBackBehindAndRunsAfterIt(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            Semaphore go = new Semaphore(0);
            AtomicBoolean failing = new AtomicBoolean(true);
            shop.executor(
                    Effects.handler("ship", command -> {
                        go.acquire();
                        return failing.getAndSet(false) ? Result.failure("once") : Result.success();
                    }),
                    Effects.succeeding("other"));
            List<UUID> ids = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                ids.add(shop.due("ship", "o-1"));
            }
            // Another key is not touched by it.
            shop.awaitStatus(shop.due("other", "o-2"), "COMPLETED");
            go.release(100);
            List<ConsumerRecord<byte[], byte[]>> answers = shop.answers(5);
            assertThat(Shop.idsOf(answers, Kind.FAILED))
                    .containsExactly(ids.get(0).toString());
            assertThat(Shop.idsOf(answers, Kind.BEHIND))
                    .containsExactlyElementsOf(
                            ids.subList(1, 5).stream().map(UUID::toString).toList());
            for (int i = 1; i < 5; i++) {
                assertThat(shop.row(ids.get(i)))
                        .containsEntry("attempts", "0")
                        .containsEntry("turn", "1")
                        .containsEntry("not_before", null);
                assertThat(shop.answersTo(ids.get(i), 1).get(0))
                        .containsEntry("tailrace-behind", ids.get(0).toString())
                        .containsEntry("tailrace-attempt", "0");
            }
            // Released too soon, and in the wrong order: the guard, not the lane, keeps the order.
            shop.release(shop.answerRecordsTo(ids.get(4), 1).get(0));
            assertThat(shop.answersTo(ids.get(4), 2).get(1))
                    .containsEntry("tailrace-kind", "behind")
                    .containsEntry("tailrace-turn", "2");
            for (int i = 0; i < 5; i++) {
                List<ConsumerRecord<byte[], byte[]>> mine = shop.answerRecordsTo(ids.get(i), 1);
                shop.release(mine.get(mine.size() - 1));
            }
            for (UUID id : ids) {
                shop.awaitStatus(id, "COMPLETED");
            }
            assertThat(shop.effectsOf("o-1"))
                    .containsExactlyElementsOf(ids.stream().map(UUID::toString).toList());
            shop.awaitAllPassed();
        }
    }

    @Test
    void theFirstFailsWhileTheSecondWaitsForTheLock(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            CountDownLatch inHandler = new CountDownLatch(1);
            CountDownLatch fail = new CountDownLatch(1);
            AtomicInteger runs = new AtomicInteger();
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            shop.executor(shop.config, meters, Effects.handler("ship", command -> {
                runs.incrementAndGet();
                inHandler.countDown();
                fail.await();
                return Result.failure("no");
            }));
            UUID first = shop.due("ship", "o-1");
            UUID second = shop.due("ship", "o-1");
            inHandler.await();
            // The same row and turn once more, by the other topic and so by another worker, as after a rebalance.
            shop.redelivered(first, "ship", "o-1", 0, "1:0");
            shop.awaitMeter(meters, "tailrace.executor.stepped.back", "why", "busy", 2);
            fail.countDown();
            List<ConsumerRecord<byte[], byte[]>> answers = shop.answers(3);
            assertThat(shop.row(first)).containsEntry("attempts", "1").containsEntry("turn", "1");
            assertThat(runs).hasValue(1);
            assertThat(shop.row(second)).containsEntry("attempts", "0").containsEntry("turn", "1");
            // Both say the same of the first row; the lane drops the second of them.
            assertThat(Shop.idsOf(answers, Kind.FAILED)).containsExactly(first.toString(), first.toString());
            assertThat(answers.stream()
                            .filter(answer -> Shop.isAbout(answer, first))
                            .map(answer -> TopicReader.header(answer, "tailrace-turn")))
                    .containsOnly("1");
            assertThat(Shop.idsOf(answers, Kind.BEHIND)).containsExactly(second.toString());
            shop.awaitAllPassed();
        }
    }

    @Test
    void partitionsMoveWhileHandlersFail(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            List<String> keys = List.of("a", "b", "c", "d");
            CountDownLatch inHandler = new CountDownLatch(keys.size());
            CountDownLatch fail = new CountDownLatch(1);
            AtomicInteger others = new AtomicInteger();
            shop.executor(Effects.handler("ship", command -> {
                inHandler.countDown();
                fail.await();
                return Result.failure("no");
            }));
            Map<String, List<UUID>> rows = new HashMap<>();
            for (String key : keys) {
                for (int i = 0; i < 4; i++) {
                    rows.computeIfAbsent(key, k -> new ArrayList<>()).add(shop.due("ship", key));
                }
            }
            inHandler.await();
            // Four members, four partitions: at least one of the two that hold these rows moves while its rows run.
            List<SimpleMeterRegistry> meters = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                SimpleMeterRegistry registry = new SimpleMeterRegistry();
                meters.add(registry);
                shop.executor(shop.config, registry, Effects.handler("ship", command -> {
                    others.incrementAndGet();
                    return Result.success();
                }));
            }
            shop.awaitUntil(() -> meters.stream()
                            .mapToDouble(
                                    registry -> Shop.count(registry, "tailrace.executor.stepped.back", "why", "busy"))
                            .sum()
                    > 2);
            fail.countDown();
            for (List<UUID> ofKey : rows.values()) {
                assertThat(shop.answersTo(ofKey.get(0), 1))
                        .allSatisfy(answer -> assertThat(answer)
                                .containsEntry("tailrace-kind", "failed")
                                .containsEntry("tailrace-turn", "1"));
                assertThat(shop.row(ofKey.get(0))).containsEntry("attempts", "1");
                for (UUID follower : ofKey.subList(1, 4)) {
                    assertThat(shop.answersTo(follower, 1))
                            .allSatisfy(answer -> assertThat(answer)
                                    .containsEntry("tailrace-kind", "behind")
                                    .containsEntry("tailrace-attempt", "0"));
                }
            }
            assertThat(others).hasValue(0);
            assertThat(shop.count("SELECT count(*) FROM effect")).isZero();
            shop.awaitAllPassed();
        }
    }

    @Test
    void stampedButNotSentIsSentAgainAndNotRunAgain(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            AtomicInteger runs = new AtomicInteger();
            shop.executor(
                    Effects.handler("fails", command -> {
                        runs.incrementAndGet();
                        return Result.failure("no");
                    }),
                    Effects.handler("refuses", command -> {
                        runs.incrementAndGet();
                        return Result.rejected("never");
                    }),
                    Effects.handler("ship", command -> {
                        runs.incrementAndGet();
                        return Result.success();
                    }));
            UUID waits = shop.due("fails", "o-1");
            UUID dead = shop.due("refuses", "o-2");
            UUID done = shop.due("ship", "o-3");
            shop.answersTo(waits, 1);
            shop.answersTo(dead, 1);
            shop.awaitStatus(done, "COMPLETED");
            // What the next owner reads when the last one died after its stamp: the same records.
            shop.due(waits, "fails", "o-1", 0);
            shop.due(dead, "refuses", "o-2", 0);
            shop.due(done, "ship", "o-3", 0);
            shop.redelivered(done, "ship", "o-3", 0, "1:7");
            for (UUID id : List.of(waits, dead)) {
                List<Map<String, @Nullable String>> answers = shop.answersTo(id, 2);
                for (String same : List.of(
                        "tailrace-kind",
                        "tailrace-turn",
                        "tailrace-place",
                        "tailrace-attempt",
                        "tailrace-not-before",
                        "tailrace-failed-at",
                        "tailrace-reason",
                        "tailrace-error-class",
                        "tailrace-error-message")) {
                    assertThat(answers.get(1).get(same))
                            .as(same)
                            .isEqualTo(answers.get(0).get(same));
                }
            }
            assertThat(shop.answersTo(done, 1))
                    .hasSize(1)
                    .allSatisfy(answer -> assertThat(answer).containsEntry("tailrace-kind", "done"));
            assertThat(runs).hasValue(3);
            shop.awaitAllPassed();
        }
    }

    /** A requeue is DEAD → PENDING in the row with a higher turn; what comes back carries it. */
    @Test
    void aRequeuedRowRunsAtItsNewTurnAndItsOldTurnDoesNot(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            AtomicBoolean mended = new AtomicBoolean();
            shop.executor(
                    Effects.handler("ship", command -> mended.get() ? Result.success() : Result.rejected("broken")));
            UUID id = shop.due("ship", "o-1");
            ConsumerRecord<byte[], byte[]> dead = shop.answerRecordsTo(id, 1).get(0);
            mended.set(true);
            // Not while its death is being noted.
            shop.awaitCount("SELECT count(*) WHERE tailrace.requeue_command('" + id + "') = 'OK'", 1);
            assertThat(shop.row(id)).containsEntry("status", "PENDING").containsEntry("turn", "2");
            shop.release(dead);
            assertThat(shop.answersTo(id, 2).get(1)).containsEntry("tailrace-turn", "2");
            assertThat(shop.effects(id)).isZero();
            shop.redelivered(id, "ship", "o-1", 2, "1:0");
            shop.awaitStatus(id, "COMPLETED");
            assertThat(shop.effects(id)).isEqualTo(1);
            assertThat(shop.answersTo(id, 3).get(2)).containsEntry("tailrace-kind", "done");
            assertThat(shop.config.topicNames().retry(Topics.COMMANDS)).isNotEmpty();
        }
    }
}
