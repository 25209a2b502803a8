package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** P4: a failing key waits, every other key flows on. What is poisoned here waits for an hour: who waited with it would not be seen. */
@RealParts
class OthersFlowTest {

    private static final int KEYS = 30;
    private static final int ROWS_EACH = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static Stack stack;
    private static App app;
    private static Pipeline pipeline;
    private static Witness routed;

    @BeforeAll
    static void start(Stack given) throws SQLException {
        stack = given;
        app = App.on(stack);
        pipeline = Pipeline.running(
                stack,
                settings -> settings.route("shop.*")
                        .with("router.retry.base", "1h")
                        .with("router.retry.cap", "1h")
                        .with("executor.retry.base", "1h")
                        .with("executor.retry.cap", "1h"));
        routed = Witness.of(stack, pipeline.destination("shop"));
    }

    @AfterAll
    static void stop() {
        routed.close();
        pipeline.close();
    }

    @Test
    void eventsOfOtherKeysFlowPastOneWithoutARoute() throws SQLException {
        UUID poison = app.event("void.thing", "poisoned", 0);
        List<UUID> followers = app.events("shop.placed", "poisoned", 1, 3);
        List<UUID> others = new ArrayList<>();
        for (int round = 0; round < ROWS_EACH; round++) {
            for (int key = 0; key < KEYS; key++) {
                others.add(app.event("shop.placed", "healthy-" + key, round));
            }
            others.add(app.event("shop.placed", null, round));
        }

        routed.awaitRows(others);

        assertThat(routed.of("poisoned")).isEmpty();
        assertThat(stack.reader().read(pipeline.topics().retry("events")))
                .as("the head is shown to wait, and nobody else")
                .extracting(each -> TopicReader.header(each, "ce_id"))
                .containsExactly(poison.toString());
        assertThat(stack.reader().read(pipeline.topics().deadLetters("events"))).isEmpty();
        assertThat(followers).hasSize(3);
    }

    @Test
    void commandsOfOtherKeysRunPastOneThatFails() throws SQLException {
        UUID poison = app.command("poisoned", "{\"n\":0,\"unless\":\"never\"}");
        UUID follower = app.command("poisoned", "{\"n\":1}");
        runOthers();

        // The follower may still be on its way to find that it stands behind; it cannot run.
        await().atMost(PATIENCE)
                .until(() -> app.number("SELECT attempts FROM " + App.COMMANDS + " WHERE id = '" + poison + "'") == 1);
        assertThat(app.row(poison, "status")).isEqualTo("PENDING");
        assertThat(app.row(follower, "status || ' ' || attempts")).isEqualTo("PENDING 0");
        assertThat(app.effectsOf("poisoned")).isEmpty();
    }

    @Test
    void commandsOfOtherKeysRunPastOneThatTakesLong() throws SQLException {
        try (Connection holder = stack.connect();
                Statement lock = holder.createStatement()) {
            lock.execute("SELECT pg_advisory_lock(7)");
            UUID slow = app.command("slow", "{\"n\":0,\"lock\":7}");
            UUID follower = app.command("slow", "{\"n\":1}");
            await("its handler runs")
                    .atMost(PATIENCE)
                    .until(() -> app.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
                            > 0);
            runOthers();
            assertThat(app.effectsOf("slow")).isEmpty();

            lock.execute("SELECT pg_advisory_unlock(7)");
            await().atMost(PATIENCE).until(() -> app.row(follower, "status").equals("COMPLETED"));
            assertThat(app.effectsOf("slow")).containsExactly(0, 1);
            assertThat(app.row(slow, "attempts")).isEqualTo("0");
        }
    }

    private static void runOthers() throws SQLException {
        List<UUID> others = new ArrayList<>();
        for (int round = 0; round < ROWS_EACH; round++) {
            int n = round;
            others.addAll(app.transact(connection -> {
                List<UUID> ids = new ArrayList<>();
                for (int key = 0; key < KEYS; key++) {
                    ids.add(App.command(connection, EffectHandler.NAME, "healthy-" + key, "{\"n\":" + n + "}"));
                }
                ids.add(App.command(connection, EffectHandler.NAME, null, "{\"n\":" + n + "}"));
                return ids;
            }));
        }
        await("the others")
                .atMost(PATIENCE)
                .until(() -> app.effects().stream()
                        .map(App.Effect::commandId)
                        .toList()
                        .containsAll(others.stream().map(UUID::toString).toList()));
    }
}
