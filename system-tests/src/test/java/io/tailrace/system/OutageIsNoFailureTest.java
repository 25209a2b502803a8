package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** P5: while a server is away no row uses an attempt and none is parked; when it is back all go on by themselves. */
@RealParts
class OutageIsNoFailureTest {

    private static final int ROWS = 40;

    /** Three attempts with waits of a tenth and two tenths: what counts an outage as a failure is through with its rows by then. */
    private static final Duration RETRY_BUDGET = Duration.ofMillis(100 + 200);

    private static final Duration OUTAGE = RETRY_BUDGET.multipliedBy(10);
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private Stack stack;
    private App app;
    private Pipeline pipeline;
    private Witness routed;
    private final List<UUID> events = new ArrayList<>();

    @BeforeEach
    void start(Stack given) throws SQLException {
        stack = given;
        app = App.on(stack);
        pipeline = Pipeline.running(
                stack,
                settings -> settings.route("shop.*")
                        .with("router.retry.base", "100ms")
                        .with("router.retry.cap", "200ms")
                        .with("router.retry.max-attempts", "3")
                        .with("executor.retry.base", "100ms")
                        .with("executor.retry.cap", "200ms")
                        .with("executor.retry.max-attempts", "3"));
        routed = Witness.of(stack, pipeline.destination("shop"));
    }

    @AfterEach
    void stop() {
        routed.close();
        pipeline.close();
    }

    @Test
    void theBrokerIsAway() throws SQLException {
        write("before", 0);
        stack.kafka().stop();
        write("during", 0);
        awaitEndOfOutage();
        stack.kafka().start();
        write("after", 0);
        assertAllDeliveredAndNothingUsed();
    }

    @Test
    void theDatabaseIsAway() throws SQLException {
        write("before", 0);
        // Due while it is away: with the router, which can tell, and the executor, which cannot look.
        write("ahead", 1_500);
        try (Connection holder = stack.connect();
                Statement lock = holder.createStatement()) {
            lock.execute("SELECT pg_advisory_lock(7)");
            app.command("in-the-midst", "{\"n\":0,\"lock\":7}");
            await("a handler that runs when it goes")
                    .atMost(PATIENCE)
                    .until(() -> app.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
                            > 0);
            stack.postgres().stopImmediate();
        }
        awaitEndOfOutage();
        stack.postgres().start();
        write("after", 0);
        assertAllDeliveredAndNothingUsed();
    }

    private void write(String key, int delayMs) throws SQLException {
        events.addAll(app.transact(connection -> {
            List<UUID> ids = new ArrayList<>();
            for (int n = 0; n < ROWS; n++) {
                ids.add(App.event(connection, "shop.placed", key + n % 7, n));
                App.commandLater(connection, key + n % 7, "{\"n\":" + n + ",\"sleepMs\":20}", delayMs);
            }
            return ids;
        }));
    }

    /** Longer than all attempts together, several times; what has begun to wait by then is for each part to say. */
    private static void awaitEndOfOutage() {
        await("the outage to be long enough")
                .pollDelay(OUTAGE)
                .atMost(OUTAGE.multipliedBy(10))
                .until(() -> true);
    }

    private void assertAllDeliveredAndNothingUsed() throws SQLException {
        routed.awaitRows(events);
        await("all commands are done")
                .atMost(PATIENCE)
                .until(() -> app.number("SELECT count(*) FROM " + App.COMMANDS + " WHERE status <> 'COMPLETED'") == 0);
        assertThat(app.effects()).hasSize((int) app.number("SELECT count(*) FROM " + App.COMMANDS));
        assertThat(app.number("SELECT sum(attempts) FROM " + App.COMMANDS)).isZero();
        assertThat(routed.count()).isEqualTo(events.size());
        assertThat(stack.reader()
                        .read(
                                pipeline.topics().deadLetters("events"),
                                pipeline.topics().deadLetters("commands")))
                .isEmpty();
        // A broker that comes back has its leaders a moment later: until then rows wait for their destination.
        assertThat(stack.reader().read(pipeline.topics().retry("events")))
                .as("no event has used an attempt")
                .allSatisfy(record -> assertThat(TopicReader.header(record, "tailrace-attempt"))
                        .isEqualTo("0"));
        PerKeyOrderTest.assertSeqRises(routed.seen());
    }
}
