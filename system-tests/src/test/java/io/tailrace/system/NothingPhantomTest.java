package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import io.tailrace.testkit.guarantees.History;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** P1: a rolled-back transaction or savepoint emits nothing; a committed one emits every row. */
@RealParts
class NothingPhantomTest {

    private static final int TRANSACTIONS = 60;

    private Stack stack;
    private App app;
    private Pipeline pipeline;
    private Witness routed;

    @BeforeEach
    void start(Stack given) throws SQLException {
        stack = given;
        app = App.on(stack);
        pipeline = Pipeline.running(stack, settings -> settings.route("shop.*"));
        routed = Witness.of(stack, pipeline.destination("shop"));
    }

    @AfterEach
    void stop() {
        routed.close();
        pipeline.close();
    }

    @Test
    void whatIsInTheTablesIsInTheTopicsAndNothingElse() throws SQLException {
        Set<String> takenBack = new HashSet<>();
        for (int i = 0; i < TRANSACTIONS; i++) {
            try (Connection connection = stack.connect()) {
                connection.setAutoCommit(false);
                write(connection, i, takenBack);
            }
        }
        // The last row of all: what was written before it has been read when this one arrives.
        UUID last = app.event("shop.last", "key-0", TRANSACTIONS);

        long events = app.number("SELECT count(*) FROM " + App.EVENTS);
        long commands = app.number("SELECT count(*) FROM " + App.COMMANDS);
        routed.await1("the last event", sighting -> sighting.id().equals(last.toString()));
        routed.awaitCount((int) events);
        await().atMost(Duration.ofSeconds(60))
                .until(() ->
                        app.number("SELECT count(*) FROM " + App.COMMANDS + " WHERE status = 'COMPLETED'") == commands);

        try (Connection connection = stack.connect()) {
            History.of(connection, "SELECT id, ordering_key FROM " + App.EVENTS + " ORDER BY (payload->>'n')::int")
                    .compare(routed.seen(), Witness.Sighting::id)
                    .assertClean();
            History.of(connection, "SELECT id, ordering_key FROM " + App.COMMANDS + " ORDER BY (payload->>'n')::int")
                    .compare(app.effects(), App.Effect::commandId)
                    .assertClean();
        }
        // Also not on the way, where a reader of destinations does not look.
        String[] everywhere = {
            pipeline.topics().rawEvents(),
            pipeline.topics().rawCommands(),
            pipeline.topics().commands(),
        };
        assertThat(stack.reader().read(everywhere))
                .extracting(each -> TopicReader.header(each, "ce_id"))
                .hasSize((int) (events + 2 * commands))
                .doesNotContainAnyElementsOf(takenBack);
    }

    /** One in four is rolled back, one in three takes a part back to a savepoint, half of these go on after it. */
    private static void write(Connection connection, int i, Set<String> takenBack) throws SQLException {
        String key = "key-" + i % 5;
        Set<String> all = new HashSet<>();
        all.add(App.event(connection, "shop.placed", key, i).toString());
        all.add(App.command(connection, EffectHandler.NAME, key, "{\"n\":" + 2 * i + "}")
                .toString());
        if (i % 3 == 0) {
            Savepoint savepoint = connection.setSavepoint();
            takenBack.add(App.event(connection, "shop.regretted", key, i).toString());
            takenBack.add(App.command(connection, EffectHandler.NAME, key, "{\"n\":" + i + "}")
                    .toString());
            connection.rollback(savepoint);
        }
        if (i % 2 == 0) {
            all.add(App.command(connection, EffectHandler.NAME, key, "{\"n\":" + (2 * i + 1) + "}")
                    .toString());
        }
        if (i % 4 == 3) {
            connection.rollback();
            takenBack.addAll(all);
        } else {
            connection.commit();
        }
    }
}
