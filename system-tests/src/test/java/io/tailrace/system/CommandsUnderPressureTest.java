package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.name.Topics;
import io.tailrace.executor.CommandExecutor;
import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.handler.Result;
import io.tailrace.operations.Replay;
import io.tailrace.operations.Selection;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * P3 and P6 with many hands on the same rows: two executors, one with a clock that is ahead and one that is behind, connections that are
 * cut, operators who cancel and requeue what runs at that moment, and a release that is half rolled out.
 */
@RealParts
class CommandsUnderPressureTest {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String NEW = "shop.work-anew";

    private static Stack stack;
    private static App app;
    private static Pipeline pipeline;
    private static List<CommandExecutor> executors;

    @BeforeAll
    static void start(Stack given) throws SQLException {
        stack = given;
        app = App.on(stack);
        pipeline = Pipeline.on(stack, settings -> settings.with("executor.on-missing-handler", "wait"));
        pipeline.start(Stage.ROUTER, Stage.ENGINE);
        Clock clock = Clock.systemUTC();
        executors = List.of(
                executor(Clock.offset(clock, Duration.ofHours(1)), new EffectHandler()),
                executor(Clock.offset(clock, Duration.ofHours(-1)), new EffectHandler()));
        await().atMost(PATIENCE)
                .until(() -> executors.stream().allMatch(each -> each.health().isReady()));
    }

    @AfterAll
    static void stop() {
        executors.forEach(CommandExecutor::close);
        pipeline.close();
    }

    @Test
    void tenThousandAreDueInOneInstantAndConnectionsAreCut() throws Exception {
        int keys = 200;
        int each = 50;
        scheduleBurst("burst-", keys, each);
        for (int cut = 1; cut <= 5; cut++) {
            int after = cut * keys * each / 7;
            await().pollInterval(Duration.ofMillis(20)).atMost(PATIENCE).until(() -> burst("burst-", "TRUE") >= after);
            stack.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE application_name = 'tailrace-executor' AND datname = current_database()");
        }
        assertOnceInOrderAndInTime("burst-", keys * each);
    }

    /** Both at once and in the middle of it: of what was captured, what was due and what was released, nothing is committed or all. */
    @Test
    void engineAndRouterAreKilledUnderADueBurst() throws SQLException {
        int keys = 40;
        int each = 50;
        pipeline.stop(Stage.ENGINE).stop(Stage.ROUTER);
        Child engine = pipeline.startChild(Stage.ENGINE);
        Child router = pipeline.startChild(Stage.ROUTER);
        engine.awaitReady();
        router.awaitReady();
        scheduleBurst("killed-", keys, each);
        await().pollInterval(Duration.ofMillis(5)).atMost(PATIENCE).until(() -> burst("killed-", "TRUE") > 0);
        // More of it has yet to be captured.
        scheduleBurst("killed-", keys, each);
        engine.kill();
        router.kill();
        assertThat(burst("killed-", "TRUE")).as("effects when they were killed").isLessThan(2 * keys * each);
        pipeline.startChild(Stage.ENGINE);
        pipeline.startChild(Stage.ROUTER);
        assertOnceInOrderAndInTime("killed-", 2 * keys * each);
    }

