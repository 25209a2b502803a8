package io.tailrace.router.topology;

import static io.tailrace.contract.header.HeaderName.BEHIND;
import static io.tailrace.contract.header.HeaderName.CE_TIME;
import static io.tailrace.contract.header.HeaderName.REASON;
import static io.tailrace.contract.header.HeaderName.REPLAY_ID;
import static io.tailrace.contract.header.HeaderName.SEQ;
import static io.tailrace.contract.header.HeaderName.WAIT;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.tailrace.contract.config.RedactConfig;
import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.config.RoutesConfig.Rule;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.route.OnDeadLetter;
import io.tailrace.router.decide.Destination;
import io.tailrace.router.lane.LaneLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Whatever is thrown, and wherever: a step of the router is committed whole, or nothing of it is. */
class WholeOrNotAtAllTest {

    private static final Logger STREAMS = (Logger) LoggerFactory.getLogger("org.apache.kafka.streams");

    private static final String DESTINATION = "shop.events.sales";
    private static final String DLQ = "shop.events.dlq";

    private static final RoutesConfig ROUTES = new RoutesConfig(
            RoutesConfig.Default.CONTEXT, List.of(new Rule("sales.*", DESTINATION).with(OnDeadLetter.HALT_KEY)));

    private static final List<String> WRITTEN = List.of(
            DESTINATION,
            DLQ,
            "shop.audit-feed",
            "shop.events.retry",
            "shop.commands",
            "shop.commands.dlq",
            "shop.commands.redelivery");

    /** Every kind of step that writes: rows come onto lanes, are drained, die, halt a key, are replayed; commands wait, come back, die. */
    private static final List<Consumer<Rig>> STEPS = List.of(
            rig -> rig.destinations.put(DESTINATION, down()),
            rig -> rig.event("a", "sales.placed", "k"),
            rig -> rig.event("b", "sales.placed", "k"),
            rig -> rig.event("alone", "sales.placed", null),
            rig -> rig.destinations.clear(),
            rig -> rig.pass(Duration.ofSeconds(13)),
            rig -> rig.destinations.put(DESTINATION, Destination.writable(100)),
            rig -> rig.event("poison", "sales.placed", "k"),
            rig -> rig.event("behind it", "sales.placed", "k"),
            rig -> rig.destinations.clear(),
            rig -> rig.pipe(
                    rig.topics.retry("events"),
                    Rig.raw("poison", "sales.placed", "k", Kind.REPLAY)
                            .with(SEQ, "1:3")
                            .with(REPLAY_ID, "r"),
                    "k",
                    "mended"),
            rig -> rig.command("later", "ship-order", "k", Rig.START.plusSeconds(60)),
            rig -> rig.pass(Duration.ofSeconds(60)),
            rig -> rig.answer(Kind.FAILED, "c", "k", 1, "1:10", Map.of(WAIT, "1000")),
            rig -> rig.answer(Kind.BEHIND, "d", "k", 1, "1:11", Map.of(BEHIND, "c")),
            rig -> rig.pass(Duration.ofSeconds(1)),
            rig -> rig.answer(Kind.DONE, "c", "k", 1, "1:10", Map.of()),
            rig -> rig.answer(Kind.DEAD, "d", "k", 2, "1:11", Map.of(REASON, "rejected")),
            rig -> rig.control("requeue", "d", "k", 3, "1:11", null));

    /** A task that is stopped says so at length, and here it is stopped at every write. */
    @BeforeEach
    void hush() {
        STREAMS.setLevel(Level.OFF);
    }

    @AfterEach
    void speakAgain() {
        STREAMS.setLevel(null);
    }

    @Test
    void aStoreThatThrowsAtAnyWriteTakesBackTheStepAndParksNothing() {
        int writes = 0;
        boolean hasThrown = true;
        while (hasThrown) {
            writes++;
            hasThrown = playedUntil(writes);
        }
        assertThat(writes).as("writes of all steps").isGreaterThan(30);
    }

    /** Whether the n-th write is one of the play. */
    private static boolean playedUntil(int nthWrite) {
        FaultyStores stores = new FaultyStores();
        Rig rig = new Rig(LaneLimits.DEFAULT, ROUTES, RedactConfig.NONE, stores);
        stores.throwAtWrite(nthWrite);
        for (Consumer<Rig> step : STEPS) {
            WRITTEN.forEach(rig::read);
            try {
                step.accept(rig);
                assertThat(stores.hasThrown())
                        .as("write %d, swallowed", nthWrite)
                        .isFalse();
            } catch (RuntimeException stopped) {
                assertThat(stores.hasThrown()).as("%s", stopped).isTrue();
                WRITTEN.forEach(topic -> assertThat(rig.read(topic))
                        .as("%s after write %d", topic, nthWrite)
                        .isEmpty());
                return true;
            }
        }
        rig.close();
        return false;
    }

    /** No clock shows this instant: to subtract from it throws, and the row has nothing else wrong with it. */
    @Test
    void aRowWhoseTimeIsBeyondAllClocksIsDeliveredAndNotParkedAsWell() {
        try (Rig rig = new Rig(RoutesConfig.Default.CONTEXT)) {
            rig.pipe(
                    rig.topics.rawEvents(),
                    Rig.raw("a", "sales.placed", "k", Kind.EVENT).with(CE_TIME, Instant.MAX.toString()),
                    "k",
                    "payload");
            assertThat(rig.ids(DESTINATION)).containsExactly("a");
            assertThat(rig.ids("shop.audit-feed")).containsExactly("a");
            assertThat(rig.ids(DLQ)).isEmpty();
        }
    }

    private static Destination down() {
        return Destination.down(Destination.State.MISSING, "deleted");
    }
}
