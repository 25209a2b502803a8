package io.tailrace.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.operations.Pauses.Kind;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import org.junit.jupiter.api.Test;

@RealParts
class PausesTest {

    @Test
    void namesArePausedListedAndResumed(Stack stack) throws Exception {
        TailraceConfig config = ParkedRows.config(
                stack.namespace(),
                stack.bootstrapServers(),
                "127.0.0.1",
                stack.postgres().port(),
                stack.database());
        try (Connection connection = stack.connect()) {
            Schema.migrate(
                    connection,
                    TableNames.DEFAULT,
                    Scope.ALL,
                    Ownership.of(config.namespace(), config.source().name()));
        }
        Pauses pauses = new Pauses(config.source());
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
                            assertThat(charge.kind()).isEqualTo(Kind.PAUSED);
                            assertThat(charge.by()).contains("ops");
                            assertThat(charge.note()).contains("the bank moves");
                            assertThat(charge.rows()).isEqualTo(1);
                        },
                        mail -> {
                            assertThat(mail.kind()).isEqualTo(Kind.BROKEN);
                            assertThat(mail.note()).contains("smtp is unavailable");
                        });

        // Over the breaker's word: no probe resumes it then.
        assertThat(pauses.pause("mail", "ops", "")).isTrue();
        assertThat(pauses.list().get(1).kind()).isEqualTo(Kind.PAUSED);

        assertThat(pauses.resume("mail")).isTrue();
        assertThat(pauses.resume("mail")).isFalse();
        assertThat(pauses.list()).hasSize(1);
    }
}
