package io.tailrace.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.record.HoldKind;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import org.junit.jupiter.api.Test;

@RealParts
class PausesTest {

    @Test
    void namesArePausedListedAndResumed(Stack stack) throws Exception {
        Pauses pauses = new Pauses(Tables.on(stack).config.source());
        assertThat(pauses.list()).isEmpty();

        assertThat(pauses.pause("billing.charge", "ops", "the bank moves")).isTrue();
        assertThat(pauses.pause("billing.charge", "other", "too late")).isFalse();
        stack.execute(
                "INSERT INTO tailrace.internal_command (command_name, hold) VALUES ('billing.charge', 'billing.charge')",
                "SELECT tailrace.hold_name('mail', 'broken', 'executor', 'smtp is unavailable', 1000)");

        assertThat(pauses.list())
                .satisfiesExactly(
                        charge -> {
                            assertThat(charge.name()).isEqualTo("billing.charge");
                            assertThat(charge.kind()).isEqualTo(HoldKind.PAUSED);
                            assertThat(charge.by()).contains("ops");
                            assertThat(charge.note()).contains("the bank moves");
                            assertThat(charge.rows()).isEqualTo(1);
                        },
                        mail -> {
                            assertThat(mail.kind()).isEqualTo(HoldKind.BROKEN);
                            assertThat(mail.note()).contains("smtp is unavailable");
                        });

        // Over the breaker's word: no probe resumes it then.
        assertThat(pauses.pause("mail", "ops", "")).isTrue();
        assertThat(pauses.list().get(1).kind()).isEqualTo(HoldKind.PAUSED);

        assertThat(pauses.resume("mail")).isTrue();
        assertThat(pauses.resume("mail")).isFalse();
        assertThat(pauses.list()).hasSize(1);
    }

    /** What is said of a subscription is said of no other, nor of commands. */
    @Test
    void eventsOfASubscriptionArePausedByNameOrAllTogether(Stack stack) throws Exception {
        SourceConfig source = Tables.on(stack).config.source();
        Pauses billing = Pauses.ofEvents(source, "billing");
        assertThat(billing.pause("sales.order", "ops", "the bank moves")).isTrue();
        assertThat(billing.pause("*", "ops", "")).isTrue();
        assertThat(billing.pause("*", "ops", "")).isFalse();
        assertThat(Pauses.ofEvents(source, "shipping").list()).isEmpty();
        assertThat(new Pauses(source).list()).isEmpty();
        assertThat(new Pauses(source).resume("sales.order")).isFalse();
        stack.execute("INSERT INTO tailrace.delivery (subscription, event_id, hold) VALUES"
                + " ('billing', gen_random_uuid(), 'sales.order'), ('billing', gen_random_uuid(), 'sales.refund'),"
                + " ('shipping', gen_random_uuid(), 'sales.order')");

        assertThat(billing.list())
                .extracting(Pauses.Pause::name, Pauses.Pause::rows)
                .containsExactly(tuple("*", 2L), tuple("sales.order", 1L));
        assertThat(billing.resume("sales.order")).isTrue();
        assertThat(billing.resume("*")).isTrue();
        assertThat(billing.list()).isEmpty();
    }
}