    /** So many commands of each key, due at one instant in three seconds. */
    private static void scheduleBurst(String prefix, int keys, int each) throws SQLException {
        app.transact(connection -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + App.COMMANDS
                    + " (command_name, ordering_key, payload, run_at) SELECT ?, ? || k, json_build_object('n', n),"
                    + " now() + interval '3 s' FROM generate_series(1, ?) n, generate_series(1, ?) k ORDER BY n, k")) {
                insert.setString(1, EffectHandler.NAME);
                insert.setString(2, prefix);
                insert.setInt(3, each);
                insert.setInt(4, keys);
                return insert.executeUpdate();
            }
        });
    }

    private static void assertOnceInOrderAndInTime(String prefix, int rows) throws SQLException {
        String ofBurst = " WHERE ordering_key LIKE '" + prefix + "%'";
        await("all are done")
                .atMost(PATIENCE)
                .until(() -> app.number("SELECT count(*) FROM " + App.COMMANDS + ofBurst + " AND status = 'COMPLETED'")
                        == rows);

        assertThat(burst(prefix, "TRUE")).as("effects").isEqualTo(rows);
        assertThat(app.number("SELECT count(DISTINCT command_id) FROM app.effect WHERE key LIKE '" + prefix + "%'"))
                .isEqualTo(rows);
        assertThat(burst(prefix, "at < (SELECT run_at FROM " + App.COMMANDS + " WHERE id = command_id)"))
                .as("effects before their time")
                .isZero();
        assertThat(app.number(
                        "SELECT count(*) FROM (SELECT place < lag(place) OVER (PARTITION BY e.key ORDER BY e.seq) AS wrong"
                                + " FROM app.effect e JOIN " + App.COMMANDS
                                + " c ON c.id = e.command_id WHERE e.key LIKE '"
                                + prefix + "%') o WHERE wrong"))
                .as("effects of a key that are not in the order of places")
                .isZero();
        assertThat(app.number("SELECT sum(attempts) FROM " + App.COMMANDS + ofBurst))
                .as("attempts that were used")
                .isZero();
    }

    @Test
    void aHundredDeadLettersOfOneKeyAreReplayedInBulk() throws SQLException {
        int letters = 100;
        app.transact(connection -> {
            for (int n = 1; n <= letters; n++) {
                App.command(connection, EffectHandler.NAME, "bulk", "{\"n\":" + n + ",\"rejectUnless\":\"bulk\"}");
            }
            return letters;
        });
        Selection ofKey = new Selection(Set.of(), Optional.empty(), Optional.empty(), Optional.of("bulk"), 1_000);
        await("all are dead letters")
                .atMost(PATIENCE)
                .until(() -> pipeline.deadLetters().list(Topics.COMMANDS, ofKey).size() == letters);
        app.switchOn("bulk");

        Replay.Report report = pipeline.deadLetters()
                .replay(
                        Topics.COMMANDS,
                        ofKey,
                        new Replay.Order(UUID.randomUUID().toString(), "the test", false));

        assertThat(report.count(Replay.Outcome.REPLAYED)).isEqualTo(letters);
        await("all are done").atMost(PATIENCE).until(() -> app.effectsOf("bulk").size() >= letters);
        assertThat(app.effectsOf("bulk"))
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, letters).boxed().toList());
        await("no letter is left")
                .atMost(PATIENCE)
                .until(() -> pipeline.deadLetters().list(Topics.COMMANDS, ofKey).isEmpty());
    }

    /** Whoever comes first has it: what was cancelled has no effect, what has an effect was not cancelled, and each has one at most. */
    @Test
    void cancelAndRequeueRaceWithTheRun() throws Exception {
        int rows = 200;
        List<UUID> ids = app.transact(connection -> {
            List<UUID> some = new ArrayList<>();
            for (int n = 0; n < rows; n++) {
                String reject = n % 3 == 0 ? ",\"rejectUnless\":\"raced\"" : "";
                some.add(App.command(
                        connection,
                        EffectHandler.NAME,
                        "raced-" + n % 20,
                        "{\"n\":" + n + ",\"sleepMs\":10" + reject + "}"));
            }
            return some;
        });
        CompletableFuture<Integer> cancels =
                CompletableFuture.supplyAsync(() -> operate(ids.subList(0, 3 * rows / 4), "cancel_command", 1, 150));
        CompletableFuture<Integer> requeues =
                CompletableFuture.supplyAsync(() -> operate(ids, "requeue_command", 2, 1_500));
        int cancelled = cancels.get();
        int requeued = requeues.get();
        app.switchOn("raced");
        await("none is pending")
                .atMost(PATIENCE)
                .until(() -> app.number("SELECT count(*) FROM " + App.COMMANDS
                                + " WHERE ordering_key LIKE 'raced-%' AND status = 'PENDING'")
                        == 0);

        assertThat(cancelled).isPositive();
        assertThat(requeued).isPositive();
        assertThat(count("status = 'CANCELLED'")).isEqualTo(cancelled);
        assertThat(count("status = 'CANCELLED' AND EXISTS (SELECT FROM app.effect WHERE command_id = id)"))
                .as("cancelled ones with an effect")
                .isZero();
        assertThat(count("status = 'COMPLETED' AND (SELECT count(*) FROM app.effect WHERE command_id = id) <> 1"))
                .as("completed ones without one effect")
                .isZero();
        assertThat(count("status = 'DEAD' AND EXISTS (SELECT FROM app.effect WHERE command_id = id)"))
                .as("dead ones with an effect")
                .isZero();
    }

    /** The old release does not know the new name, and meets its rows as often as the new one does. */
    @Test
    void aReleaseIsHalfRolledOut() throws SQLException {
        app.transact(connection -> {
            for (int n = 1; n <= 60; n++) {
                App.command(connection, NEW, "release-" + n % 6, "{\"n\":" + n + "}");
            }
            return 60;
        });
        await("the old release holds the name")
                .atMost(PATIENCE)
                .until(() -> app.number("SELECT count(*) FROM tailrace.pause WHERE name = '" + NEW + "'") == 1);
        try (CommandExecutor newer = executor(Clock.systemUTC(), new EffectHandler(), new Anew())) {
            await("the new release lets the name go, and the old one holds it again")
                    .atMost(PATIENCE)
                    .until(() ->
                            app.number("SELECT max(turn) FROM " + App.COMMANDS + " WHERE command_name = '" + NEW + "'")
                                    >= 3);
            await().atMost(PATIENCE).until(() -> newer.health().isReady());
            executors.forEach(CommandExecutor::close);
            await("all are done")
                    .atMost(PATIENCE)
                    .until(() -> app.number("SELECT count(*) FROM " + App.COMMANDS + " WHERE command_name = '" + NEW
                                    + "' AND status = 'COMPLETED'")
                            == 60);
        } finally {
            executors = List.of(
                    executor(Clock.systemUTC(), new EffectHandler()), executor(Clock.systemUTC(), new EffectHandler()));
        }
        for (int key = 0; key < 6; key++) {
            int first = key == 0 ? 6 : key;
            assertThat(app.effectsOf("release-" + key))
                    .containsExactlyElementsOf(IntStream.range(0, 10)
                            .map(i -> first + 6 * i)
                            .boxed()
                            .toList());
        }
        assertThat(app.number("SELECT sum(attempts) FROM " + App.COMMANDS + " WHERE command_name = '" + NEW + "'"))
                .as("attempts that a missing handler has used")
                .isZero();
    }

    /** The effect of the other handler, under the name that only the new release knows. */
    private static final class Anew implements CommandHandler {

        private final EffectHandler like = new EffectHandler();

        @Override
        public Set<String> names() {
            return Set.of(NEW);
        }

        @Override
        public Result handle(CommandContext command) throws Exception {
            return like.handle(command);
        }
    }

    private static CommandExecutor executor(Clock clock, CommandHandler... handlers) {
        CommandExecutor executor =
                new CommandExecutor(pipeline.config(), Handlers.of(handlers), new SimpleMeterRegistry(), clock);
        executor.start();
        return executor;
    }

    /** Asks for some of these rows, at random; how many were done. */
    private static int operate(List<UUID> ids, String function, long seed, int times) {
        Random random = new Random(seed);
        int done = 0;
        try (Connection connection = stack.connect();
                PreparedStatement call = connection.prepareStatement("SELECT tailrace." + function + "(?)")) {
            for (int i = 0; i < times; i++) {
                call.setObject(1, ids.get(random.nextInt(ids.size())));
                try (var answer = call.executeQuery()) {
                    answer.next();
                    done += answer.getString(1).equals("OK") ? 1 : 0;
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return done;
    }

    private static long burst(String prefix, String condition) throws SQLException {
        return app.number("SELECT count(*) FROM app.effect WHERE key LIKE '" + prefix + "%' AND " + condition);
    }

    private static long count(String condition) throws SQLException {
        return app.number(
                "SELECT count(*) FROM " + App.COMMANDS + " WHERE ordering_key LIKE 'raced-%' AND (" + condition + ")");
    }
}
