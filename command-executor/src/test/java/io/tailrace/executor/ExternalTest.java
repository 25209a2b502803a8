package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.contract.config.ExecutorConfig;
import io.tailrace.contract.config.ExecutorConfig.MissingHandler;
import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.ExternalContext;
import io.tailrace.executor.handler.ExternalHandler;
import io.tailrace.executor.handler.Result;
import io.tailrace.executor.handler.RunningCommand;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TcpProxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** What an external handler does happens at least once, by one worker at a time, and an outage of it or of a worker is bounded. */
@RealParts
class ExternalTest {

    /** For a process to start and to join its group. */
    private static final Duration CHILD = Duration.ofMinutes(2);

    /** What a handler does. */
    private interface Body {
        Result run(ExternalContext command) throws Exception;
    }

    @Test
    void aRunKeepsItsRowPastTheLeaseAndNobodyElseRunsIt(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack, lease(Duration.ofSeconds(2)))) {
            AtomicInteger now = new AtomicInteger();
            List<Integer> together = new CopyOnWriteArrayList<>();
            CountDownLatch done = new CountDownLatch(1);
            ExternalHandler slow = external("call", command -> {
                together.add(now.incrementAndGet());
                try {
                    assertThat(MDC.get("rowId")).isEqualTo(command.id().toString());
                    assertThat(RunningCommand.current().map(CommandContext::id)).contains(command.id());
                    assertThat(command.origin().userId()).isEqualTo("u7");
                    done.await();
                } finally {
                    now.decrementAndGet();
                }
                return Result.success();
            });
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            shop.executor(shop.config, meters, slow);
            UUID id = shop.insert("call", null);
            shop.due(id, "call", null, 0);
            shop.awaitUntil(() -> together.size() == 1);
            assertThat(shop.count("SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'"))
                    .as("no transaction is open")
                    .isZero();
            // The record again, and as a lane would send it: to other workers, of this and of another executor.
            shop.executor(shop.config, meters, slow);
            shop.due(id, "call", null, 0);
            shop.redelivered(id, "call", null, 0, "1:0");
            shop.awaitMeter(meters, "tailrace.executor.stepped.back", "why", "busy", 2);
            String first = shop.row(id).get("claimed_until");
            // Renewed at least three times: the first lease is long over.
            shop.awaitCount(
                    "SELECT count(*) FROM tailrace.internal_command WHERE claimed_until > '" + first
                            + "'::timestamptz + interval '2 seconds'",
                    1);
            assertThat(answerOf(shop, "SELECT tailrace.cancel_command('" + id + "')"))
                    .isEqualTo("RUNNING");
            assertThat(answerOf(shop, "SELECT tailrace.run_command_now('" + id + "')"))
                    .isEqualTo("RUNNING");
            done.countDown();
            assertThat(shop.awaitStatus(id, "COMPLETED"))
                    .containsEntry("attempts", "0")
                    .containsEntry("turn", "0")
                    .containsEntry("claim_token", null)
                    .containsEntry("claimed_until", null);
            assertThat(shop.answersTo(id, 1).get(0)).containsEntry("tailrace-kind", "done");
            assertThat(together).containsExactly(1);
            shop.awaitAllPassed();
        }
    }

    @Test
    void laterRowsOfItsKeyWaitBehindIt(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack, lease(Duration.ofSeconds(30)))) {
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch done = new CountDownLatch(1);
            shop.executor(
                    external("call", command -> {
                        running.countDown();
                        done.await();
                        return Result.success();
                    }),
                    Effects.succeeding("ship"));
            UUID head = shop.due("call", "k");
            UUID queued = shop.due("ship", "k");
            running.await();
            UUID released = shop.insert("ship", "k");
            shop.redelivered(released, "ship", "k", 0, "1:90");
            assertThat(shop.answersTo(released, 1).get(0))
                    .containsEntry("tailrace-kind", "behind")
                    .containsEntry("tailrace-behind", head.toString());
            UUID other = shop.due("ship", "another");
            shop.awaitStatus(other, "COMPLETED");
            assertThat(shop.effectsOf("k")).isEmpty();
            done.countDown();
            shop.awaitStatus(queued, "COMPLETED");
            assertThat(shop.row(head)).containsEntry("status", "COMPLETED");
        }
    }

    @Test
    void failuresUseAttemptsAndWhatCannotBeTriedDoesNot(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack, lease(Duration.ofSeconds(30)))) {
            AtomicInteger runs = new AtomicInteger();
            shop.executor(
                    external("fails", command -> {
                        throw new IllegalStateException("mailbox full");
                    }),
                    external(
                            "snoozes",
                            command -> runs.incrementAndGet() == 1
                                    ? Result.unavailable("mail", Duration.ZERO)
                                    : Result.success()),
                    external("rejects", command -> Result.rejected("no such address")),
                    new ExternalHandler() {
                        @Override
                        public Set<String> names() {
                            return Set.of("hangs");
                        }

                        @Override
                        public java.util.Optional<Duration> timeout() {
                            return java.util.Optional.of(Duration.ofMillis(200));
                        }

                        @Override
                        public Result call(ExternalContext command) throws Exception {
                            new CountDownLatch(1).await();
                            return Result.success();
                        }
                    });
            UUID fails = shop.due("fails", "a");
            UUID snoozes = shop.due("snoozes", "b");
            UUID rejects = shop.due("rejects", "c");
            UUID hangs = shop.due("hangs", "d");
            assertThat(shop.answersTo(fails, 1).get(0))
                    .containsEntry("tailrace-kind", "failed")
                    .containsEntry("tailrace-attempt", "1")
                    .containsEntry("tailrace-error-message", "mailbox full");
            assertThat(shop.row(fails)).containsEntry("turn", "1").containsEntry("claim_token", null);
            assertThat(shop.answersTo(rejects, 1).get(0))
                    .containsEntry("tailrace-kind", "dead")
                    .containsEntry("tailrace-reason", "rejected");
            assertThat(shop.answersTo(hangs, 1).get(0))
                    .containsEntry("tailrace-attempt", "1")
                    .containsEntry("tailrace-error-class", "Timeout");
            assertThat(shop.answersTo(snoozes, 1).get(0)).containsEntry("tailrace-attempt", "0");
            shop.release(shop.answerRecordsTo(snoozes, 1).get(0));
            assertThat(shop.awaitStatus(snoozes, "COMPLETED")).containsEntry("attempts", "0");
        }
    }

    @Test
    void aRunThatTakesNoNoticeOfItsTimeoutDoesNotKeepItsRow(Stack stack) throws Exception {
        ExecutorConfig config = Configs.withTimeout(Duration.ofMillis(200)).with(Duration.ofSeconds(2), Map.of());
        try (Shop shop = Shop.open(stack, config)) {
            CountDownLatch answered = new CountDownLatch(1);
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            CommandHandler inTransaction = Effects.handler("stubborn", command -> {
                awaitUninterruptibly(answered);
                return Result.success();
            });
            CommandExecutor executor = shop.executor(shop.config, meters, inTransaction, new ExternalHandler() {
                @Override
                public Set<String> names() {
                    return Set.of("deaf");
                }

                @Override
                public java.util.Optional<Duration> timeout() {
                    return java.util.Optional.of(Duration.ofMillis(200));
                }

                @Override
                public Result call(ExternalContext command) {
                    // As in a read of a socket.
                    awaitUninterruptibly(answered);
                    return Result.success();
                }
            });
            UUID id = shop.due("deaf", null);
            UUID stubborn = shop.due("stubborn", null);
            shop.awaitUntil(() -> outlasting(meters) == 2);
            Health health = executor.health();
            assertThat(health.state()).isEqualTo(Health.State.WAITING);
            assertThat(health.detail())
                    .containsPattern("rowId=(" + id + " name=deaf|" + stubborn + " name=stubborn), and 1 more");
            shop.awaitCount(
                    "SELECT count(*) FROM tailrace.internal_command WHERE claimed_until < clock_timestamp()", 1);
            shop.redelivered(id, "deaf", null, 0, "1:0");
            assertThat(shop.answersTo(id, 1).get(0))
                    .containsEntry("tailrace-attempt", "1")
                    .containsEntry("tailrace-error-class", "ClaimExpired");
            answered.countDown();
            shop.awaitMeter(meters, "tailrace.executor.stepped.back", "why", "fenced", 1);
            assertThat(shop.row(id)).containsEntry("status", "PENDING").containsEntry("attempts", "1");
            assertThat(shop.answersTo(stubborn, 1).get(0))
                    .containsEntry("tailrace-attempt", "1")
                    .containsEntry("tailrace-error-class", "Timeout");
            shop.awaitUntil(() -> executor.health().isReady() && outlasting(meters) == 0);
            shop.awaitAllPassed();
        }
    }

    private static int outlasting(SimpleMeterRegistry meters) {
        return (int) meters.get("tailrace.executor.outlasting").gauge().value();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException ignored) {
                // That is what it is for.
            }
        }
    }

    @Test
    void aStopGivesItBackAndUsesNoAttempt(Stack stack) throws Exception {
        ExecutorConfig config = new ExecutorConfig(
                        4, Configs.QUICK, Map.of(), Duration.ofSeconds(60), MissingHandler.DEAD, Duration.ofMillis(300))
                .with(Duration.ofMinutes(5), Map.of());
        try (Shop shop = Shop.open(stack, config)) {
            CountDownLatch running = new CountDownLatch(1);
            CommandExecutor executor = shop.executor(external("call", command -> {
                running.countDown();
                new CountDownLatch(1).await();
                return Result.success();
            }));
            UUID id = shop.due("call", "k");
            running.await();
            executor.close();
            assertThat(shop.row(id))
                    .containsEntry("status", "PENDING")
                    .containsEntry("attempts", "0")
                    .containsEntry("turn", "0")
                    .containsEntry("claim_token", null);
            shop.executor(external("call", command -> Result.success()));
            assertThat(shop.awaitStatus(id, "COMPLETED")).containsEntry("attempts", "0");
        }
    }

    /** The lease is five minutes long: nobody waits for it, because its owner knows that the handler has not begun. */
    @Test
    void aClaimOfWhichNobodyHeardIsGivenBack(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack, lease(Duration.ofMinutes(5)));
                TcpProxy proxy = TcpProxy.to("127.0.0.1", stack.postgres().port())) {
            Trouble.slowCommits(stack, "NEW.claim_token IS NOT NULL");
            AtomicInteger runs = new AtomicInteger();
            shop.executor(Trouble.through(proxy, shop), new SimpleMeterRegistry(), external("call", command -> {
                runs.incrementAndGet();
                return Result.success();
            }));
            UUID id = shop.due("call", "k");
            shop.awaitCount(Trouble.IN_A_SLOW_COMMIT, 1);
            proxy.abandonAll();
            assertThat(shop.awaitStatus(id, "COMPLETED"))
                    .containsEntry("attempts", "0")
                    .containsEntry("turn", "0");
            assertThat(runs).hasValue(1);
            assertThat(shop.allAnswers()).isEmpty();
        }
    }

    @Test
    void theRowOfAKilledWorkerIsTakenOverWithOneAttempt(Stack stack) throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (Shop shop = Shop.open(stack, lease(Duration.ofSeconds(3)));
                Dependency dependency =
                        new Dependency(number -> number == 1 ? exchange -> never.await() : Dependency.status(200))) {
            UUID id;
            UUID next;
            try (ChildJvm child = child(shop, dependency)) {
                id = shop.due("call", "k");
                next = shop.due("call", "k");
                child.awaitLine("calls", CHILD);
                shop.awaitUntil(() -> dependency.requests.size() == 1);
                child.kill();
            }
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            shop.executor(shop.config, meters, ChildExternal.calling(dependency.url()));
            // It does not know whether the effect has happened: nothing is called before the attempt is used.
            assertThat(shop.answersTo(id, 1).get(0))
                    .containsEntry("tailrace-kind", "failed")
                    .containsEntry("tailrace-attempt", "1")
                    .containsEntry("tailrace-turn", "1")
                    .containsEntry("tailrace-error-class", "ClaimExpired");
            assertThat(dependency.requests).hasSize(1);
            assertThat(shop.row(id)).containsEntry("claim_token", null).containsEntry("status", "PENDING");
            assertThat(shop.answersTo(next, 1).get(0)).containsEntry("tailrace-kind", "behind");
            shop.release(shop.answerRecordsTo(id, 1).get(0));
            assertThat(shop.awaitStatus(id, "COMPLETED")).containsEntry("attempts", "1");
            assertThat(dependency.requests)
                    .extracting(Dependency.Request::key)
                    .containsExactly(id.toString(), id.toString());
            never.countDown();
        }
    }

    @Test
    void whatAStoppedWorkerComesToAfterItsLeaseIsNotWritten(Stack stack) throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        try (Shop shop = Shop.open(stack, lease(Duration.ofSeconds(2)));
                Dependency dependency = new Dependency(number -> exchange -> {
                    (number == 1 ? first : second).await();
                    exchange.sendResponseHeaders(200, -1);
                });
                ChildJvm child = child(shop, dependency)) {
            UUID id = shop.due("call", "k");
            child.awaitLine("calls", CHILD);
            shop.awaitUntil(() -> dependency.requests.size() == 1);
            child.pause();
            shop.executor(ChildExternal.calling(dependency.url()));
            assertThat(shop.answersTo(id, 1).get(0)).containsEntry("tailrace-error-class", "ClaimExpired");
            shop.release(shop.answerRecordsTo(id, 1).get(0));
            shop.awaitUntil(() -> dependency.requests.size() == 2);
            // Now it is another worker's, whose call is under way; the first one's succeeds.
            first.countDown();
            child.resume();
            child.awaitLine("fenced", Shop.PATIENCE);
            assertThat(shop.row(id))
                    .containsEntry("status", "PENDING")
                    .containsEntry("attempts", "1")
                    .containsEntry("turn", "1");
            second.countDown();
            assertThat(shop.awaitStatus(id, "COMPLETED"))
                    .containsEntry("attempts", "1")
                    .containsEntry("turn", "1");
            assertThat(dependency.requests).hasSize(2);
        }
    }

    private static ChildJvm child(Shop shop, Dependency dependency) {
        return ChildJvm.of(ChildExternal.class)
                .arguments(
                        shop.stack.namespace(),
                        Integer.toString(shop.stack.postgres().port()),
                        shop.stack.database(),
                        shop.stack.bootstrapServers(),
                        Long.toString(shop.config.executor().externalLease().toMillis()),
                        dependency.url())
                .start();
    }

    private static ExecutorConfig lease(Duration lease) {
        return Configs.executor(4).with(lease, Map.of());
    }

    private static ExternalHandler external(String name, Body body) {
        return new ExternalHandler() {
            @Override
            public Set<String> names() {
                return Set.of(name);
            }

            @Override
            public Result call(ExternalContext command) throws Exception {
                return body.run(command);
            }
        };
    }

    private static String answerOf(Shop shop, String sql) throws SQLException {
        try (Connection connection = shop.stack.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
