package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.guarantees.History;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** P6: a handler's effects in the database happen once, and the completion of the command is stamped in the same transaction. */
@RealParts
class EffectsOnceTest {

    private static final int KEYS = 20;
    private static final int ROUNDS = 20;
    private static final int KILLS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private Stack stack;
    private App app;
    private Pipeline pipeline;

    @BeforeEach
    void start(Stack given) throws SQLException {
        stack = given;
        app = App.on(stack);
        pipeline = Pipeline.on(stack, settings -> settings.session(Duration.ofSeconds(3)))
                .start(Stage.ROUTER, Stage.ENGINE);
    }

    @AfterEach
    void stop() {
        pipeline.close();
    }

    @Test
    void throughKillsOfTheExecutor() throws SQLException {
        // Each takes a while, so that every kill meets some that run; some fail first, after they have written.
        int commands = app.transact(connection -> {
            for (int n = 0; n < ROUNDS; n++) {
                for (int key = 0; key < KEYS; key++) {
                    String fail = key == 0 && n % 5 == 0 ? ",\"fail\":2" : "";
                    App.command(
                            connection,
                            EffectHandler.NAME,
                            "key-" + key,
                            "{\"n\":" + n + ",\"sleepMs\":15" + fail + "}");
                }
                App.command(connection, EffectHandler.NAME, null, "{\"n\":" + n + ",\"sleepMs\":15}");
            }
            return ROUNDS * (KEYS + 1);
        });

        for (int kill = 1; kill <= KILLS; kill++) {
            Child child = pipeline.startChild(Stage.EXECUTOR);
            awaitEffects(kill * commands / (KILLS + 2));
            child.kill();
        }
        pipeline.startChild(Stage.EXECUTOR);
        await("all are done")
                .atMost(PATIENCE)
                .until(() ->
                        app.number("SELECT count(*) FROM " + App.COMMANDS + " WHERE status = 'COMPLETED'") == commands);

        try (Connection connection = stack.connect()) {
            History.of(connection, "SELECT id, ordering_key FROM " + App.COMMANDS + " ORDER BY (payload->>'n')::int")
                    .compare(app.effects(), App.Effect::commandId)
                    .assertClean();
        }
        assertStampedWithTheirEffects(commands);
        assertThat(app.number("SELECT sum(attempts) FROM " + App.COMMANDS))
                .as(
                        "only what failed has used attempts, not what was killed, but for a suspect that ran at a further kill")
                .isBetween(2L * ROUNDS / 5, 2L * ROUNDS / 5 + KILLS - 1);
    }

    @Test
    void aHandlerThatThrowsLeavesNothingBehind() throws SQLException {
        pipeline.start(Stage.EXECUTOR);
        UUID failing = app.command("throws", "{\"n\":1,\"unless\":\"mended\"}");
        await().atMost(PATIENCE)
                .until(() -> app.number("SELECT attempts FROM " + App.COMMANDS + " WHERE id = '" + failing + "'") >= 2);
        assertThat(app.effects()).isEmpty();

        app.switchOn("mended");
        await().atMost(PATIENCE).until(() -> app.row(failing, "status").equals("COMPLETED"));
        assertThat(app.effectsOf("throws")).containsExactly(1);
        assertThat(app.text("SELECT tenant_id FROM app.effect"))
                .as("the origin is restored")
                .isEqualTo("tenant-1");
        assertStampedWithTheirEffects(1);
    }

    /**
     * The last transaction that wrote a command's row is the one that wrote its effect: its own id is on the row, or, while the savepoint
     * before the handler stands, that of the part of it that also wrote the effect.
     */
    private void assertStampedWithTheirEffects(int commands) throws SQLException {
        assertThat(
                        app.number(
                                "SELECT count(*) FROM app.effect e JOIN " + App.COMMANDS
                                        + " c ON c.id = e.command_id AND c.status = 'COMPLETED' AND c.xmin::text IN (e.xid::text, e.xmin::text)"))
                .isEqualTo(commands);
    }

    private void awaitEffects(int count) {
        await(count + " effects")
                .pollInterval(Duration.ofMillis(10))
                .atMost(PATIENCE)
                .until(() -> app.number("SELECT count(*) FROM app.effect") >= count);
    }
}
