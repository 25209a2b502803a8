package io.tailrace.engine;

import static io.tailrace.engine.EngineFixture.header;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.name.TableNames;
import io.tailrace.schema.Schema;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.sql.Connection;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Schema and tables may have any name that PostgreSQL takes: nothing on the way takes one for a pattern, a list or an end of a text. */
@RealParts
class OddNamesTest {

    private static final TableNames ODD =
            new TableNames("Größe \"q\" 1%_\\d.*", "Out.Box, it's $1 [é]", "Befehl \"\\\" 😀 (a|b)?");

    /** Names that the odd ones would match, were one of them read as a pattern. */
    private static final TableNames DECOYS =
            new TableNames("Größe \"q\" 1xx\\d.*", "OutxBox, it's $1 e", "Befehl \"\\\" 😀 a");

    @Test
    void rowsAndActsComeOutOfTablesOfAnyName(Stack stack) throws Exception {
        EngineFixture.migrate(stack, ODD);
        String outbox = ODD.qualified(ODD.outbox());
        String commands = ODD.qualified(ODD.internalCommand());
        stack.execute(
                "CREATE SCHEMA " + TableNames.quoted(DECOYS.schema()),
                "CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS, more text NOT NULL DEFAULT 'decoy')"
                        .formatted(DECOYS.qualified(ODD.outbox()), outbox),
                "CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS, more text NOT NULL DEFAULT 'decoy')"
                        .formatted(ODD.qualified(DECOYS.outbox()), outbox));
        try (EngineFixture fixture = new EngineFixture(stack, EngineFixture.config(stack, ODD)).started();
                Connection connection = stack.connect()) {
            stack.execute(
                    "INSERT INTO %s (event_name) VALUES ('decoy.row')".formatted(DECOYS.qualified(ODD.outbox())),
                    "INSERT INTO %s (event_name) VALUES ('decoy.row')".formatted(ODD.qualified(DECOYS.outbox())),
                    "INSERT INTO %s (event_name, ordering_key, payload) VALUES ('a.b', 'k', '{ }')".formatted(outbox),
                    "INSERT INTO %s (id, command_name, run_at) VALUES ('0190b7a0-0000-7000-8000-000000000001', 'bill', 'infinity')"
                            .formatted(commands),
                    "SELECT %s.cancel_command('0190b7a0-0000-7000-8000-000000000001')"
                            .formatted(TableNames.quoted(ODD.schema())));
            List<ConsumerRecord<byte[], byte[]>> events =
                    stack.reader().awaitCount(1, EngineFixture.PATIENCE, fixture.topics.rawEvents());
            assertThat(events).hasSize(1);
            assertThat(header(events.get(0), "ce_type")).isEqualTo("a.b");
            assertThat(TopicReader.text(events.get(0).value())).isEqualTo("{ }");
            List<ConsumerRecord<byte[], byte[]>> raw =
                    stack.reader().awaitCount(2, EngineFixture.PATIENCE, fixture.topics.rawCommands());
            assertThat(raw).extracting(each -> header(each, "tailrace-kind")).containsExactly("command", "control");
            assertThat(header(raw.get(1), "tailrace-control")).isEqualTo("cancel");
            assertThat(Schema.differences(connection, ODD)).isEmpty();
        }
    }
}
