package io.tailrace.router.topology;

import static io.tailrace.contract.config.RoutesConfig.Default.CONTEXT;
import static io.tailrace.contract.config.RoutesConfig.Default.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Kind;
import io.tailrace.router.decide.Destination;
import io.tailrace.router.lane.LaneLimits;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Whatever a row is parked for: one dead letter with the reason, the payload bit for bit, and one ERROR that says so. */
class EachParkingTest {

    private static final String DLQ = "shop.events.dlq";

    private static final String HUGE_KEY = "k".repeat(2_000);

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.tailrace");

    /** Where the row was to go, if anybody knows. */
    private @Nullable String destination;

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(log);
    }

    @Test
    void aRecordThatCannotBeRead() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.pipe(rig.topics.rawEvents(), Headers.empty(), HUGE_KEY, "payload of row");
            assertOneLetter(rig, "malformed", 1);
        }
    }

    @Test
    void anEventWithoutARoute() {
        try (Rig rig = new Rig(NONE)) {
            rig.event("row", "sales.order-placed", HUGE_KEY);
            rig.pass(Duration.ofSeconds(12));
            assertOneLetter(rig, "no-route", 2);
        }
    }

    @Test
    void anEventThatIsTooLargeForItsDestination() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.destinations.put("shop.events.sales", Destination.writable(100));
            rig.event("row", "sales.order-placed", HUGE_KEY);
            destination = "shop.events.sales";
            assertOneLetter(rig, "too-large", 1);
        }
    }

    @Test
    void aRowAtWhichATimerThrows() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.destinations.put("shop.events.sales", Destination.down(Destination.State.MISSING, "deleted"));
            rig.event("row", "sales.order-placed", HUGE_KEY);
            rig.thrownByDestinations = new IllegalStateException("a bug");
            rig.pass(Duration.ofSeconds(12));
            destination = "shop.events.sales";
            assertOneLetter(rig, "timer-error", 0);
        }
    }

    @Test
    void aRowAtWhichItsArrivalThrows() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.thrownByDestinations = new IllegalStateException("a bug");
            rig.event("row", "sales.order-placed", HUGE_KEY);
            destination = "shop.events.sales";
            assertOneLetter(rig, "timer-error", 1);
        }
    }

    @Test
    void theHeadOfALaneThatIsTooLong() {
        RoutesConfig.Rule stock = new RoutesConfig.Rule("stock.*", "shop.events.stock");
        try (Rig rig = new Rig(new LaneLimits(1, 1 << 20, 10), NONE, stock)) {
            rig.event("row", "sales.order-placed", HUGE_KEY);
            rig.event("behind", "stock.counted", HUGE_KEY);
            assertOneLetter(rig, "lane-overflow", 1);
        }
    }

    @Test
    void aMadeUpLineOfTheLogIsNone() {
        try (Rig rig = new Rig(CONTEXT)) {
            rig.pipe(
                    rig.topics.rawEvents(),
                    Rig.raw("row", "no\nERROR name", "k\nERROR", Kind.EVENT),
                    HUGE_KEY,
                    "payload of row");
            assertOneLetter(rig, "name-invalid", 1);
        }
    }

    private void assertOneLetter(Rig rig, String reason, int attempts) {
        List<Rig.Out> dead = rig.read(DLQ);
        assertThat(dead).hasSize(1);
        assertThat(dead.get(0).text(HeaderName.REASON)).isEqualTo(reason);
        assertThat(dead.get(0).text(HeaderName.ATTEMPT)).isEqualTo(Integer.toString(attempts));
        assertThat(dead.get(0).value()).isEqualTo("payload of row");
        assertThat(dead.get(0).text(HeaderName.ORIGIN_TOPIC)).isEqualTo("shop.raw.events");
        assertThat(dead.get(0).headers().text(HeaderName.DESTINATION).orElse(null))
                .isEqualTo(destination);
        List<String> errors = log.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.ERROR))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
        assertThat(errors).hasSize(1);
        assertThat(errors.get(0))
                .contains("rowId=" + dead.get(0).key())
                .contains("key=k")
                .contains("reason=" + reason)
                .contains("attempts=" + attempts)
                .doesNotContain("payload of row")
                .doesNotContain("\n")
                .hasSizeLessThan(600);
        double counted = rig.registry
                .get("tailrace.router.dead.letters")
                .tags("x", "events", "reason", reason)
                .counter()
                .count();
        assertThat(counted).isEqualTo(1);
    }
}
