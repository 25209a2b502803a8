package io.tailrace.schema;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.name.TableNames;
import io.tailrace.embedded.EmbeddedPostgres;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@RealParts
class MigrateTest {

    @Test
    void makesEverythingOnceAndSaysSo(Stack stack) throws Exception {
        MigrationReport first = Database.migrate(stack);
        MigrationReport second = Database.migrate(stack);

        Ownership owner = Database.ownership(stack);
        assertThat(first.done())
                .containsExactly(
                        "created schema tailrace",
                        "applied V001 inbox",
                        "applied V001 tables",
                        "applied V002 claim",
                        "applied V003 messages",
                        "applied V004 holds",
                        "applied V005 deliveries",
                        "applied V006 external",
                        "applied V007 delivery_halts",
                        "applied V007 command_halts",
                        "applied V008 held_events",
                        "applied V009 deliveries_by_id",
                        "applied V009 commands_by_id",
                        "applied V010 renew",
                        "applied V011 delivery_guard",
                        "applied V011 command_guard",
                        "created publication " + owner.publication(),
                        "created slot " + owner.slot(),
                        "wrote the owner: namespace %s, slot %s, publication %s"
                                .formatted(owner.namespace(), owner.slot(), owner.publication()));
        assertThat(second.changed()).isFalse();
        assertThat(Database.differences(stack)).isEmpty();
        assertThat(Database.value(
                        stack,
                        "SELECT plugin, temporary, two_phase, to_jsonb(s)->'failover', slot_type FROM pg_replication_slots s WHERE slot_name = '"
                                + owner.slot() + "'"))
                .isEqualTo("pgoutput|f|f|true|logical");
        assertThat(
                        Database.value(
                                stack,
                                "SELECT s.slot_created_lsn = r.confirmed_flush_lsn, started_at FROM tailrace.source s JOIN pg_replication_slots r ON r.slot_name = s.slot"))
                .isEqualTo("t|null");
    }

