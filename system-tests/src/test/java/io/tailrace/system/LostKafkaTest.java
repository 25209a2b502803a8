package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.name.Topics;
import io.tailrace.engine.EngineOperations;
import io.tailrace.engine.recover.Order;
import io.tailrace.operations.DeadLetter;
import io.tailrace.operations.Selection;
import io.tailrace.operations.upkeep.Rhythm;
import io.tailrace.operations.upkeep.Upkeep;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Kafka has lost everything, and the gap is accepted: what the table of the commands knows is brought back from there. */
@RealParts
class LostKafkaTest {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Duration NEVER = Duration.ofDays(1);

    private Stack stack;
    private App app;
    private Pipeline pipeline;

    @BeforeEach
    void start(Stack given) throws SQLException {
        stack = given;
        app = App.on(stack);
        pipeline = Pipeline.running(
                stack, settings -> settings.with("executor.retry.base", "1h").with("executor.retry.cap", "1h"));
    }

    @AfterEach
    void stop() {
        pipeline.close();
    }

    @Test
    void commandsThatOnlyTheirTableKnowsRunOnceAndInOrder() throws Exception {
        UUID done = app.command("done", "{\"n\":1}");
        UUID waits = app.command("hot", "{\"n\":1,\"unless\":\"mended\"}");
        await().atMost(PATIENCE).until(() -> app.row(waits, "attempts").equals("1"));
        UUID behind = app.command("hot", "{\"n\":2}");
        UUID dead = app.command("dead", "{\"n\":1,\"rejectUnless\":\"never\"}");
        app.transact(connection -> {
            App.commandLater(connection, "later", "{\"n\":1}", 3_600_000);
            return connection;
        });
        await().atMost(PATIENCE)
                .until(() -> app.number("SELECT count(*) FROM " + App.COMMANDS
                                + " WHERE id = '" + done + "' AND status = 'COMPLETED' OR id = '" + behind
                                + "' AND place IS NOT NULL OR id = '" + dead + "' AND announced_at IS NOT NULL")
                        == 3);
        for (Stage stage : Stage.values()) {
            pipeline.stop(stage);
        }
        // The letter of the dead one might never have been written; and all of them are due.
        stack.execute(
                "UPDATE tailrace.internal_command SET announced_at = NULL WHERE status = 'DEAD'",
                "UPDATE tailrace.internal_command SET run_at = now(), not_before = CASE WHEN not_before IS NOT NULL THEN now() END"
                        + " WHERE status = 'PENDING'",
                "INSERT INTO app.switch VALUES ('mended')");
        try (Admin admin = stack.admin()) {
            admin.deleteTopics(stack.topics()).all().get();
        }
        pipeline.change(settings -> settings.with(
                "router.state-directory", settings.config().router().stateDirectory() + "-new"));
        await().atMost(PATIENCE).until(() -> stack.topics().isEmpty());
        new EngineOperations(pipeline.config())
                .recover(
                        new Order(Order.Way.ACCEPT_GAP, false, Optional.empty(), "test", "all of Kafka is gone"),
                        Clock.systemUTC(),
                        said -> {});
        pipeline.start(Stage.EXECUTOR, Stage.ROUTER, Stage.ENGINE);

        try (Upkeep upkeep = new Upkeep(
                pipeline.config(),
                new Rhythm(Duration.ZERO, Duration.ofSeconds(2), Duration.ofSeconds(1), NEVER, NEVER),
                new SimpleMeterRegistry(),
                Clock.systemUTC())) {
            upkeep.start();
            await().atMost(PATIENCE)
                    .until(() -> app.number("SELECT count(*) FROM " + App.COMMANDS
                                    + " WHERE status = 'COMPLETED' OR status = 'DEAD' AND announced_at IS NOT NULL")
                            == 5);
        }

        assertThat(app.effectsOf("hot")).containsExactly(1, 2);
        assertThat(app.effectsOf("later")).containsExactly(1);
        assertThat(app.effectsOf("done")).containsExactly(1);
        assertThat(app.row(waits, "attempts")).isEqualTo("1");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(pipeline.deadLetters().list(Topics.COMMANDS, Selection.ALL))
                        .extracting(DeadLetter::rowId)
                        .isEqualTo(List.of(dead.toString())));
    }
}
