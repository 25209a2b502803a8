package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Executors in JVMs of their own that are killed, or stopped and woken too late: each command has its effect once all the same. */
@RealParts
class KilledExecutorTest {

    /** Of those that were suspected the turn has risen. */
    private static final String ALL_CLEAN =
            "SELECT count(*) FROM tailrace.internal_command WHERE attempts = 0 AND last_error IS NULL"
                    + " AND status = 'COMPLETED'";

    @Test
    void executorsAreKilledAgainAndAgain(Stack stack) throws Exception {
        int commands = 400;
        try (Shop shop = Shop.open(stack)) {
            Map<String, List<String>> wanted = new HashMap<>();
            for (int i = 0; i < commands; i++) {
                String key = i % 5 == 0 ? null : "k" + i % 13;
                UUID id = shop.due("ship", key);
                if (key != null) {
                    wanted.computeIfAbsent(key, k -> new ArrayList<>()).add(id.toString());
                }
            }
            for (int kill = 1; kill <= 3; kill++) {
                try (ChildJvm child = child(shop, 10)) {
                    // Of a suspect that is killed at its run a failure remains, and nobody here releases it.
                    child.awaitLine("ran " + (60 + 15 * kill), Shop.PATIENCE);
                    child.kill();
                }
            }
            shop.executor(Effects.succeeding("ship"));
            shop.awaitCount(ALL_CLEAN, commands);
            assertThat(shop.count("SELECT count(*) FROM effect")).isEqualTo(commands);
            assertThat(shop.count("SELECT count(DISTINCT command) FROM effect")).isEqualTo(commands);
            for (Map.Entry<String, List<String>> key : wanted.entrySet()) {
                assertThat(shop.effectsOf(key.getKey())).isEqualTo(key.getValue());
            }
            assertThat(shop.allAnswers()).isEmpty();
        }
    }

    @Test
    void anExecutorIsStoppedPastEveryTimeoutAndRunsOn(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack, Configs.withTimeout(Duration.ofMillis(500)))) {
            UUID id = shop.due("ship", "o-1");
            UUID next = shop.due("ship", "o-1");
            try (ChildJvm child = child(shop, 400)) {
                child.awaitLine("in the handler", Shop.PATIENCE);
                child.pause();
                // The transaction of the stopped one ends by its own limit, and then the key runs on elsewhere.
                shop.executor(Effects.succeeding("ship"));
                shop.awaitStatus(id, "COMPLETED");
                shop.awaitStatus(next, "COMPLETED");
                child.resume();
                // Its transaction is gone, and with it what its handler wrote.
                child.awaitLine("lost 1", Shop.PATIENCE);
            }
            assertThat(shop.effects(id)).isEqualTo(1);
            assertThat(shop.effects(next)).isEqualTo(1);
            // The next owner could not know why the first one was silent: it was suspected, and lost nothing by it.
            assertThat(shop.row(id)).containsEntry("attempts", "0").containsEntry("last_error", null);
        }
    }

    /** Stopped between the commit of a death and its answer, and woken when all has gone on without it. */
    @Test
    void anAnswerThatWasOvertakenIsNotSent(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            stack.execute(
                    "CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS"
                            + " $$ BEGIN PERFORM pg_sleep(2); RETURN NULL; END $$",
                    "CREATE CONSTRAINT TRIGGER slowly AFTER UPDATE ON tailrace.internal_command DEFERRABLE INITIALLY"
                            + " DEFERRED FOR EACH ROW WHEN (NEW.status = 'DEAD' AND NEW.turn = 1)"
                            + " EXECUTE FUNCTION slowly()");
            try (ChildJvm child = child(shop, 10)) {
                UUID id = shop.due("reject", "o-1");
                shop.awaitCount("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'", 1);
                child.pause();
                shop.awaitStatus(id, "DEAD");
                shop.executor(Effects.succeeding("reject"));
                assertThat(shop.answersTo(id, 1).get(0)).containsEntry("tailrace-kind", "dead");
                // Not while its death is being noted.
                shop.awaitCount("SELECT count(*) WHERE tailrace.requeue_command('" + id + "') = 'OK'", 1);
                shop.redelivered(id, "reject", "o-1", 2, "1:0");
                shop.awaitStatus(id, "COMPLETED");
                assertThat(shop.answersTo(id, 2).get(1)).containsEntry("tailrace-kind", "done");
                child.resume();
                child.awaitLine("outdated", Shop.PATIENCE);
                shop.awaitAllPassed();
                // Done may be said twice, for one is as true as the other.
                assertThat(shop.answersTo(id, 2))
                        .extracting(answer -> answer.get("tailrace-kind"))
                        .startsWith("dead", "done")
                        .doesNotContain("failed")
                        .containsOnlyOnce("dead");
            }
        }
    }

    static ChildJvm child(Shop shop, int handlerMillis) {
        return child(shop, handlerMillis, "continue");
    }

    static ChildJvm child(Shop shop, int handlerMillis, String onDeadLetter) {
        return ChildJvm.of(ChildExecutor.class)
                .arguments(
                        shop.stack.namespace(),
                        Integer.toString(shop.stack.postgres().port()),
                        shop.stack.database(),
                        shop.stack.bootstrapServers(),
                        Long.toString(shop.config.executor().handlerTimeout().toMillis()),
                        Integer.toString(handlerMillis),
                        onDeadLetter)
                .start();
    }
}
