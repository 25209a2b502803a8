package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.config.ExecutorConfig;
import io.tailrace.contract.config.ExecutorConfig.MissingHandler;
import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.handler.Result;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Names that do not run for now, on a real database and a real broker. The test is the lane: it releases what was woken. */
@RealParts
class HoldsTest {

    private static final String HELD = "SELECT count(*) FROM tailrace.internal_command WHERE hold = 'ship'";

    @Test
    void aPausedNameWaitsThroughRestartsAndRunsInOrderWhenItIsResumed(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            stack.execute("SELECT tailrace.pause_commands('ship', 'ops', 'stocktaking')");
            CommandExecutor first = shop.executor(Effects.succeeding("ship"), Effects.succeeding("bill"));
            UUID keyed = shop.due("ship", "o-1");
            UUID unkeyed = shop.due("ship", null);
            UUID behind = shop.due("bill", "o-1");
            UUID other = shop.due("bill", "o-2");
            assertHeld(shop, keyed);
            assertHeld(shop, unkeyed);
            assertThat(shop.answersTo(behind, 1).get(0)).containsEntry("tailrace-kind", "behind");
            shop.awaitStatus(other, "COMPLETED");
            shop.awaitAllPassed();
            first.close();

            shop.executor(Effects.succeeding("ship"), Effects.succeeding("bill"));
            UUID later = shop.due("ship", "o-3");
            assertHeld(shop, later);
            assertThat(shop.effects(keyed) + shop.effects(later)).isZero();

            stack.execute("SELECT tailrace.resume_commands('ship')");
            shop.awaitCount(HELD, 0);
            for (UUID id : List.of(keyed, unkeyed, later)) {
                release(shop, id);
                assertThat(shop.awaitStatus(id, "COMPLETED")).containsEntry("attempts", "0");
            }
            shop.release(shop.answerRecordsTo(behind, 1).get(0));
            shop.awaitStatus(behind, "COMPLETED");
            assertThat(shop.effectsOf("o-1")).containsExactly(keyed.toString(), behind.toString());
        }
    }

    @Test
    void aPausedNameIsHeldByExecutorsThatRunAlready(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            shop.executor(Effects.succeeding("ship"));
            shop.awaitStatus(shop.due("ship", null), "COMPLETED");
            stack.execute("SELECT tailrace.pause_commands('ship')");
            // It may not have been heard of yet; it is within a second.
            shop.awaitUntil(() -> {
                UUID id = shop.due("ship", null);
                shop.awaitUntil(() -> !"PENDING".equals(shop.row(id).get("status"))
                        || "ship".equals(shop.row(id).get("hold")));
                return "ship".equals(shop.row(id).get("hold"));
            });
        }
    }

    @Test
    void whatCannotBeWrittenDownOfOneNameStopsNoOther(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            stack.execute("ALTER TABLE tailrace.pause ADD CHECK (name <> 'bill')");
            CommandHandler down = new CommandHandler() {
                @Override
                public Set<String> names() {
                    return Set.of("bill", "mail");
                }

                @Override
                public Result handle(CommandContext command) {
                    return Result.unavailable("bank", Duration.ofMinutes(1));
                }
            };
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            shop.executor(shop.config, meters, down, Effects.succeeding("ship"));
            for (int n = 0; n < 10; n++) {
                shop.answersTo(shop.due("bill", "b-" + n), 1);
            }
            assertThat(meters.get("tailrace.executor.unavailable.age")
                            .tag("name", "bill")
                            .gauge()
                            .value())
                    .isPositive();
            // What others write is heard of meanwhile, and what is learnt here after it is written down as well.
            stack.execute("SELECT tailrace.pause_commands('ship')");
            shop.awaitUntil(() -> {
                UUID id = shop.due("ship", null);
                shop.awaitUntil(() -> !"PENDING".equals(shop.row(id).get("status"))
                        || "ship".equals(shop.row(id).get("hold")));
                return "ship".equals(shop.row(id).get("hold"));
            });
            for (int n = 0; n < 10; n++) {
                shop.due("mail", "m-" + n);
            }
            shop.awaitCount("SELECT count(*) FROM tailrace.pause WHERE name = 'mail' AND kind = 'broken'", 1);
        }
    }

    @Test
    void whatAnOperatorDoesToAHeldCommandCounts(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            stack.execute("SELECT tailrace.pause_commands('ship')");
            shop.executor(Effects.succeeding("ship"));
            UUID cancelled = shop.due("ship", null);
            UUID hurried = shop.due("ship", null);
            assertHeld(shop, cancelled);
            assertHeld(shop, hurried);
            stack.execute(
                    "SELECT tailrace.cancel_command('" + cancelled + "')",
                    "SELECT tailrace.run_command_now('" + hurried + "')");
            release(shop, cancelled);
            release(shop, hurried);
            // One of them is still of a paused name, and is held anew.
            shop.awaitUntil(() -> "3".equals(shop.row(hurried).get("turn")));
            assertThat(shop.row(hurried)).containsEntry("hold", "ship").containsEntry("status", "PENDING");
            assertThat(shop.row(cancelled)).containsEntry("hold", null).containsEntry("status", "CANCELLED");
            assertThat(shop.effects(hurried) + shop.effects(cancelled)).isZero();
        }
    }

    /** As a crash between two transactions, or a resume that met a stamp, leaves it. */
    @Test
    void aRowThatIsHeldByANameThatIsNotIsWoken(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            UUID id = shop.insert("ship", null);
            stack.execute("UPDATE tailrace.internal_command SET turn = 1, place = (1::bigint << 48) + 5, hold = 'ship',"
                    + " not_before = 'infinity' WHERE id = '" + id + "'");
            shop.executor(Effects.succeeding("ship"));
            shop.awaitCount(HELD, 0);
            assertThat(shop.row(id)).containsEntry("turn", "2");
            release(shop, id);
            shop.awaitStatus(id, "COMPLETED");
        }
    }

    @Test
    void aNameWithoutAHandlerWaitsForAnExecutorThatHasOne(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack, config(MissingHandler.WAIT, Map.of()))) {
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            CommandExecutor old = shop.executor(shop.config, meters, Effects.succeeding("bill"));
            UUID id = shop.due("ship", "o-1");
            assertThat(shop.answersTo(id, 1).get(0)).containsEntry("tailrace-error-class", "HandlerMissing");
            assertHeld(shop, id);
            assertThat(shop.count("SELECT count(*) FROM tailrace.pause WHERE name = 'ship' AND kind = 'missing'"))
                    .isEqualTo(1);
            assertThat(meters.get("tailrace.executor.handler.missing").counter().count())
                    .isEqualTo(1);
            old.close();
            shop.executor(Effects.succeeding("ship"));
            shop.awaitCount(HELD, 0);
            release(shop, id);
            assertThat(shop.awaitStatus(id, "COMPLETED")).containsEntry("attempts", "0");
            assertThat(shop.count("SELECT count(*) FROM tailrace.pause")).isZero();
        }
    }

    @Test
    void whatIsSwitchedOffWaitsForAnExecutorWhereItIsNot(Stack stack) throws Exception {
        ExecutorConfig off = config(MissingHandler.DEAD, Map.of("ship", "the port is closed"));
        try (Shop shop = Shop.open(stack, off)) {
            CommandExecutor closed = shop.executor(Effects.succeeding("ship"));
            UUID id = shop.due("ship", null);
            assertHeld(shop, id);
            assertThat(shop.row(id).get("last_error")).contains("ship is switched off: the port is closed");
            closed.close();
            shop.executor(
                    Configs.of(
                            stack.namespace(),
                            stack.postgres().port(),
                            stack.database(),
                            stack.bootstrapServers(),
                            config(MissingHandler.DEAD, Map.of())),
                    new SimpleMeterRegistry(),
                    Effects.succeeding("ship"));
            shop.awaitCount(HELD, 0);
            release(shop, id);
            shop.awaitStatus(id, "COMPLETED");
        }
    }

    @Test
    void aBrokenNameIsHeldUntilItsProbeGoesWell(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            AtomicBoolean down = new AtomicBoolean(true);
            AtomicInteger runs = new AtomicInteger();
            ConcurrentLinkedQueue<UUID> probes = new ConcurrentLinkedQueue<>();
            CommandHandler ship = Effects.handler("ship", command -> {
                runs.incrementAndGet();
                probes.add(command.id());
                return down.get() ? Result.unavailable("carrier", Duration.ofSeconds(1)) : Result.success();
            });
            shop.executor(shop.config, new SimpleMeterRegistry(), Handlers.of(ship));
            for (int n = 0; n < 10; n++) {
                shop.due("ship", "o-" + n);
            }
            shop.awaitCount(
                    "SELECT count(*) FROM tailrace.pause WHERE name = 'ship' AND kind = 'broken'"
                            + " AND note = 'carrier is unavailable'",
                    1);
            assertThat(runs.get()).isEqualTo(10);
            // While it is broken nothing else runs, but for one probe at a time.
            probes.clear();
            List<UUID> waiting = new ArrayList<>();
            for (int n = 0; n < 5; n++) {
                waiting.add(shop.due("ship", "p-" + n));
            }
            for (UUID id : waiting) {
                shop.answersTo(id, 1);
            }
            UUID probe = awaitProbe(shop);
            release(shop, probe);
            // It finds the carrier still away: it is held anew, and has used nothing.
            shop.awaitUntil(() -> probes.contains(probe));
            shop.awaitUntil(() -> "ship".equals(shop.row(probe).get("hold")));
            assertThat(shop.row(probe)).containsEntry("attempts", "0");

            down.set(false);
            UUID next = awaitProbe(shop);
            release(shop, next);
            shop.awaitStatus(next, "COMPLETED");
            shop.awaitCount("SELECT count(*) FROM tailrace.pause", 0);
            shop.awaitCount(HELD, 0);
            for (UUID id : waiting) {
                if (!id.equals(next)) {
                    release(shop, id);
                }
                assertThat(shop.awaitStatus(id, "COMPLETED")).containsEntry("attempts", "0");
                assertThat(shop.effects(id)).isEqualTo(1);
            }
        }
    }

    /** A name may break, and its probe be sent, between two looks of the executor to which the probe comes. */
    @Test
    void aProbeCountsThoughItsNameWasNotKnownToBeBroken(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch go = new CountDownLatch(1);
            shop.executor(Effects.handler("ship", command -> {
                running.countDown();
                go.await();
                return Result.success();
            }));
            UUID probe = shop.insert("ship", "o-1");
            stack.execute("UPDATE tailrace.internal_command SET turn = 2, place = (1::bigint << 48) + 5");
            release(shop, probe);
            running.await();
            stack.execute("INSERT INTO tailrace.pause (name, kind, probe, probe_at) VALUES ('ship', 'broken', '" + probe
                    + "', now() + interval '1 hour')");
            go.countDown();
            shop.awaitStatus(probe, "COMPLETED");
            shop.awaitCount("SELECT count(*) FROM tailrace.pause", 0);
        }
    }

    private static UUID awaitProbe(Shop shop) {
        String probe = "SELECT count(*) FROM tailrace.internal_command c JOIN tailrace.pause p ON p.probe = c.id"
                + " WHERE c.hold IS NULL AND c.not_before <= clock_timestamp()";
        shop.awaitCount(probe, 1);
        try (var connection = shop.stack.connect();
                var rows = connection.createStatement().executeQuery("SELECT probe FROM tailrace.pause")) {
            rows.next();
            return Objects.requireNonNull(rows.getObject(1, UUID.class));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void assertHeld(Shop shop, UUID id) throws SQLException {
        shop.awaitUntil(() -> "ship".equals(shop.row(id).get("hold")));
        assertThat(shop.answersTo(id, 1).get(0))
                .containsEntry("tailrace-kind", "failed")
                .containsEntry("tailrace-attempt", "0");
        Map<String, @Nullable String> row = shop.row(id);
        assertThat(row)
                .containsEntry("status", "PENDING")
                .containsEntry("attempts", "0")
                .containsEntry("not_before", "infinity");
    }

    /** As its lane does when it has heard that the row is to run now. */
    private static void release(Shop shop, UUID id) throws SQLException {
        Map<String, @Nullable String> row = shop.row(id);
        long place = Long.parseLong(Objects.requireNonNull(row.get("place")));
        shop.redelivered(
                id,
                Objects.requireNonNull(row.get("command_name")),
                row.get("ordering_key"),
                Integer.parseInt(Objects.requireNonNull(row.get("turn"))),
                (place >> 48) + ":" + (place & 0xFFFF_FFFF_FFFFL));
    }

    private static ExecutorConfig config(MissingHandler missing, Map<String, String> switchedOff) {
        return new ExecutorConfig(
                4, Configs.QUICK, Map.of(), Duration.ofSeconds(10), missing, Duration.ofSeconds(5), switchedOff);
    }
}
