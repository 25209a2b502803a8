package io.tailrace.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.client.Command;
import io.tailrace.client.Event;
import io.tailrace.client.OnDuplicate;
import io.tailrace.client.TailraceClient;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Origin;
import io.tailrace.contract.record.Reason;
import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.handler.Result;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The kit as an application's test would use it, on a real database. */
@RealParts
class TailraceTestingTest {

    private static final TailraceClient CLIENT = TailraceClient.create();

    record Job(int n) {}

    private Connection connection;

    @BeforeEach
    void begin(Stack stack) throws SQLException {
        try (Connection migrating = stack.connect()) {
            Schema.migrate(
                    migrating,
                    TableNames.DEFAULT,
                    Scope.ALL,
                    Ownership.of(new Namespace(stack.namespace()), stack.database()));
        }
        stack.execute(
                "CREATE TABLE parent (id int PRIMARY KEY)",
                "CREATE TABLE done (n int REFERENCES parent DEFERRABLE INITIALLY DEFERRED, at timestamptz DEFAULT now())");
        connection = stack.connect();
        connection.setAutoCommit(false);
    }

    @AfterEach
    void end() throws SQLException {
        connection.close();
    }

    @Test
    void whatATransactionHasScheduledAndPublishedIsThereToBeAsserted() throws Exception {
        CLIENT.commands()
                .schedule(
                        connection,
                        Command.of("billing.charge-card")
                                .key("order-7")
                                .json("{\"n\": 7, \"more\": 1}")
                                .header("channel", "web")
                                .dedup("charge:7", OnDuplicate.REJECT),
                        Instant.parse("2030-01-01T00:00:00Z"));
        CLIENT.commands().schedule(connection, Command.of("mail.send"), Instant.MAX);
        CLIENT.outbox()
                .publish(connection, Event.of("sales.ordered").key("order-7").json("{\"n\": 7}"));
        CLIENT.outbox().publish(connection, Event.of("sales.paid").version(2));
        TailraceTesting tailrace = TailraceTesting.on(connection);

        ScheduledCommand charge = tailrace.scheduled("billing.charge-card").only();
        assertThat(charge.key()).contains("order-7");
        assertThat(charge.runAt()).isEqualTo("2030-01-01T00:00:00Z");
        assertThat(charge.payloadAs(Job.class)).isEqualTo(new Job(7));
        assertThat(charge.content().headers()).containsEntry("channel", "web");
        assertThat(charge.dedupKey()).contains("charge:7");
        assertThat(charge.status()).isEqualTo("PENDING");
        assertThat(tailrace.scheduled("mail.send").only().runAt()).isEqualTo(Instant.MAX);
        assertThat(tailrace.published("sales.ordered").only().payloadAs(Job.class))
                .isEqualTo(new Job(7));
        assertThat(tailrace.scheduled()).extracting(Named::name).containsExactly("billing.charge-card", "mail.send");
        assertThat(tailrace.published("sales.paid").only().version()).hasValue(2);
        tailrace.scheduled("billing.refund").none();
    }