    @Test
    void aSlotThatNoStandbyKeepsIsNoticed(Stack stack) throws Exception {
        Database.migrate(stack);
        try (Connection connection = stack.connect()) {
            assertThat(Schema.notices(connection, TableNames.DEFAULT)).isEmpty();
        }
        String slot = Database.ownership(stack).slot();
        stack.execute(
                "SELECT pg_drop_replication_slot('" + slot + "')",
                "SELECT pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
        boolean standbysKeepSlots = Integer.parseInt(Database.value(stack, "SHOW server_version_num")) >= 170_000;
        try (Connection connection = stack.connect()) {
            assertThat(Schema.notices(connection, TableNames.DEFAULT)).hasSize(standbysKeepSlots ? 1 : 0);
            assertThat(Schema.differences(connection, TableNames.DEFAULT))
                    .as("it is no difference")
                    .isEmpty();
        }
    }

    @Test
    void twoAtOnceMakeItOnce(Stack stack) throws Exception {
        stack.database();
        CyclicBarrier together = new CyclicBarrier(2);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Future<MigrationReport>> both = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                both.add(threads.submit(() -> {
                    together.await(10, TimeUnit.SECONDS);
                    return Database.migrate(stack);
                }));
            }
            List<Boolean> changed = new ArrayList<>();
            for (Future<MigrationReport> one : both) {
                changed.add(one.get(60, TimeUnit.SECONDS).changed());
            }
            assertThat(changed).containsExactlyInAnyOrder(true, false);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void goesOnWhereACrashEnded(Stack stack) throws Exception {
        Database.migrate(stack);
        // As after a crash between slot and source row.
        stack.execute("DELETE FROM tailrace.source");

        assertThat(Database.migrate(stack).done().get(0)).startsWith("adopted slot");
    }

    @Test
    void aSlotThatWasLostIsNotMadeAgain(Stack stack) throws Exception {
        Database.migrate(stack);
        stack.execute(
                "SELECT pg_drop_replication_slot('" + Database.ownership(stack).slot() + "')");

        assertThatThrownBy(() -> Database.migrate(stack))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("is gone: what was committed since it was last read is not in Kafka");
    }

    @Test
    void rowsOlderThanTheSlotAreRefused(Stack stack) throws Exception {
        Database.migrate(stack);
        stack.execute("DELETE FROM tailrace.source", "INSERT INTO tailrace.outbox (event_name) VALUES ('shop.opened')");

        assertThatThrownBy(() -> Database.migrate(stack))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("nobody captures them");
    }

    @Test
    void anotherOwnerIsRefused(Stack stack) throws Exception {
        Database.migrate(stack);
        Ownership owner = Database.ownership(stack);
        try (Connection connection = stack.connect()) {
            assertThatThrownBy(() -> Schema.migrate(
                            connection,
                            TableNames.DEFAULT,
                            Scope.ALL,
                            new Ownership("other", "other_slot", owner.publication())))
                    .isInstanceOf(StartRefused.class)
                    .hasMessageContaining(
                            "namespace " + owner.namespace() + ", not other; slot " + owner.slot() + ", not other_slot")
                    .hasMessageContaining("twice");
        }
    }

    @Test
    void aForeignTableIsNamedColumnByColumnAndLeftAlone(Stack stack) throws Exception {
        stack.execute(
                "CREATE SCHEMA tailrace",
                "CREATE TABLE tailrace.outbox (id bigint PRIMARY KEY, event_name varchar(40), payload jsonb, sent boolean NOT NULL)");

        assertThatThrownBy(() -> Database.migrate(stack))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("schema tailrace holds a table that Tailrace did not make (outbox)")
                .hasMessageContaining("\"tailrace\".\"outbox\": column id is bigint, expected uuid")
                .hasMessageContaining("default of column id is none, expected \"tailrace\".new_id()")
                .hasMessageContaining("nullability of column event_name is NULL, expected NOT NULL")
                .hasMessageContaining("column payload is jsonb, expected json")
                .hasMessageContaining(
                        "column headers is absent, expected json. Fix: ALTER TABLE \"tailrace\".\"outbox\" ADD COLUMN headers json")
                .hasMessageContaining("column sent is boolean NOT NULL without a default, expected absent")
                .hasMessageContaining("constraint PRIMARY KEY (id) is present, expected absent");
        assertThat(
                        Database.value(
                                stack,
                                "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'tailrace' AND relkind = 'r'"))
                .isEqualTo("1");
    }

    @Test
    void aForeignTableOfTheSameShapeIsForeignToo(Stack stack) throws Exception {
        Database.migrate(stack, TableNames.DEFAULT, Scope.INBOX);
        stack.execute("DELETE FROM tailrace.schema_version");

        assertThatThrownBy(() -> Database.migrate(stack, TableNames.DEFAULT, Scope.INBOX))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("did not make (delivery)");
    }

    @Test
    void aVersionThatWasChangedIsRefused(Stack stack) throws Exception {
        Database.migrate(stack);
        stack.execute("UPDATE tailrace.schema_version SET checksum = 'x' WHERE description = 'tables'");

        assertThatThrownBy(() -> Database.migrate(stack))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("V001 tables was applied with another text");
    }

    /** Change and what must be said of it. */
    private static final Map<String, String> DRIFTS = Map.ofEntries(
            entry("ALTER TABLE tailrace.outbox DROP COLUMN payload CASCADE", "column payload is absent, expected json"),
            entry(
                    "ALTER TABLE tailrace.internal_command ALTER run_at DROP DEFAULT",
                    "default of column run_at is none, expected now()"),
            entry(
                    "ALTER TABLE tailrace.delivery ALTER turn DROP NOT NULL",
                    "nullability of column turn is NULL, expected NOT NULL"),
            entry(
                    "ALTER TABLE tailrace.outbox ADD PRIMARY KEY (id)",
                    "constraint PRIMARY KEY (id) is present, expected absent"),
            entry(
                    "ALTER TABLE tailrace.internal_command DROP CONSTRAINT internal_command_id_excl",
                    "constraint EXCLUDE USING hash (id WITH =) is absent"),
            entry(
                    "DROP INDEX tailrace.outbox_id_idx",
                    "index btree (id) is absent, expected valid. Fix: CREATE INDEX ON \"tailrace\".\"outbox\" USING btree (id)"),
            entry("DROP FUNCTION tailrace.cancel_command", "function cancel_command(id uuid) is absent"),
            entry(
                    "ALTER FUNCTION tailrace.requeue_command SECURITY INVOKER",
                    "function requeue_command(id uuid) is returns text, expected returns text, security definer"),
            entry("ALTER TABLE tailrace.delivery SET UNLOGGED", "the table is unlogged table, expected table"),
            entry("DROP TABLE tailrace.pause", "the table is absent, expected table"),
            entry("DELETE FROM tailrace.source", "the row that names the owner is absent"),
            entry("ALTER PUBLICATION %p SET (publish = 'insert, update')", "update is true, expected false"),
            entry("ALTER PUBLICATION %p SET (publish = 'delete')", "insert is false, expected true"),
            entry(
                    "ALTER PUBLICATION %p SET (publish_via_partition_root = false)",
                    "publish_via_partition_root is false, expected true"),
            entry(
                    "ALTER PUBLICATION %p DROP TABLE tailrace.internal_command",
                    "table \"tailrace\".\"internal_command\" is absent, expected published"),
            entry(
                    "ALTER PUBLICATION %p ADD TABLE tailrace.delivery",
                    "table \"tailrace\".\"delivery\" is published, expected absent"),
            entry(
                    "ALTER PUBLICATION %p SET TABLE tailrace.outbox, tailrace.internal_command (id)",
                    "column list of table \"tailrace\".\"outbox\" is all columns"),
            entry(
                    "ALTER PUBLICATION %p SET TABLE tailrace.outbox (id), tailrace.internal_command",
                    "column payload of table \"tailrace\".\"outbox\" is absent, expected published"),
            entry(
                    "ALTER PUBLICATION %p SET TABLE tailrace.outbox WHERE (id IS NOT NULL), tailrace.internal_command",
                    "row filter of table \"tailrace\".\"outbox\" is present"),
            entry("DROP PUBLICATION %p", "the publication is absent, expected present"));

    @Test
    void everyDriftIsNamed(Stack stack) throws Exception {
        Database.migrate(stack);
        try (Connection connection = stack.connect()) {
            connection.setAutoCommit(false);
            for (Map.Entry<String, String> drift : DRIFTS.entrySet()) {
                Jdbc.run(
                        connection,
                        drift.getKey().replace("%p", Database.ownership(stack).publication()));
                assertThat(Schema.differences(connection, TableNames.DEFAULT))
                        .as(drift.getKey())
                        .extracting(Difference::toString)
                        .anySatisfy(text -> assertThat(text).contains(drift.getValue()));
                connection.rollback();
            }
            assertThat(Schema.differences(connection, TableNames.DEFAULT)).isEmpty();
        }
    }

    @Test
    void aDriftIsRefused(Stack stack) throws Exception {
        Database.migrate(stack);
        stack.execute("ALTER TABLE tailrace.delivery SET UNLOGGED");
        assertThatThrownBy(() -> Database.migrate(stack)).isInstanceOf(StartRefused.class);
        stack.execute(
                "ALTER TABLE tailrace.delivery SET LOGGED",
                "ALTER PUBLICATION " + Database.ownership(stack).publication() + " DROP TABLE tailrace.outbox");
        assertThatThrownBy(() -> Database.migrate(stack))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("rows committed meanwhile may not have been published");
    }

    @Test
    void whatADatabaseHasBeyondThatIsLeftAlone(Stack stack) throws Exception {
        Database.migrate(stack);
        stack.execute(
                "ALTER TABLE tailrace.outbox ADD COLUMN note text, ADD COLUMN n int NOT NULL DEFAULT 0",
                "CREATE INDEX ON tailrace.outbox (note)",
                "CREATE TABLE tailrace.orders (id int PRIMARY KEY)",
                "INSERT INTO tailrace.schema_version (version, description, checksum) VALUES (99, 'of a later release', 'x')");

        assertThat(Database.differences(stack)).isEmpty();
        assertThat(Database.migrate(stack).changed()).isFalse();
    }

    @Test
    void aPartitionedOutboxIsAsGood(Stack stack) throws Exception {
        String role = stack.namespace() + "_app";
        stack.execute("CREATE ROLE " + role);
        try (Connection connection = stack.connect()) {
            Ownership ownership = Database.ownership(stack);
            Schema.migrate(connection, TableNames.DEFAULT, Scope.ALL, ownership, List.of(role));
            Jdbc.run(connection, "INSERT INTO tailrace.outbox (event_name) VALUES ('a.before')");

            assertThat(Schema.partitionOutbox(connection, TableNames.DEFAULT, ownership))
                    .isTrue();
            assertThat(Schema.partitionOutbox(connection, TableNames.DEFAULT, ownership))
                    .isFalse();

            assertThat(Database.differences(stack)).isEmpty();
            assertThat(Schema.migrate(connection, TableNames.DEFAULT, Scope.ALL, ownership, List.of(role))
                            .done())
                    .isEmpty();
            Jdbc.run(
                    connection,
                    "CREATE TABLE tailrace.far PARTITION OF tailrace.outbox FOR VALUES FROM ('2100-01-01') TO (MAXVALUE)");
            Jdbc.run(
                    connection,
                    "SET ROLE " + role + "; INSERT INTO tailrace.outbox (event_name) VALUES ('a.after'); RESET ROLE");
            assertThat(Database.rows(
                            connection, "SELECT event_name, tableoid::regclass FROM tailrace.outbox ORDER BY 1"))
                    .containsExactly("a.after|tailrace.outbox_default", "a.before|tailrace.outbox_default");

            connection.setAutoCommit(false);
            Jdbc.run(connection, "ALTER TABLE tailrace.far SET UNLOGGED");
            assertThat(Schema.differences(connection, TableNames.DEFAULT))
                    .extracting(Difference::actual)
                    .containsExactly("partitioned table with a partition that is not logged");
            connection.rollback();
            Jdbc.run(connection, "ALTER TABLE tailrace.outbox DETACH PARTITION tailrace.outbox_default");
            assertThat(Schema.differences(connection, TableNames.DEFAULT))
                    .extracting(Difference::actual)
                    .containsExactly("partitioned table without a DEFAULT partition");
            connection.rollback();
            Jdbc.run(connection, "DROP OWNED BY " + role + "; DROP ROLE " + role);
            connection.commit();
        }
    }

    @Test
    void rowLevelSecurityIsToldOf(Stack stack) throws Exception {
        Database.migrate(stack);
        stack.execute("ALTER TABLE tailrace.internal_command ENABLE ROW LEVEL SECURITY");

        assertThat(Database.migrate(stack).notes())
                .singleElement()
                .asString()
                .contains("row-level security is on for \"tailrace\".\"internal_command\"");
    }

    @Test
    void aRoleThatLacksSomethingIsToldWhat(Stack stack) throws Exception {
        String role = stack.namespace() + "_weak";
        stack.execute(
                "CREATE ROLE " + role + " LOGIN",
                "REVOKE ALL ON DATABASE " + stack.database() + " FROM PUBLIC",
                "GRANT CONNECT ON DATABASE " + stack.database() + " TO " + role);
        try (Connection connection =
                DriverManager.getConnection(stack.jdbcUrl().replace("user=postgres", "user=" + role))) {
            assertThatThrownBy(
                            () -> Schema.migrate(connection, TableNames.DEFAULT, Scope.ALL, Database.ownership(stack)))
                    .isInstanceOf(StartRefused.class)
                    .hasMessageContaining("ALTER ROLE \"" + role + "\" REPLICATION")
                    .hasMessageContaining("GRANT CREATE ON DATABASE \"" + stack.database() + "\" TO \"" + role + "\"");
        } finally {
            stack.execute("REVOKE ALL ON DATABASE " + stack.database() + " FROM " + role, "DROP ROLE " + role);
        }
    }

    @Test
    void aServerThatDoesNotWriteEnoughIsToldTheFix() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.builder()
                        .setting("wal_level", "replica")
                        .start();
                Connection connection = DriverManager.getConnection(server.jdbcUrl())) {
            assertThatThrownBy(() -> Schema.migrate(
                            connection, TableNames.DEFAULT, Scope.ALL, new Ownership("shop", "shop", "shop")))
                    .isInstanceOf(StartRefused.class)
                    .hasMessageContaining(
                            "wal_level is replica; run ALTER SYSTEM SET wal_level = 'logical' and restart the server");
            // A handler's own database is not captured and needs none of it.
            assertThat(Schema.migrate(
                                    connection, TableNames.DEFAULT, Scope.INBOX, new Ownership("shop", "shop", "shop"))
                            .done())
                    .containsExactly(
                            "created schema tailrace",
                            "applied V001 inbox",
                            "applied V005 deliveries",
                            "applied V007 delivery_halts",
                            "applied V009 deliveries_by_id",
                            "applied V011 delivery_guard");
        }
    }
}
