package io.tailrace.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.operations.sweep.DeadRows;
import io.tailrace.operations.sweep.InHand;
import io.tailrace.operations.sweep.OverdueDeliveries;
import io.tailrace.operations.sweep.OverdueRows;
import io.tailrace.operations.sweep.Waiting;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What upkeep and operators make of dead rows at which their keys stop. */
@RealParts
class HaltedRowsTest {

    private static final Duration OVERDUE = Duration.ofMinutes(15);
    private static final Waiting WAITING = Waiting.unless(new CountDownLatch(1));

    @Test
    void whatStandsBehindOneIsNotMissedAndOneIsNotGivenUpForItsAge(Stack stack) throws Exception {
        Tables tables = Tables.on(stack);
        dead(tables, 0x11, "stops", true);
        dead(tables, 0x12, "goes-on", false);
        for (int n : new int[] {0x21, 0x22}) {
            tables.command(n, "PENDING", null, "now() - interval '1 hour'");
            tables.standing(n, n == 0x21 ? "stops" : "goes-on", 20);
        }
        for (int n : new int[] {0x31, 0x32}) {
            String key = n == 0x31 ? "stops" : "goes-on";
            tables.waitingDelivery("billing", n, key, 1, "NULL", 1);
            tables.setDelivery(
                    n,
                    "status = 'DEAD', failed_at = now() - interval '90 days', announced_at = now(), halts = "
                            + (n == 0x31));
            tables.waitingDelivery("billing", n + 0x10, key, 2, "NULL", 2);
        }
        try (Connection connection = stack.connect()) {
            assertThat(new OverdueRows(tables.config.source().tables())
                            .count(connection, OVERDUE, InHand.NONE, WAITING)
                            .pending())
                    .as("that of the key that goes on")
                    .isEqualTo(1);
            assertThat(new OverdueDeliveries(tables.config.source().tables(), "billing", tables.config.ceSource())
                            .count(connection, OVERDUE, InHand.NONE, WAITING)
                            .pending())
                    .isEqualTo(1);
            assertThat(new DeadRows(tables.config.source().tables())
                            .giveUpOlderThan(connection, Duration.ofDays(30), WAITING))
                    .isEqualTo(1);
        }
        assertThat(tables.column(0x11, "status")).isEqualTo("DEAD");
        assertThat(tables.column(0x12, "status")).isEqualTo("CANCELLED");
        assertThat(new Commands(tables.config.source())
                        .counts(java.util.Optional.empty())
                        .blocked())
                .as("until an operator has acted")
                .isEqualTo(1);
    }

    /** The router has to hear of it: its lane stands. */
    @Test
    void whoGivesOneUpTellsTheRouterInTheSameTransaction(Stack stack) throws Exception {
        Tables tables = Tables.on(stack);
        stack.execute("SELECT pg_create_logical_replication_slot('watch_" + stack.namespace() + "', 'test_decoding')");
        dead(tables, 0x11, "stops", true);
        assertThat(new Commands(tables.config.source()).giveUpForItsAge(UUID.fromString(Tables.id(0x11))))
                .as("its age lets no key go on")
                .isEqualTo(DeadRows.Outcome.TAKEN);
        assertThat(new Commands(tables.config.source()).giveUp(UUID.fromString(Tables.id(0x11))))
                .isEqualTo(DeadRows.Outcome.CANCELLED);
        assertThat(tables.column(0x11, "halts")).isEqualTo("f");
        assertThat(tables.text("SELECT string_agg(data, ' ') FROM pg_logical_slot_get_changes('watch_"
                        + stack.namespace() + "', NULL, NULL) WHERE data LIKE '%tailrace.control%'"))
                .contains("\"act\" : \"cancel\"", Tables.id(0x11));
        assertThat(new Commands(tables.config.source()).giveUp(UUID.fromString(Tables.id(0x11))))
                .isEqualTo(DeadRows.Outcome.NOT_DEAD);
    }

    private static void dead(Tables tables, int n, String key, boolean halts) throws Exception {
        tables.command(n, "DEAD", null, "now() - interval '90 days'");
        tables.set(n, "failed_at = now() - interval '90 days', announced_at = now(), halts = " + halts);
        tables.standing(n, key, 10);
    }
}