    @Test
    void whatIsNotThereIsAnsweredWithWhatIs() throws Exception {
        TailraceTesting tailrace = TailraceTesting.on(connection);
        assertThatThrownBy(() -> tailrace.published("sales.ordered").only())
                .isInstanceOf(AssertionError.class)
                .hasMessage(
                        "expected one event published named 'sales.ordered', there is none. There is nothing else either.");

        UUID id = CLIENT.commands()
                .schedule(
                        connection,
                        Command.of("billing.charge").key("k").json("{\"pin\": \"s3cret\"}"),
                        Instant.parse("2030-01-01T00:00:00Z"));
        assertThatThrownBy(() -> tailrace.scheduled("billing.charge-card").only())
                .isInstanceOf(AssertionError.class)
                .hasMessage(
                        "expected one command scheduled named 'billing.charge-card', there is none. All there are:\n"
                                + "  billing.charge PENDING key=k runAt=2030-01-01T00:00:00Z id=" + id);
        assertThatThrownBy(() -> tailrace.scheduled("billing.charge").none())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("expected no command scheduled named 'billing.charge', there is one");
        assertThatThrownBy(() -> tailrace.scheduled("billing.charge").only().payloadAs(Job[].class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("billing.charge PENDING");
        assertThatThrownBy(() -> tailrace.scheduled("x").get(0))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("billing.charge PENDING");
    }

    @Test
    void whatIsDueRunsInOrderAndTheTestTakesItAllBack(Stack stack) throws Exception {
        List<String> order = new ArrayList<>();
        CommandHandler step = handler("step", command -> {
            order.add(command.orderingKey().orElse("")
                    + command.payloadAs(Job.class).n());
            write(command, command.payloadAs(Job.class).n());
            command.outbox().publish(command.connection(), Event.of("steps.taken"));
            if (command.payloadAs(Job.class).n() == 1) {
                command.commands().schedule(command.connection(), job("step", "a", 4));
                command.commands().schedule(command.connection(), job("other", "a", 5));
            }
            return Result.success();
        });
        parents(1, 2, 3, 4);
        CLIENT.commands().schedule(connection, job("step", "a", 1));
        CLIENT.commands().schedule(connection, job("step", "b", 9), Duration.ofHours(1));
        CLIENT.commands().schedule(connection, job("step", "b", 2));
        CLIENT.commands().schedule(connection, job("step", "a", 3));
        TailraceTesting tailrace = TailraceTesting.on(connection, Handlers.of(step));

        Found<Run> runs = tailrace.drain();

        assertThat(order).containsExactly("a1", "b2", "a3", "a4");
        assertThat(runs).extracting(Run::outcome).containsOnly(Run.Outcome.COMPLETED);
        assertThat(count("done")).isEqualTo(4);
        assertThat(tailrace.published("steps.taken")).hasSize(4);
        assertThat(tailrace.scheduled("step"))
                .extracting(ScheduledCommand::status)
                .containsExactly("COMPLETED", "PENDING", "COMPLETED", "COMPLETED", "COMPLETED");
        assertThat(tailrace.scheduled("other").only().status())
                .as("has no handler here")
                .isEqualTo("PENDING");
        assertThat(tailrace.drain()).isEmpty();

        connection.rollback();
        assertThat(tailrace.scheduled()).isEmpty();
        assertThat(count("done")).isZero();
    }

    @Test
    void timePassesAsTheTestSays() throws Exception {
        List<Instant> sql = new ArrayList<>();
        TailraceTesting[] kit = new TailraceTesting[1];
        CommandHandler tick = handler("tick", command -> {
            sql.add(now(command.connection()));
            command.commands().schedule(command.connection(), job("tick", null, 0), Duration.ofHours(1));
            command.commands()
                    .schedule(
                            command.connection(),
                            Command.of("report"),
                            kit[0].clock().instant().plus(Duration.ofDays(1)));
            return Result.success();
        });
        TailraceTesting tailrace = TailraceTesting.on(connection, Handlers.of(tick));
        kit[0] = tailrace;
        Instant midnight = Instant.parse("2031-02-01T00:00:00Z");

        CLIENT.commands().schedule(connection, job("tick", null, 0), midnight);
        assertThat(tailrace.drain()).isEmpty();
        tailrace.setClock(midnight.minusMillis(1));
        assertThat(tailrace.drain()).isEmpty();
        tailrace.advance(Duration.ofMillis(1));
        assertThat(tailrace.drain()).hasSize(1);

        ScheduledCommand next = tailrace.scheduled("tick").get(1);
        assertThat(Duration.between(midnight.plus(Duration.ofHours(1)), next.runAt()))
                .as("a delay counts from the clock")
                .isBetween(Duration.ZERO, Duration.ofSeconds(5));
        assertThat(tailrace.scheduled("report").only().runAt()).isEqualTo(midnight.plus(Duration.ofDays(1)));
        assertThat(Duration.between(midnight, sql.get(0)))
                .as("SQL is told it")
                .isBetween(Duration.ofSeconds(-5), Duration.ofSeconds(5));
        assertThat(tailrace.scheduled("tick").get(0).runAt())
                .as("as it was scheduled")
                .isEqualTo(midnight);
        assertThat(now(connection)).as("the test's own").isBefore("2031-01-01T00:00:00Z");

        assertThat(tailrace.drain()).as("its successor is not due").isEmpty();
        tailrace.advance(Duration.ofHours(1).plusSeconds(5));
        assertThat(tailrace.drain()).hasSize(1);

        // And back: what is scheduled by the true time lies ahead then.
        tailrace.setClock(Instant.parse("2001-01-01T00:00:00Z"));
        CLIENT.commands().schedule(connection, job("tick", null, 0));
        assertThat(tailrace.drain()).isEmpty();
        UUID id = tailrace.atClock(here -> CLIENT.commands().schedule(here, job("tick", null, 0), Duration.ZERO));
        assertThatThrownBy(() -> tailrace.atClock(here -> {
                    throw new IllegalStateException("mine");
                }))
                .hasMessage("mine");
        assertThat(now(connection)).as("the true time again").isAfter("2026-01-01T00:00:00Z");
        tailrace.advance(Duration.ofSeconds(5));
        assertThat(tailrace.drain().only().id()).isEqualTo(id);
    }

    @Test
    void whatDoesNotGoWellWaitsAndWhatIsBehindItToo() throws Exception {
        List<String> order = new ArrayList<>();
        CommandHandler step = handler("step", command -> {
            int n = command.payloadAs(Job.class).n();
            order.add(n + "/" + command.attempt());
            write(command, n);
            if (n == 1 && command.attempt() < 3) {
                throw new IllegalStateException("not yet");
            }
            return n == 4 ? Result.rejected("never") : Result.success();
        });
        parents(1, 2, 3, 4);
        TailraceTesting tailrace = TailraceTesting.on(connection, Handlers.of(step));
        tailrace.setClock(Instant.parse("2031-01-01T00:00:00Z"));
        CLIENT.commands().schedule(connection, job("step", "a", 1));
        CLIENT.commands().schedule(connection, job("step", "a", 2));
        CLIENT.commands().schedule(connection, job("step", "b", 3));
        CLIENT.commands().schedule(connection, job("step", null, 4));

        Found<Run> first = tailrace.drain();
        assertThat(order).containsExactly("1/1", "3/1", "4/1");
        assertThat(first.get(0).outcome()).isEqualTo(Run.Outcome.FAILED);
        assertThat(first.get(0).error()).contains("java.lang.IllegalStateException: not yet");
        assertThat(first.get(0).againAt().orElseThrow())
                .as("the policy's wait, without jitter")
                .isBetween("2031-01-01T00:00:10Z", "2031-01-01T00:00:12Z");
        assertThat(first.get(2).outcome()).isEqualTo(Run.Outcome.DEAD);
        assertThat(first.get(2).reason()).contains(Reason.REJECTED);
        assertThat(count("done")).as("what failed is taken back").isEqualTo(1);
        assertThat(tailrace.drain()).isEmpty();

        tailrace.advance(Duration.ofSeconds(13));
        assertThat(tailrace.drain()).extracting(Run::attempt).containsExactly(2);
        tailrace.advance(Duration.ofSeconds(23));
        tailrace.drain();
        assertThat(order).containsExactly("1/1", "3/1", "4/1", "1/2", "1/3", "2/1");
        assertThat(count("done")).isEqualTo(3);
        assertThat(tailrace.scheduled("step").get(0).state().lastError().orElseThrow())
                .contains("not yet");
    }

    @Test
    void theOtherResultsAreThoseOfAnExecutor() throws Exception {
        TailraceTesting[] kit = new TailraceTesting[1];
        Handlers handlers = Handlers.of(
                handler(
                        "snooze",
                        command -> Result.snooze(kit[0].clock().instant().plus(Duration.ofMinutes(3)))),
                handler("away", command -> Result.unavailable("the bank", Duration.ofMinutes(1))),
                handler("broken-sql", command -> {
                    try (Statement statement = command.connection().createStatement()) {
                        statement.execute("SELECT 1/0");
                    }
                    return Result.success();
                }),
                handler("deferred", command -> {
                    write(command, 99);
                    return Result.success();
                }),
                handler("commits", command -> {
                    command.connection().commit();
                    return Result.success();
                }),
                CommandHandler.of(
                        "typed",
                        Job.class,
                        (job, command) ->
                                command.origin().userId() == null ? Result.failure("nobody") : Result.success()));
        TailraceTesting tailrace = TailraceTesting.builder(connection)
                .handlers(handlers)
                .origin(() -> new Origin("acme", "u7", null, null, null, null))
                .build();
        kit[0] = tailrace;
        tailrace.setClock(Instant.parse("2031-01-01T00:00:00Z"));

        Run snoozed = tailrace.run(Command.of("snooze"));
        assertThat(snoozed.outcome()).isEqualTo(Run.Outcome.SNOOZED);
        assertThat(snoozed.againAt().orElseThrow()).isBetween("2031-01-01T00:03:00Z", "2031-01-01T00:03:02Z");
        assertThat(tailrace.run(Command.of("away")).outcome()).isEqualTo(Run.Outcome.UNAVAILABLE);
        assertThat(tailrace.run(Command.of("broken-sql")).outcome()).isEqualTo(Run.Outcome.FAILED);
        Run deferred = tailrace.run(Command.of("deferred"));
        assertThat(deferred.outcome()).as("the commit would be refused").isEqualTo(Run.Outcome.FAILED);
        assertThat(deferred.error().orElseThrow()).contains("foreign key");
        assertThat(count("done")).isZero();
        assertThat(tailrace.run(Command.of("commits")).error().orElseThrow()).contains("commit() is refused");
        assertThat(tailrace.run(Command.of("typed").json("{\"n\": 1}")).outcome())
                .isEqualTo(Run.Outcome.COMPLETED);
        assertThat(tailrace.run(Command.of("typed").json("{\"n\": \"x\"}")).reason())
                .contains(Reason.PAYLOAD_UNREADABLE);
        Run last = tailrace.run(Command.of("broken-sql").maxAttempts(1));
        assertThat(last.reason()).contains(Reason.RETRIES_EXHAUSTED);
    }

    @Test
    void aMistakeOfTheTestSaysWhatItIs() throws Exception {
        CommandHandler again = handler("again", command -> {
            command.commands().schedule(command.connection(), Command.of("again"));
            return Result.success();
        });
        TailraceTesting tailrace = TailraceTesting.on(connection, Handlers.of(again));
        assertThatThrownBy(() -> tailrace.run(Command.of("agian")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no handler here answers to 'agian'")
                .hasMessageContaining("[again]");
        UUID done = tailrace.run(Command.of("again")).id();
        assertThatThrownBy(() -> tailrace.run(done)).hasMessageContaining("cannot be run: SETTLED");
        assertThatThrownBy(() -> tailrace.run(UUID.randomUUID())).hasMessageContaining("there is no command");
        assertThatThrownBy(tailrace::drain)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("after 1000 rounds")
                .hasMessageContaining("again COMPLETED");
        UUID never = CLIENT.commands().schedule(connection, Command.of("again"), Instant.MAX);
        assertThatThrownBy(() -> tailrace.run(never)).hasMessageContaining("is never due");
        connection.rollback();
        connection.setAutoCommit(true);
        assertThatThrownBy(tailrace::drain)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("setAutoCommit(false)");
    }

    private interface Body {
        Result handle(CommandContext command) throws Exception;
    }

    private static CommandHandler handler(String name, Body body) {
        return new CommandHandler() {
            @Override
            public Set<String> names() {
                return Set.of(name);
            }

            @Override
            public Result handle(CommandContext command) throws Exception {
                return body.handle(command);
            }
        };
    }

    private static Command job(String name, @Nullable String key, int n) {
        Command command = Command.of(name).json("{\"n\": " + n + "}");
        return key == null ? command : command.key(key);
    }

    private void parents(int... ids) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (int id : ids) {
                statement.execute("INSERT INTO parent VALUES (" + id + ")");
            }
        }
    }

    private static void write(CommandContext command, int n) throws SQLException {
        try (Statement statement = command.connection().createStatement()) {
            statement.execute("INSERT INTO done (n) VALUES (" + n + ")");
        }
    }

    private static Instant now(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT now()")) {
            row.next();
            return row.getTimestamp(1).toInstant();
        }
    }

    private long count(String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM " + table)) {
            row.next();
            return row.getLong(1);
        }
    }
}
