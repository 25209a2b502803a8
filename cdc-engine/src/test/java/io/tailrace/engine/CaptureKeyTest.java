package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.engine.capture.DebeziumSettings;
import io.tailrace.engine.capture.LogStream;
import io.tailrace.engine.publish.CommittedOffsets;
import io.tailrace.engine.source.Lsn;
import io.tailrace.engine.source.Position;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The shape of the tables decides what capture costs: a table in which Debezium sees a key is read at two thirds of the speed. */
@RealParts
class CaptureKeyTest {

    @Test
    void debeziumSeesNoKeyInEitherTable(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        TailraceConfig config = EngineFixture.config(
                stack.namespace(), stack.database(), stack.postgres().port(), stack.bootstrapServers());
        LinkedBlockingQueue<SourceRecord> rows = new LinkedBlockingQueue<>();
        try (CommittedOffsets.Desk desk =
                new CommittedOffsets.Desk(Position.seed("any", 1, config.slot(), confirmed(stack, config.slot())))) {
            Properties settings = DebeziumSettings.of(
                    config.source(),
                    config.engine(),
                    config.slot(),
                    config.publication(),
                    CommittedOffsets.class.getName(),
                    "SELECT 1");
            desk.options().forEach(settings::setProperty);
            LogStream stream = new LogStream(config.slot(), settings, new Collector(rows));
            stream.start();
            try {
                stack.execute(
                        "INSERT INTO tailrace.outbox (event_name) VALUES ('a.b')",
                        "INSERT INTO tailrace.internal_command (command_name, dedup_key) VALUES ('bill', 'once')");
                assertNoKey(rows.poll(60, TimeUnit.SECONDS), "outbox");
                assertNoKey(rows.poll(60, TimeUnit.SECONDS), "internal_command");
            } finally {
                assertThat(stream.stop(Duration.ofSeconds(9))).isTrue();
            }
        }
    }

    private static void assertNoKey(@Nullable SourceRecord row, String table) {
        if (row == null) {
            throw new AssertionError("no row of " + table + " was captured");
        }
        assertThat(row.topic()).endsWith("." + table);
        assertThat(row.key()).as("key of " + table).isNull();
    }

    private static long confirmed(Stack stack, String slot) throws SQLException {
        try (Connection connection = stack.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT confirmed_flush_lsn::text FROM pg_replication_slots WHERE slot_name = '" + slot
                                + "'")) {
            assertThat(row.next()).isTrue();
            return Lsn.parse(row.getString(1));
        }
    }

    private record Collector(LinkedBlockingQueue<SourceRecord> rows)
            implements DebeziumEngine.ChangeConsumer<RecordChangeEvent<SourceRecord>> {
        @Override
        public void handleBatch(
                List<RecordChangeEvent<SourceRecord>> records,
                DebeziumEngine.RecordCommitter<RecordChangeEvent<SourceRecord>> committer) {
            for (RecordChangeEvent<SourceRecord> each : records) {
                if (each.record().value() instanceof Struct change
                        && change.schema().field("after") != null) {
                    rows.add(each.record());
                }
            }
        }
    }
}
