package io.tailrace.router.topology;

import static io.tailrace.contract.config.RoutesConfig.Default.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.record.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The router's metrics tell what has happened. */
class MetricsMoveTest {

    private static final RoutesConfig.Rule SALES = new RoutesConfig.Rule("sales.*", "shop.events.sales");

    @Test
    void eachMovesWithWhatItTellsOf() {
        try (Rig rig = new Rig(NONE, SALES)) {
            assertThat(gauge(rig, "oldest.blocked.age")).isZero();
            rig.clock.advance(Duration.ofMillis(70));
            rig.event("a", "sales.order-placed", "j");
            assertThat(counter(rig, "routed", "events")).isEqualTo(1);
            assertThat(millis(rig, "commit.to.routed")).isEqualTo(70);

            rig.event("poison", "stock.counted", "k");
            rig.event("behind", "sales.order-placed", "k");
            assertThat(counter(rig, "retried", "events")).isEqualTo(1);
            assertThat(gauge(rig, "blocked.keys")).isEqualTo(1);
            assertThat(gauge(rig, "parked.rows")).isEqualTo(2);
            assertThat(gauge(rig, "parked.bytes")).isGreaterThan(100);
            rig.clock.advance(Duration.ofSeconds(5));
            assertThat(gauge(rig, "oldest.blocked.age")).isEqualTo(5);

            rig.pass(Duration.ofSeconds(12));
            assertThat(counter(rig, "routed", "events")).isEqualTo(2);
            for (String gone : List.of("blocked.keys", "parked.rows", "parked.bytes", "oldest.blocked.age")) {
                assertThat(gauge(rig, gone)).as(gone).isZero();
            }
            assertThat(rig.registry.get("tailrace.router.blocked").timer().count())
                    .isEqualTo(1);
            var attempts = rig.registry.get("tailrace.router.attempts").summary();
            assertThat(attempts.count()).as("two delivered, one given up").isEqualTo(3);
            assertThat(attempts.max()).isEqualTo(2);
        }
    }

    @Test
    void aCommandThatFailsInAnExecutorIsRetriedAndOneThatIsDueTellsHowLate() {
        try (Rig rig = new Rig(NONE, SALES)) {
            Map<HeaderName, String> failed = Map.of(HeaderName.WAIT, "1000", HeaderName.ATTEMPT, "1");
            rig.answer(Kind.FAILED, "c", "k", 1, "1:7", failed);
            assertThat(counter(rig, "retried", "commands")).isEqualTo(1);
            rig.answer(Kind.FAILED, "c", "k", 1, "1:7", failed);
            assertThat(counter(rig, "retried", "commands")).as("heard twice").isEqualTo(1);
            rig.pass(Duration.ofSeconds(2));
            assertThat(counter(rig, "released", "commands")).isEqualTo(1);

            rig.command("d", "ship-order", "j", rig.clock.instant().plusSeconds(1));
            rig.pass(Duration.ofMillis(1_200));
            assertThat(counter(rig, "routed", "commands")).isEqualTo(1);
            assertThat(millis(rig, "lateness")).isEqualTo(200);
        }
    }

    private static double counter(Rig rig, String name, String x) {
        return rig.registry.get("tailrace.router." + name).tag("x", x).counter().count();
    }

    private static double gauge(Rig rig, String name) {
        return rig.registry.get("tailrace.router." + name).gauge().value();
    }

    private static double millis(Rig rig, String name) {
        return rig.registry.get("tailrace.router." + name).timer().totalTime(TimeUnit.MILLISECONDS);
    }
}
