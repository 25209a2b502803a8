package io.tailrace.engine;

import static io.tailrace.engine.EngineFixture.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.contract.Health;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.TableNames;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is done to the tables beside inserting, and to their shape, under way: rows come out once and as they were. */
@RealParts
class TableChangesTest {

    private static final int CLEANED_ROWS = 20_000;

    @Test
    void whatIsNoInsertEmitsNothingAndWarnsOfNothing(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (ChildJvm engine = EngineProcess.start(stack)) {
            engine.awaitLine(EngineProcess.READY, EngineFixture.PATIENCE);
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('first.one')");
            String topic = stack.namespace() + ".raw.events";
            stack.reader().awaitCount(1, EngineFixture.PATIENCE, topic);
            int linesBefore = engine.output().size();
            stack.execute(
                    // Rows that this publication never saw inserted are cleaned up as silently as the others.
                    "SET session_replication_role = replica",
                    "INSERT INTO tailrace.internal_command (command_name, run_at) SELECT 'bill', 'infinity' FROM generate_series(1, 50)",
                    "UPDATE tailrace.internal_command SET status = 'CANCELLED'",
                    "UPDATE tailrace.outbox SET payload = '{}'",
                    "DELETE FROM tailrace.internal_command",
                    "BEGIN; INSERT INTO tailrace.outbox (event_name) SELECT 'gone.before' FROM generate_series(1, %d); ROLLBACK"
                            .formatted(CLEANED_ROWS),
                    "INSERT INTO tailrace.outbox (event_name) SELECT 'cleaned.up' FROM generate_series(1, %d)"
                            .formatted(CLEANED_ROWS),
                    "UPDATE tailrace.outbox SET content_type = 'text/plain'",
                    "DELETE FROM tailrace.outbox",
                    "INSERT INTO tailrace.outbox (event_name) VALUES ('also.gone')",
                    "TRUNCATE tailrace.outbox, tailrace.internal_command",
                    "INSERT INTO tailrace.outbox (event_name) VALUES ('last.one')");
            String end = query(stack, "SELECT pg_current_wal_lsn()::text");
            await().atMost(EngineFixture.PATIENCE)
                    .until(() -> query(
                                    stack,
                                    "SELECT confirmed_flush_lsn >= '%s' FROM pg_replication_slots WHERE database = '%s'"
                                            .formatted(end, stack.database()))
                            .equals("t"));
            assertThat(Witness.awaitRows(stack.bootstrapServers(), topic, CLEANED_ROWS + 3))
                    .isEqualTo(CLEANED_ROWS + 3);
            assertThat(stack.reader().read(stack.namespace() + ".raw.commands")).hasSize(50);
            assertThat(engine.output().subList(linesBefore, engine.output().size()))
                    .as("nothing is said of what is no insert")
                    // Debezium itself says over and over that there is no key, and is not listened to where it is not
                    // under test.
                    .filteredOn(
                            line -> (line.contains(" WARN ") || line.contains(" ERROR ")) && !line.contains("i.d.c.p"))
                    .isEmpty();
        }
    }

