package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.operations.Pauses;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Commands of a name that is paused wait through a restart, and run in order once it is resumed, without having used an attempt. */
@RealParts
class HeldNamesTest {

    private static final int KEYS = 5;
    private static final int ROUNDS = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @Test
    void aPausedNameWaitsAndThenRunsInOrder(Stack stack) throws SQLException {
        App app = App.on(stack);
        try (Pipeline pipeline = Pipeline.running(stack, settings -> settings)) {
            Pauses pauses = new Pauses(pipeline.config().source());
            pauses.pause(EffectHandler.NAME, "ops", "stocktaking");
            // From here on every executor knows it.
            pipeline.stop(Stage.EXECUTOR).start(Stage.EXECUTOR);
            List<UUID> all = new ArrayList<>();
            for (int n = 0; n < ROUNDS; n++) {
                for (int key = 0; key < KEYS; key++) {
                    all.add(app.command("key-" + key, "{\"n\":" + n + "}"));
                }
                all.add(app.command(null, "{\"n\":" + n + "}"));
            }
            awaitNumber(app, "SELECT count(*) FROM " + App.COMMANDS + " WHERE hold = 'shop.work'", KEYS + ROUNDS);
            pipeline.stop(Stage.EXECUTOR).start(Stage.EXECUTOR);
            assertThat(app.effects()).isEmpty();

            assertThat(pauses.resume(EffectHandler.NAME)).isTrue();
            awaitNumber(app, "SELECT count(*) FROM " + App.COMMANDS + " WHERE status = 'COMPLETED'", all.size());
            for (int key = 0; key < KEYS; key++) {
                assertThat(app.effectsOf("key-" + key)).containsExactly(0, 1, 2, 3);
            }
            assertThat(app.effects()).hasSize(all.size());
            assertThat(app.number("SELECT sum(attempts) FROM " + App.COMMANDS)).isZero();
        }
    }

    private static void awaitNumber(App app, String sql, long wanted) {
        await(sql).atMost(PATIENCE).until(() -> app.number(sql) == wanted);
    }
}
