package io.tailrace.schema;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.name.TableNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * One migration of one database. Crash points, in order: between two versions, the next run goes on with the one that is missing;
 * between slot and source row, the next run adopts the slot, as nobody has been granted INSERT yet and the tables are empty.
 */
final class Migrator {

    /** Session lock, so that it spans the transactions; the key holds the schema, as two schemas do not get into each other's way. */
    private static final String LOCK =
            "SELECT pg_catalog.pg_advisory_lock(pg_catalog.hashtextextended('tailrace migrate ' || ?, 0))";

    private static final String UNLOCK =
            "SELECT pg_catalog.pg_advisory_unlock(pg_catalog.hashtextextended('tailrace migrate ' || ?, 0))";

    /** A migration waits behind another this long, and for open transactions when it makes the slot; for tables {@link BusyTables}. */
    private static final String LOCK_TIMEOUT = "60s";

    private final Connection connection;
    private final TableNames tables;
    private final Scope scope;
    private final Ownership ownership;
    private final Template template;
    private final BusyTables busy;
    private final List<String> done = new ArrayList<>();

    Migrator(
            Connection connection,
            TableNames tables,
            Scope scope,
            Ownership ownership,
            int tries,
            Consumer<String> progress) {
        this.connection = connection;
        this.tables = tables;
        this.scope = scope;
        this.ownership = ownership;
        this.template = Template.of(tables).with(ownership);
        this.busy = new BusyTables(connection, tables.schema(), tries, progress);
    }

