package io.tailrace.operations;

import static org.assertj.core.api.Assertions.assertThat;

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
}
