package io.tailrace.system;

import static org.awaitility.Awaitility.await;

import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import io.tailrace.testkit.guarantees.History;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** P2: readers see each committed row once and in the order of its key, whatever is killed, and when. */
@RealParts
class ExactlyOnceThroughKillsTest {

    private static final long SEED = 20_260_101L;
    private static final int ROWS_BETWEEN_KILLS = 400;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private Stack stack;
    private App app;
    private Pipeline pipeline;
    private Witness routed;
    private Writers writers;

    @BeforeEach
    void prepare(Stack given) throws SQLException {
        stack = given;
        app = App.on(stack);
        pipeline = Pipeline.on(stack, settings -> settings.route("shop.*"));
        routed = Witness.of(
                stack, pipeline.destination("shop"), pipeline.topics().commands());
        writers = new Writers(stack, routed::count, SEED);
    }

    @AfterEach
    void stop() {
        writers.close();
        routed.close();
        pipeline.close();
    }

    @Test
    void throughKillsOfTheEngine() throws SQLException {
        pipeline.start(Stage.ROUTER);
        killInTheMidst(Stage.ENGINE);
    }

    @Test
    void throughKillsOfTheRouter() throws SQLException {
        pipeline.start(Stage.ENGINE);
        killInTheMidst(Stage.ROUTER);
    }

    private void killInTheMidst(Stage stage) throws SQLException {
        Child child = pipeline.startChild(stage);
        child.awaitReady();
        writers.start();
        // In full flow.
        awaitMore(ROWS_BETWEEN_KILLS);
        child.kill();
        // While it takes over what the one before left open.
        child = pipeline.startChild(stage);
        child.awaitStarted();
        child.kill();
        // At the first sign of life, while it catches up.
        child = pipeline.startChild(stage);
        awaitMore(1);
        child.kill();
        child = pipeline.startChild(stage);
        awaitMore(ROWS_BETWEEN_KILLS);
        child.kill();
        pipeline.startChild(stage);
        awaitMore(ROWS_BETWEEN_KILLS);
        assertEachOnceAndInOrder(writers.finish());
    }

    private void assertEachOnceAndInOrder(int committed) throws SQLException {
        await("all " + committed + " rows, seed " + SEED).atMost(PATIENCE).until(() -> routed.count() >= committed);
        // A row that is delivered once too often comes before these, which go through every partition.
        List<UUID> last = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            last.add(app.event("shop.last", "last-" + i, 0));
        }
        routed.awaitRows(last);

        try (Connection connection = stack.connect()) {
            History events = History.of(connection, ordered(App.EVENTS));
            History commands = History.of(connection, ordered(App.COMMANDS));
            events.compare(
                            routed.seen().stream()
                                    .filter(each -> each.topic().equals(pipeline.destination("shop")))
                                    .toList(),
                            Witness.Sighting::id)
                    .assertClean();
            commands.compare(
                            routed.seen().stream()
                                    .filter(each -> each.topic()
                                            .equals(pipeline.topics().commands()))
                                    .toList(),
                            Witness.Sighting::id)
                    .assertClean();
            events.compare(stack.reader().read(pipeline.topics().rawEvents()), ExactlyOnceThroughKillsTest::id)
                    .assertClean();
            commands.compare(stack.reader().read(pipeline.topics().rawCommands()), ExactlyOnceThroughKillsTest::id)
                    .assertClean();
        }
        PerKeyOrderTest.assertSeqRises(routed.seen());
    }

    private static String id(ConsumerRecord<?, ?> record) {
        return String.valueOf(TopicReader.header(record, "ce_id"));
    }

    private static String ordered(String table) {
        return "SELECT id, ordering_key FROM " + table + " ORDER BY (payload->>'n')::int";
    }

    private void awaitMore(int rows) {
        int wanted = routed.count() + rows;
        await(rows + " more rows, seed " + SEED)
                .pollInterval(Duration.ofMillis(10))
                .atMost(PATIENCE)
                .until(() -> routed.count() >= wanted);
    }
}