    MigrationReport migrate(List<String> roles) throws SQLException {
        if (!connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "a migration runs several transactions of its own; give it a connection in autocommit mode");
        }
        Prerequisites.require(connection, tables, scope);
        String lockTimeout = Jdbc.first(
                        connection, "SELECT pg_catalog.current_setting('lock_timeout')", row -> row.getString(1))
                .orElseThrow();
        setLockTimeout(LOCK_TIMEOUT);
        try {
            Jdbc.list(connection, LOCK, row -> true, tables.schema());
            try {
                underLock(roles);
            } finally {
                Jdbc.list(connection, UNLOCK, row -> true, tables.schema());
            }
        } finally {
            setLockTimeout(lockTimeout);
        }
        return new MigrationReport(done, Prerequisites.notes(connection, tables));
    }

    private void underLock(List<String> roles) throws SQLException {
        Map<String, String> applied = applied();
        refuseOtherTexts(applied);
        List<Migration> missing = Migrations.of(scope).stream()
                .filter(migration -> !applied.containsKey(migration.label()))
                .toList();
        refuseForeignTables(missing);
        if (scope == Scope.ALL && applied.containsKey(Migrations.SOURCE_TABLE.label())) {
            refuseOtherOwner();
        }
        versions(missing);
        refuse(
                ShapeComparison.of(tables, Shape.expected(scope), Shape.read(connection, tables)),
                "the tables are not as this release expects them");
        if (scope == Scope.ALL) {
            publication();
            slotAndSource();
        }
        for (String role : roles) {
            grants(role);
        }
    }

    /** Label to checksum; empty when nothing was ever applied. */
    private Map<String, String> applied() throws SQLException {
        Map<String, String> applied = new HashMap<>();
        if (tableExists("schema_version")) {
            Shape expected = Shape.expected(scope).only(List.of("schema_version"));
            refuse(
                    ShapeComparison.of(tables, expected, Shape.read(connection, tables)),
                    "a foreign table has this name");
            Jdbc.list(
                    connection,
                    template.fill("SELECT version, description, checksum FROM ${schema}.schema_version"),
                    row -> applied.put("V%03d %s".formatted(row.getInt(1), row.getString(2)), row.getString(3)));
        }
        return applied;
    }

    private void refuseOtherTexts(Map<String, String> applied) {
        List<String> problems = Migrations.ALL.stream()
                .filter(migration -> applied.containsKey(migration.label())
                        && !migration.checksum().equals(applied.get(migration.label())))
                .map(migration ->
                        "%s was applied with another text than this release has (checksum %s there, %s here): this database was made by a changed build. Fix: run the build that made it, or begin with an empty schema"
                                .formatted(migration.label(), applied.get(migration.label()), migration.checksum()))
                .toList();
        if (!problems.isEmpty()) {
            throw new StartRefused(problems);
        }
    }

    /** A table that a missing version would make is there already: somebody else made it, whatever it looks like. */
    private void refuseForeignTables(List<Migration> missing) throws SQLException {
        Shape actual = Shape.read(connection, tables);
        List<String> foreign = missing.stream()
                .flatMap(migration -> migration.tables().stream())
                .filter(actual.relations()::contains)
                .toList();
        if (foreign.isEmpty()) {
            return;
        }
        List<Difference> differences =
                ShapeComparison.of(tables, Shape.expected(Scope.ALL).only(foreign), actual);
        String head =
                "schema %s holds a table that Tailrace did not make (%s): rename it, or configure another schema or table name"
                        .formatted(tables.schema(), String.join(", ", foreign));
        throw new StartRefused(
                Stream.concat(Stream.of(head), differences.stream().map(Difference::toString))
                        .toList());
    }

    private void refuseOtherOwner() throws SQLException {
        List<String> contradictions = Source.read(connection, tables)
                .map(source -> source.contradictions(ownership))
                .orElse(List.of());
        if (!contradictions.isEmpty()) {
            throw new StartRefused(
                    "these tables belong to %s. A second engine on them would publish every row twice. Fix: configure the names of the owner, or other tables"
                            .formatted(String.join("; ", contradictions)));
        }
    }

    private void versions(List<Migration> missing) throws SQLException {
        if (!Jdbc.exists(connection, "SELECT FROM pg_catalog.pg_namespace WHERE nspname = ?", tables.schema())) {
            Jdbc.run(connection, template.fill("CREATE SCHEMA ${schema}"));
            done.add("created schema " + tables.schema());
        }
        if (!tableExists("schema_version")) {
            Jdbc.run(connection, template.fillResource("schema_version.sql"));
        }
        for (Migration migration : missing) {
            busy.change(migration.label(), () -> {
                Jdbc.run(connection, template.fill(migration.text()));
                Jdbc.list(
                        connection,
                        template.fill(
                                "INSERT INTO ${schema}.schema_version (version, description, checksum) VALUES (?, ?, ?) RETURNING version"),
                        row -> true,
                        migration.version(),
                        migration.description(),
                        migration.checksum());
            });
            done.add("applied " + migration.label());
        }
    }

    private void publication() throws SQLException {
        if (PublicationCheck.exists(connection, ownership.publication())) {
            refuse(
                    PublicationCheck.of(connection, tables, ownership.publication()),
                    "the publication is not as this release expects it; rows committed meanwhile may not have been published");
        } else if (Source.read(connection, tables).isPresent()) {
            throw new StartRefused(
                    "publication %s is gone although these tables had one; rows committed since then are captured by nobody. Fix: make it again with %s, then publish what passed: tailrace engine recover --from-table"
                            .formatted(
                                    ownership.publication(),
                                    template.fillResource("publication.sql")
                                            .replaceAll("(?m)^--.*\n", "")
                                            .replaceAll("\\s+", " ")
                                            .strip()));
        } else {
            Jdbc.run(connection, template.fillResource("publication.sql"));
            done.add("created publication " + ownership.publication());
        }
    }

    private void slotAndSource() throws SQLException {
        Optional<Slot> slot = Slot.read(connection, ownership.slot());
        Optional<Source> source = Source.read(connection, tables);
        if (source.isPresent()) {
            if (slot.isEmpty()) {
                throw new StartRefused(
                        "slot %s, made at %s, is gone: what was committed since it was last read is not in Kafka. Fix: do not make it again by hand, that would leave a gap; see what Kafka lacks with tailrace engine recover --from-table --dry-run, publish it with tailrace engine recover --from-table"
                                .formatted(ownership.slot(), source.get().slotCreatedLsn()));
            }
            return;
        }
        // No source row: nobody was granted anything, so there should be no row. One that is there nobody would
        // capture.
        String uncaptured = "SELECT FROM %s UNION ALL SELECT FROM %s LIMIT 1"
                .formatted(tables.qualified(tables.outbox()), tables.qualified(tables.internalCommand()));
        if (Jdbc.exists(connection, uncaptured)) {
            throw new StartRefused(
                    "%s or %s holds rows that were written before there was a slot: nobody captures them. Fix: move them aside, migrate, and insert them again"
                            .formatted(tables.qualified(tables.outbox()), tables.qualified(tables.internalCommand())));
        }
        if (slot.isPresent()) {
            slot.get().requireUsable(connection);
            done.add("adopted slot " + ownership.slot() + " of an interrupted migration");
        } else {
            Jdbc.run(connection, template.fillResource("slot.sql"));
            done.add("created slot " + ownership.slot());
        }
        Jdbc.run(connection, template.fillResource("source.sql"));
        done.add("wrote the owner: namespace %s, slot %s, publication %s"
                .formatted(ownership.namespace(), ownership.slot(), ownership.publication()));
    }

    private void grants(String role) throws SQLException {
        Template granted = template.withRole(role);
        String sql = granted.fillResource("grants_inbox.sql")
                + (scope == Scope.ALL ? granted.fillResource("grants_tables.sql") : "");
        String before = acls();
        Jdbc.transaction(connection, () -> Jdbc.run(connection, sql));
        if (!before.equals(acls())) {
            done.add((scope == Scope.ALL ? "granted INSERT and EXECUTE to " : "granted EXECUTE to ") + role);
        }
    }

    /** All grants in the schema, as one text. */
    private String acls() throws SQLException {
        return Jdbc.first(connection, """
                        SELECT concat(n.nspacl,
                            (SELECT string_agg(concat(c.relname, c.relacl), '' ORDER BY c.oid) FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid),
                            (SELECT string_agg(concat(a.attname, a.attacl), '' ORDER BY a.attrelid, a.attnum) FROM pg_catalog.pg_attribute a
                                JOIN pg_catalog.pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = n.oid),
                            (SELECT string_agg(concat(f.proname, f.proacl), '' ORDER BY f.oid) FROM pg_catalog.pg_proc f WHERE f.pronamespace = n.oid))
                        FROM pg_catalog.pg_namespace n WHERE n.nspname = ?""", row -> row.getString(1), tables.schema())
                .orElse("");
    }

    private boolean tableExists(String name) throws SQLException {
        return Jdbc.exists(
                connection,
                "SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ? AND c.relname = ?",
                tables.schema(),
                name);
    }

    private void setLockTimeout(String value) throws SQLException {
        Jdbc.list(connection, "SELECT pg_catalog.set_config('lock_timeout', ?, false)", row -> true, value);
    }

    private static void refuse(List<Difference> differences, String head) {
        if (!differences.isEmpty()) {
            throw new StartRefused(
                    Stream.concat(Stream.of(head + ":"), differences.stream().map(Difference::toString))
                            .toList());
        }
    }
}