    @Test
    void partitionsComeAndGoWhileRowsFlow(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture fixture = new EngineFixture(stack).started();
                Rows rows = new Rows(stack)) {
            fixture.awaitState(Health.State.READY);
            rows.awaitMore(50);
            try (Connection connection = stack.connect()) {
                assertThat(Schema.partitionOutbox(
                                connection,
                                TableNames.DEFAULT,
                                Ownership.of(new Namespace(stack.namespace()), stack.database())))
                        .isTrue();
            }
            rows.awaitMore(50);
            stack.execute(
                    // Other columns in another order, one of them dropped: what is attached need not look alike inside.
                    "CREATE TABLE tailrace.attached (gone int, occurred_at timestamptz NOT NULL DEFAULT clock_timestamp())",
                    "ALTER TABLE tailrace.attached DROP COLUMN gone, ADD COLUMN payload json, ADD COLUMN headers json,"
                            + " ADD COLUMN payload_binary bytea, ADD COLUMN event_version int, ADD COLUMN id uuid NOT NULL,"
                            + " ADD COLUMN event_name text NOT NULL, ADD COLUMN ordering_key text, ADD COLUMN content_type text,"
                            + " ADD COLUMN tenant_id text, ADD COLUMN user_id text, ADD COLUMN user_roles text,"
                            + " ADD COLUMN correlation_id text, ADD COLUMN causation_id text, ADD COLUMN traceparent text",
                    checksOf("attached"),
                    "ALTER TABLE tailrace.outbox ATTACH PARTITION tailrace.attached FOR VALUES FROM ('2000-01-01') TO ('2001-01-01')",
                    "INSERT INTO tailrace.outbox (event_name, ordering_key, payload, occurred_at) VALUES ('old.row', 'old', '{\"n\" : 1}', '2000-05-05')",
                    // Past the root, as a loader does it.
                    "INSERT INTO tailrace.attached (id, event_name, ordering_key, occurred_at) VALUES (gen_random_uuid(), 'old.direct', 'old', '2000-06-06')",
                    "CREATE TABLE tailrace.future PARTITION OF tailrace.outbox FOR VALUES FROM ('2100-01-01') TO (MAXVALUE)",
                    "INSERT INTO tailrace.outbox (event_name, occurred_at) VALUES ('future.row', '2200-01-01')");
            rows.awaitMore(50);
            stack.execute(
                    "ALTER TABLE tailrace.outbox DETACH PARTITION tailrace.attached",
                    "INSERT INTO tailrace.attached (id, event_name, occurred_at) VALUES (gen_random_uuid(), 'no.event', '2000-07-07')",
                    "DROP TABLE tailrace.attached",
                    "DROP TABLE tailrace.future");
            rows.awaitMore(50);
            int written = rows.stop();
            List<ConsumerRecord<byte[], byte[]>> read =
                    stack.reader().awaitCount(written + 3, EngineFixture.PATIENCE, fixture.topics.rawEvents());
            assertThat(read.stream().filter(each -> header(each, "ce_type").equals("flowing.row")))
                    .extracting(each -> TopicReader.text(each.value()))
                    .doesNotHaveDuplicates()
                    .hasSize(written);
            assertThat(read.stream().filter(each -> !header(each, "ce_type").equals("flowing.row")))
                    .extracting(each -> header(each, "ce_type") + " " + header(each, "ce_partitionkey") + " "
                            + TopicReader.text(each.value()))
                    .containsExactlyInAnyOrder(
                            "old.row old {\"n\" : 1}", "old.direct old null", "future.row null null");
        }
    }

    @Test
    void aTableThatIsAlteredWhileTheEngineIsBehindGivesOldAndNewRowsAsTheyWere(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (EngineFixture first = new EngineFixture(stack).started()) {
            first.awaitState(Health.State.READY);
            insert(stack, "under.way", "0");
            first.record(first.topics.rawEvents(), "0190b7a0-0000-7000-8000-000000000000");
            // Under way: the same engine sees the table change.
            stack.execute("ALTER TABLE tailrace.outbox ADD COLUMN note text NOT NULL DEFAULT 'noted'");
            insert(stack, "under.way", "1");
            first.record(first.topics.rawEvents(), "0190b7a0-0000-7000-8000-000000000001");
        }
        insert(stack, "old.row", "2");
        String publication = query(stack, "SELECT publication FROM tailrace.source");
        String published = query(
                stack,
                "SELECT string_agg(attname, ', ') FROM pg_publication_tables, unnest(attnames) attname WHERE tablename = 'outbox'");
        // PostgreSQL lets the type of a published column be changed only while it is not published: in one transaction.
        String widen = """
                BEGIN;
                ALTER PUBLICATION %1$s DROP TABLE tailrace.outbox;
                ALTER TABLE tailrace.outbox ALTER COLUMN event_version TYPE bigint, ALTER COLUMN user_id TYPE varchar(900);
                ALTER PUBLICATION %1$s ADD TABLE tailrace.outbox (%2$s);
                COMMIT""".formatted(publication, published);
        stack.execute(widen);
        insert(stack, "wide.row", "3");
        stack.execute("ALTER TABLE tailrace.outbox DROP COLUMN note, DROP CONSTRAINT outbox_user_id_check");
        insert(stack, "last.row", "4");
        try (EngineFixture second = new EngineFixture(stack).started()) {
            List<ConsumerRecord<byte[], byte[]>> read =
                    stack.reader().awaitCount(5, EngineFixture.PATIENCE, second.topics.rawEvents());
            assertThat(read)
                    .extracting(each -> header(each, "ce_type") + " " + header(each, "ce_eventversion") + " "
                            + header(each, "ce_userid") + " " + TopicReader.text(each.value()))
                    .containsExactlyInAnyOrder(
                            "under.way 7 anna {\"n\":  0}",
                            "under.way 7 anna {\"n\":  1}",
                            "old.row 7 anna {\"n\":  2}",
                            "wide.row 7 anna {\"n\":  3}",
                            "last.row 7 anna {\"n\":  4}");
        }
    }

    private static void insert(Stack stack, String name, String n) throws SQLException {
        stack.execute("INSERT INTO tailrace.outbox (id, event_name, event_version, user_id, payload)"
                + " VALUES ('0190b7a0-0000-7000-8000-00000000000%2$s', '%1$s', 7, 'anna', '{\"n\":  %2$s}')"
                        .formatted(name, n));
    }

    /** A table that is attached must have the checks of its root. */
    private static String checksOf(String table) {
        return """
                DO $$ DECLARE c record; BEGIN
                    FOR c IN SELECT conname, pg_get_constraintdef(oid) AS def FROM pg_constraint
                        WHERE conrelid = 'tailrace.outbox'::regclass AND contype = 'c'
                    LOOP EXECUTE format('ALTER TABLE tailrace.%s ADD CONSTRAINT %%I %%s', c.conname, c.def); END LOOP;
                END $$""".formatted(table);
    }

    private static String query(Stack stack, String sql) throws SQLException {
        try (Connection connection = stack.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    /** Inserts one row after the other, each in a transaction of its own, until it is stopped. */
    private static final class Rows implements AutoCloseable {

        private final Stack stack;
        private final AtomicInteger written = new AtomicInteger();
        private final AtomicBoolean stop = new AtomicBoolean();
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        private final Thread writer = new Thread(this::write, "rows");

        Rows(Stack stack) {
            this.stack = stack;
            writer.start();
        }

        void awaitMore(int rows) {
            int enough = written.get() + rows;
            await().atMost(EngineFixture.PATIENCE)
                    .failFast("the writer has failed", () -> failure.get() != null)
                    .until(() -> written.get() >= enough);
        }

        /** How many there are. */
        int stop() throws InterruptedException {
            stop.set(true);
            writer.join();
            assertThat(failure.get()).isNull();
            return written.get();
        }

        @Override
        public void close() throws InterruptedException {
            stop();
        }

        private void write() {
            try (Connection connection = stack.connect();
                    Statement statement = connection.createStatement()) {
                while (!stop.get()) {
                    statement.execute(
                            "INSERT INTO tailrace.outbox (event_name, ordering_key, payload) VALUES ('flowing.row', 'k%d', '%d')"
                                    .formatted(written.get() % 7, written.get()));
                    written.incrementAndGet();
                }
            } catch (SQLException | RuntimeException e) {
                failure.set(e);
            }
        }
    }
}
