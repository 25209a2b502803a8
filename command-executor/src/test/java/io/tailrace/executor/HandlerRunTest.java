package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.Result;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What a handler may do and what it is given, on a real database and a real broker. */
@RealParts
class HandlerRunTest {

    @Test
    void theTransactionIsNotTheHandlersToEnd(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            ConcurrentLinkedQueue<String> refusals = new ConcurrentLinkedQueue<>();
            ConcurrentLinkedQueue<Connection> kept = new ConcurrentLinkedQueue<>();
            shop.executor(
                    Effects.handler("ends", command -> {
                        Connection connection = command.connection();
                        kept.add(connection);
                        List<Attempt> attempts = List.of(
                                connection::commit,
                                connection::rollback,
                                connection::close,
                                () -> connection.setAutoCommit(true),
                                () -> connection.abort(Runnable::run),
                                () -> connection.createStatement().execute("/* so */ COMMIT"),
                                () -> connection.prepareStatement("rollback work"),
                                () -> connection.createStatement().execute("SELECT 1; COMMIT"),
                                () -> connection.prepareStatement("SELECT set_config('app.tenant', 'a', false)"),
                                () -> connection.createStatement().execute("SELECT pg_advisory_lock(7)"),
                                () -> connection
                                        .createStatement()
                                        .getConnection()
                                        .commit(),
                                () -> connection.getMetaData().getConnection().commit());
                        for (Attempt attempt : attempts) {
                            try {
                                attempt.make();
                            } catch (SQLException refused) {
                                refusals.add(String.valueOf(refused.getMessage()));
                            }
                        }
                        return Result.success();
                    }),
                    Effects.handler("savepoints", command -> {
                        Savepoint before = command.connection().setSavepoint("mine");
                        Effects.write(command, "taken back");
                        command.connection().rollback(before);
                        return Result.success();
                    }),
                    Effects.handler("around", command -> {
                        // The driver's own: the claim is gone with its transaction, and the handler is told what it
                        // did.
                        command.connection().unwrap(Connection.class).commit();
                        return Result.success();
                    }),
                    Effects.handler("swallows", command -> {
                        try (Statement statement = command.connection().createStatement()) {
                            statement.execute("SELECT 1/0");
                        } catch (SQLException swallowed) {
                            refusals.add("swallowed");
                        }
                        return Result.success();
                    }));
            UUID ends = shop.due("ends", null);
            UUID savepoints = shop.due("savepoints", null);
            UUID around = shop.due("around", null);
            UUID swallows = shop.due("swallows", null);
            shop.awaitStatus(ends, "COMPLETED");
            shop.awaitStatus(savepoints, "COMPLETED");
            assertThat(shop.effects(ends)).isEqualTo(1);
            assertThat(shop.effects(savepoints)).isEqualTo(1);
            assertThat(refusals.stream().filter(text -> text.contains("is refused")))
                    .hasSize(12);
            assertThat(shop.answersTo(around, 1).get(0))
                    .containsEntry("tailrace-kind", "failed")
                    .containsEntry("tailrace-error-class", "TransactionGone");
            assertThat(shop.answersTo(swallows, 1).get(0)).containsEntry("tailrace-kind", "failed");
            assertThat(shop.effects(swallows)).isZero();
            assertThat(kept).allSatisfy(connection -> {
                assertThat(connection).isNotNull();
                org.assertj.core.api.Assertions.assertThatThrownBy(connection::createStatement)
                        .hasMessageContaining("is over");
            });
        }
    }

    private interface Attempt {
        void make() throws SQLException;
    }

    @Test
    void aHandlerThatOutlastsItsTimeoutUsesAnAttemptAndStopsNobodyElse(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack, Configs.withTimeout(Duration.ofMillis(500)))) {
            CountDownLatch never = new CountDownLatch(1);
            shop.executor(
                    Effects.handler("sleeps", command -> {
                        never.await();
                        return Result.success();
                    }),
                    Effects.handler("queries", command -> {
                        try (Statement statement = command.connection().createStatement()) {
                            statement.execute("SELECT pg_sleep(60)");
                        }
                        return Result.success();
                    }),
                    Effects.succeeding("quick"));
            UUID sleeps = shop.due("sleeps", "a");
            UUID queries = shop.due("queries", "b");
            UUID quick = shop.due("quick", "c");
            shop.awaitStatus(quick, "COMPLETED");
            assertThat(shop.answersTo(sleeps, 1).get(0))
                    .containsEntry("tailrace-kind", "failed")
                    .containsEntry("tailrace-attempt", "1")
                    .containsEntry("tailrace-error-class", "Timeout");
            assertThat(shop.answersTo(queries, 1).get(0)).containsEntry("tailrace-error-class", "Timeout");
            assertThat(shop.effects(sleeps) + shop.effects(queries)).isZero();
        }
    }

    @Test
    void originReachesTheHandlerAndTheRowsItInserts(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            ConcurrentLinkedQueue<CommandContext> seen = new ConcurrentLinkedQueue<>();
            shop.executor(Effects.handler("ship.v2", command -> {
                seen.add(command);
                command.outbox()
                        .publish(
                                command.connection(),
                                io.tailrace.client.Event.of("sales.shipped").json("{}"));
                command.commands()
                        .schedule(
                                command.connection(),
                                io.tailrace.client.Command.of("bill").json("{}"));
                return Result.success();
            }));
            UUID id = shop.due("ship.v2", "o-1");
            shop.awaitStatus(id, "COMPLETED");
            CommandContext command = seen.remove();
            assertThat(command.origin().tenantId()).isEqualTo("acme");
            assertThat(command.origin().userRoles()).isEqualTo("clerk,admin");
            assertThat(command.origin().causationId())
                    .as("of whoever scheduled it")
                    .isEqualTo("k-1");
            assertThat(command.version()).isEqualTo(2);
            assertThat(command.headers()).containsExactly(Map.entry("channel", "web"));
            assertThat(command.payload().orElseThrow().utf8()).isEqualTo("{\"n\": 1}");
            String same =
                    " WHERE tenant_id = 'acme' AND user_id = 'u7' AND user_roles = 'clerk,admin' AND correlation_id = 'c-1'"
                            + " AND causation_id = '" + id + "' AND traceparent LIKE '00-4bf9%'";
            assertThat(shop.count("SELECT count(*) FROM tailrace.outbox" + same))
                    .isEqualTo(1);
            assertThat(shop.count(
                            "SELECT count(*) FROM tailrace.internal_command" + same + " AND command_name = 'bill'"))
                    .isEqualTo(1);
        }
    }

    @Test
    void aSuccessorUnderTheSameDedupKeyIsScheduledByTheRunItself(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            shop.executor(Effects.handler("tick", command -> {
                command.commands()
                        .schedule(
                                command.connection(),
                                io.tailrace.client.Command.of("tick")
                                        .json("{}")
                                        .dedup("the-tick", io.tailrace.client.OnDuplicate.REJECT),
                                Duration.ofHours(1));
                return Result.success();
            }));
            UUID id = shop.insert("tick", null);
            stack.execute("UPDATE tailrace.internal_command SET dedup_key = 'the-tick' WHERE id = '" + id + "'");
            shop.due(id, "tick", null, 0);
            shop.awaitStatus(id, "COMPLETED");
            assertThat(shop.effects(id)).isEqualTo(1);
            assertThat(
                            shop.count(
                                    "SELECT count(*) FROM tailrace.internal_command WHERE dedup_key = 'the-tick' AND status = 'PENDING'"))
                    .isEqualTo(1);
        }
    }
}
