package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.record.Kind;
import io.tailrace.executor.handler.Result;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Rows of a key that one worker runs one after the other do not wait for the disk each. What the server loses in a crash must come again,
 * and what was told must be there.
 */
@RealParts
class InARowTest {

    /** Else it would bring to the disk within a moment what nobody has waited for. */
    @BeforeEach
    void letTheWalWriterSleep(Stack stack) throws SQLException {
        stack.execute("ALTER SYSTEM SET wal_writer_delay = '10s'");
        stack.execute("SELECT pg_reload_conf()");
    }

    @AfterEach
    void wakeTheWalWriter(Stack stack) throws SQLException {
        stack.execute("ALTER SYSTEM RESET wal_writer_delay");
        stack.execute("SELECT pg_reload_conf()");
    }

    @Test
    void whatACrashTakesBackRunsAgainInItsOrder(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            CountDownLatch queued = new CountDownLatch(1);
            CountDownLatch half = new CountDownLatch(1);
            CountDownLatch down = new CountDownLatch(1);
            AtomicInteger runs = new AtomicInteger();
            shop.executor(Effects.handler("ship", command -> {
                int run = runs.incrementAndGet();
                if (run == 1) {
                    queued.await();
                } else if (run == 12) {
                    half.countDown();
                    down.await();
                }
                return Result.success();
            }));
            List<UUID> ids = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                ids.add(shop.due("ship", "hot"));
            }
            queued.countDown();
            half.await();
            stack.postgres().stopImmediate();
            down.countDown();
            stack.postgres().start();
            shop.awaitCount(
                    "SELECT count(*) FROM tailrace.internal_command WHERE status = 'COMPLETED' AND attempts = 0 AND turn = 0",
                    40);
            assertThat(shop.effectsOf("hot"))
                    .containsExactlyElementsOf(ids.stream().map(UUID::toString).toList());
            shop.awaitAllPassed();
        }
    }

    @Test
    void whatIsAnsweredIsOnTheDisk(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack);
                Connection open = stack.connect()) {
            CountDownLatch queued = new CountDownLatch(1);
            shop.executor(
                    Effects.handler("first", command -> {
                        queued.await();
                        return Result.success();
                    }),
                    Effects.succeeding("ship"));
            shop.redelivered(shop.insert("first", "hot"), "first", "hot", 0, "1:1");
            List<UUID> done = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                UUID id = shop.insert("ship", "hot");
                done.add(id);
                shop.redelivered(id, "ship", "hot", 0, "1:" + (i + 2));
            }
            // Nobody knows what becomes of this one, so the row before it is the last that is done.
            open.setAutoCommit(false);
            UUID unseen = Shop.insert(open, "ship", "hot");
            shop.redelivered(unseen, "ship", "hot", 0, "1:9", xid(open));
            queued.countDown();
            for (UUID id : done) {
                assertThat(shop.answersTo(id, 1).get(0)).containsEntry("tailrace-kind", Kind.DONE.text());
            }
            stack.postgres().stopImmediate();
            stack.postgres().start();
            for (UUID id : done) {
                assertThat(shop.row(id)).containsEntry("status", "COMPLETED");
                assertThat(shop.effects(id)).isEqualTo(1);
            }
            assertThat(shop.answersTo(unseen, 1).get(0)).containsEntry("tailrace-reason", "row-gone");
        }
    }

    @Test
    void aRowThatFailsLeavesThoseBeforeItDoneAndThoseBehindItBehind(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            CountDownLatch queued = new CountDownLatch(1);
            shop.executor(
                    Effects.handler("first", command -> {
                        queued.await();
                        return Result.success();
                    }),
                    Effects.succeeding("ship"),
                    Effects.handler("fail", command -> Result.failure("no")));
            List<UUID> ids = new ArrayList<>();
            String[] names = {"first", "ship", "ship", "fail", "ship", "ship"};
            for (int i = 0; i < names.length; i++) {
                UUID id = shop.insert(names[i], "hot");
                ids.add(id);
                shop.redelivered(id, names[i], "hot", 0, "1:" + (i + 1));
            }
            queued.countDown();
            var answers = shop.answers(6);
            assertThat(Shop.idsOf(answers, Kind.DONE))
                    .containsExactlyElementsOf(
                            ids.subList(0, 3).stream().map(UUID::toString).toList());
            assertThat(Shop.idsOf(answers, Kind.FAILED))
                    .containsExactly(ids.get(3).toString());
            assertThat(Shop.idsOf(answers, Kind.BEHIND))
                    .containsExactlyElementsOf(
                            ids.subList(4, 6).stream().map(UUID::toString).toList());
            assertThat(shop.effectsOf("hot"))
                    .containsExactlyElementsOf(
                            ids.subList(0, 3).stream().map(UUID::toString).toList());
        }
    }

    /** The next one of the key is somebody else's turn, who has it for long. */
    @Test
    void whatIsDoneIsToldThoughTheKeyIsTaken(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack);
                Connection other = stack.connect();
                Connection watch = stack.connect()) {
            other.setAutoCommit(false);
            Trouble.count(watch, Trouble.WAITING_FOR_A_KEY);
            CountDownLatch queued = new CountDownLatch(1);
            CountDownLatch take = new CountDownLatch(1);
            Thread keyTaken = new Thread(() -> {
                try {
                    take.await();
                    Trouble.takeKey(shop, other, "hot");
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            keyTaken.start();
            AtomicInteger runs = new AtomicInteger();
            shop.executor(
                    Effects.handler("first", command -> {
                        queued.await();
                        return Result.success();
                    }),
                    Effects.handler("ship", command -> {
                        if (runs.incrementAndGet() == 3) {
                            // At once: a worker does not go on for long.
                            take.countDown();
                            while (Trouble.count(watch, Trouble.WAITING_FOR_A_KEY) == 0) {
                                Thread.onSpinWait();
                            }
                        }
                        return Result.success();
                    }));
            shop.redelivered(shop.insert("first", "hot"), "first", "hot", 0, "1:1");
            List<UUID> ids = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                UUID id = shop.insert("ship", "hot");
                ids.add(id);
                shop.redelivered(id, "ship", "hot", 0, "1:" + (i + 2));
            }
            queued.countDown();
            for (UUID id : ids.subList(0, 3)) {
                assertThat(shop.answersTo(id, 1).get(0)).containsEntry("tailrace-kind", Kind.DONE.text());
            }
            assertThat(runs).hasValue(3);
            keyTaken.join();
            other.rollback();
            shop.awaitStatus(ids.get(4), "COMPLETED");
            assertThat(shop.effectsOf("hot"))
                    .endsWith(Shop.texts(ids.toArray(UUID[]::new)).toArray(String[]::new));
        }
    }

    private static long xid(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_current_xact_id()::text::bigint & 4294967295")) {
            row.next();
            return row.getLong(1);
        }
    }
}
