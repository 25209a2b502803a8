package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.config.DeadLetterPolicy;
import io.tailrace.contract.config.ExecutorConfig;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.route.OnDeadLetter;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.Result;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A key stops at a dead command of a name that says so, whatever it died of and whoever has heard of it. */
@RealParts
class HaltedKeyTest {

    /** Of two names on a key only one stops it. */
    private static final ExecutorConfig LEDGER_HALTS = Configs.executor(4)
            .with(new DeadLetterPolicy(
                    OnDeadLetter.CONTINUE,
                    Map.of("ledger", OnDeadLetter.HALT_KEY, "no-handler", OnDeadLetter.HALT_KEY)));

    private static final CommandHandler[] HANDLERS = {
        Effects.handler("ledger", command -> Result.rejected("no")),
        Effects.handler("note", command -> Result.rejected("no")),
        Effects.succeeding("ship")
    };

    @Test
    void onlyTheNamesThatSaySoStopTheirKeysAndWhatTheRouterGivesUpDoesToo(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack, LEDGER_HALTS)) {
            shop.executor(HANDLERS);
            UUID note = shop.due("note", "k");
            UUID first = shop.due("ship", "k");
            shop.awaitStatus(first, "COMPLETED");
            assertThat(shop.answersTo(note, 1).get(0))
                    .containsEntry("tailrace-kind", "dead")
                    .doesNotContainKey("tailrace-halts");

            // Nobody stands behind it when it dies.
            UUID ledger = shop.due("ledger", "k");
            shop.awaitStatus(ledger, "DEAD");
            assertThat(shop.row(ledger)).containsEntry("halts", "t");
            assertThat(shop.answersTo(ledger, 1).get(0)).containsEntry("tailrace-halts", "true");
            UUID second = shop.due("ship", "k");
            UUID third = shop.due("ledger", "k");
            assertThat(shop.answersTo(second, 1).get(0))
                    .containsEntry("tailrace-kind", "behind")
                    .containsEntry("tailrace-behind", ledger.toString())
                    .doesNotContainKey("tailrace-halts");
            assertThat(shop.answersTo(third, 1).get(0))
                    .as("for a lane that is too long")
                    .containsEntry("tailrace-kind", "behind")
                    .containsEntry("tailrace-halts", "true");
            assertThat(shop.effects(second)).isZero();

            // The turn fence words the death once more, from the row.
            shop.redelivered(ledger, "ledger", "k", 0, "1:0");
            assertThat(shop.answersTo(ledger, 2).get(1))
                    .containsEntry("tailrace-kind", "dead")
                    .containsEntry("tailrace-halts", "true");

            shop.redelivered(third, "ledger", "k", 0, "1:0");
            assertThat(shop.answersTo(third, 2).get(1))
                    .containsEntry("tailrace-kind", "behind")
                    .containsEntry("tailrace-halts", "true");

            shop.awaitCount("SELECT count(*) WHERE tailrace.skip_command('" + ledger + "') = 'OK'", 1);
            shop.redelivered(ledger, "ledger", "k", 0, "1:0");
            assertThat(shop.answersTo(ledger, 3).get(2))
                    .containsEntry("tailrace-kind", "dead")
                    .containsEntry("tailrace-turn", "2")
                    .doesNotContainKey("tailrace-halts");
            shop.release(shop.answerRecordsTo(second, 1).get(0));
            shop.awaitStatus(second, "COMPLETED");

            // Whatever it dies of: buried without having been seen by a handler, for the lack of one,
            UUID buried = shop.insert("ledger", "buried");
            shop.bury(buried, "ledger", "buried", "lane-overflow");
            UUID unhandled = shop.due("no-handler", "unhandled");
            UUID unkeyed = shop.due("ledger", null);
            // in the hands of an external handler that is not heard of any more, or having ended its process with its
            // last
            // attempt.
            UUID expired = shop.insert("ledger", "expired");
            UUID killer = shop.insert("ledger", "killer");
            stack.execute(
                    "UPDATE tailrace.internal_command SET claim_token = gen_random_uuid(), claimed_until = now(), place = 7,"
                            + " attempts = 2 WHERE id = '" + expired + "'",
                    "UPDATE tailrace.internal_command SET turn = 1, place = 7, attempts = 3, not_before = now(), last_error ="
                            + " 'WorkerDied: worker died: its process ended while it ran this' WHERE id = '" + killer
                            + "'");
            shop.due(expired, "ledger", "expired", 0);
            shop.due(killer, "ledger", "killer", 0);
            for (UUID each : new UUID[] {buried, unhandled, expired, killer}) {
                shop.awaitStatus(each, "DEAD");
                assertThat(shop.row(each)).containsEntry("halts", "t");
                assertThat(shop.answersTo(each, 1).get(0)).containsEntry("tailrace-halts", "true");
            }
            shop.awaitStatus(unkeyed, "DEAD");
            assertThat(shop.row(unkeyed)).containsEntry("halts", "f");
        }
    }

    /** Killed between the stamp and its record: the table says it, whether or not anybody has heard. */
    @Test
    void aKeyStopsAtADeathOfWhichNobodyWasTold(Stack stack) throws Exception {
        ExecutorConfig all = Configs.executor(4).with(DeadLetterPolicy.of(OnDeadLetter.HALT_KEY));
        try (Shop shop = Shop.open(stack, all)) {
            stack.execute(
                    "CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS"
                            + " $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$",
                    "CREATE CONSTRAINT TRIGGER slowly AFTER UPDATE ON tailrace.internal_command DEFERRABLE INITIALLY"
                            + " DEFERRED FOR EACH ROW WHEN (NEW.status = 'DEAD' AND NEW.turn = 1)"
                            + " EXECUTE FUNCTION slowly()");
            UUID dead = shop.due("reject", "k");
            UUID behind = shop.due("ship", "k");
            try (ChildJvm child = KilledExecutorTest.child(shop, 10, "halt-key")) {
                shop.awaitCount("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'", 1);
                child.kill();
            }
            shop.awaitStatus(dead, "DEAD");
            assertThat(shop.allAnswers()).isEmpty();

            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            shop.executor(shop.config, registry, Effects.succeeding("reject"), Effects.succeeding("ship"));
            assertThat(shop.answersTo(dead, 1).get(0))
                    .containsEntry("tailrace-kind", "dead")
                    .containsEntry("tailrace-halts", "true");
            assertThat(shop.answersTo(behind, 1).get(0))
                    .containsEntry("tailrace-kind", "behind")
                    .containsEntry("tailrace-behind", dead.toString());
            shop.awaitAllPassed();
            assertThat(shop.count("SELECT count(*) FROM effect")).isZero();

            shop.awaitCount("SELECT count(*) WHERE tailrace.requeue_command('" + dead + "') = 'OK'", 1);
            shop.redelivered(dead, "reject", "k", 2, "1:0");
            shop.awaitStatus(dead, "COMPLETED");
            shop.release(shop.answerRecordsTo(behind, 1).get(0));
            shop.awaitStatus(behind, "COMPLETED");
            assertThat(shop.effectsOf("k")).containsExactly(dead.toString(), behind.toString());
            assertThat(Shop.idsOf(shop.allAnswers(), Kind.DEAD)).containsExactly(dead.toString());
        }
    }
}
