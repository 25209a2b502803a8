package io.tailrace.schema;

import io.tailrace.contract.name.TableNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares a publication with what the capture relies on; a table or an INSERT that it lacks would be a silent gap. */
final class PublicationCheck {

    /** Reads catalogs only. Parameter: the publication. */
    private static final String PROPERTIES = """
            SELECT pubinsert, pubupdate, pubdelete, pubtruncate, pubviaroot, puballtables,
                EXISTS (SELECT FROM pg_catalog.pg_publication_namespace s WHERE s.pnpubid = p.oid)
            FROM pg_catalog.pg_publication p WHERE pubname = ?""";

    /** One row for each table and column; the column is null when the table has no column list. */
    private static final String COLUMNS = """
            SELECT n.nspname, c.relname, r.prqual IS NOT NULL, a.attname
            FROM pg_catalog.pg_publication p
            JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid
            JOIN pg_catalog.pg_class c ON c.oid = r.prrelid
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (r.prattrs::int2[])
            WHERE p.pubname = ? ORDER BY a.attnum""";

    private record Published(String schema, String table, boolean filtered, List<String> columns) {}

    private final TableNames tables;
    private final String publication;
    private final List<Difference> found = new ArrayList<>();

    private PublicationCheck(TableNames tables, String publication) {
        this.tables = tables;
        this.publication = publication;
    }

    static boolean exists(Connection connection, String publication) throws SQLException {
        return Jdbc.exists(connection, "SELECT FROM pg_catalog.pg_publication WHERE pubname = ?", publication);
    }

    static List<Difference> of(Connection connection, TableNames tables, String publication) throws SQLException {
        PublicationCheck check = new PublicationCheck(tables, publication);
        if (!exists(connection, publication)) {
            check.add(
                    "the publication",
                    "present",
                    Difference.ABSENT,
                    "rows committed meanwhile are not published; if none were, run tailrace db migrate");
            return check.found;
        }
        check.properties(connection);
        check.tables(connection);
        return check.found;
    }

    private void properties(Connection connection) throws SQLException {
        Map<String, Boolean> actual = Jdbc.first(
                        connection,
                        PROPERTIES,
                        row -> {
                            Map<String, Boolean> read = new LinkedHashMap<>();
                            read.put("insert", row.getBoolean(1));
                            read.put("update", row.getBoolean(2));
                            read.put("delete", row.getBoolean(3));
                            read.put("truncate", row.getBoolean(4));
                            read.put("publish_via_partition_root", row.getBoolean(5));
                            read.put("FOR ALL TABLES", row.getBoolean(6));
                            read.put("FOR TABLES IN SCHEMA", row.getBoolean(7));
                            return read;
                        },
                        publication)
                .orElseThrow();
        actual.forEach((property, value) -> {
            boolean wanted = property.equals("insert") || property.equals("publish_via_partition_root");
            if (value != wanted) {
                String fix = property.startsWith("FOR ")
                        ? "drop the publication and run tailrace db migrate, while nothing is written"
                        : "ALTER PUBLICATION " + TableNames.quoted(publication)
                                + " SET (publish = 'insert', publish_via_partition_root = true)";
                add(property, String.valueOf(wanted), String.valueOf(value), fix);
            }
        });
    }

    private void tables(Connection connection) throws SQLException {
        Map<String, Published> actual = new HashMap<>();
        Jdbc.list(
                connection,
                COLUMNS,
                row -> {
                    Published table = actual.computeIfAbsent(
                            row.getString(1) + "." + row.getString(2),
                            key -> new Published("", "", false, new ArrayList<>()));
                    Published read =
                            new Published(row.getString(1), row.getString(2), row.getBoolean(3), table.columns());
                    String column = row.getString(4);
                    if (column != null) {
                        read.columns().add(column);
                    }
                    return actual.put(read.schema() + "." + read.table(), read);
                },
                publication);
        table(actual.remove(tables.schema() + "." + tables.outbox()), tables.outbox(), CapturedColumns.OUTBOX);
        table(
                actual.remove(tables.schema() + "." + tables.internalCommand()),
                tables.internalCommand(),
                CapturedColumns.COMMAND);
        actual.values()
                .forEach(other -> add(
                        "table " + TableNames.quoted(other.schema()) + "." + TableNames.quoted(other.table()),
                        Difference.ABSENT,
                        "published",
                        "ALTER PUBLICATION " + TableNames.quoted(publication) + " DROP TABLE "
                                + TableNames.quoted(other.schema()) + "." + TableNames.quoted(other.table())));
    }

    private void table(@Nullable Published actual, String name, List<String> wanted) {
        String table = "table " + tables.qualified(name);
        if (actual == null) {
            add(table, "published", Difference.ABSENT, setTables());
            return;
        }
        if (actual.filtered()) {
            add("row filter of " + table, Difference.ABSENT, "present", setTables());
        }
        if (actual.columns().isEmpty()) {
            add("column list of " + table, String.join(", ", wanted), "all columns", setTables());
            return;
        }
        wanted.stream()
                .filter(column -> !actual.columns().contains(column))
                .forEach(column ->
                        add("column " + column + " of " + table, "published", Difference.ABSENT, setTables()));
        actual.columns().stream()
                .filter(column -> !wanted.contains(column))
                .forEach(column ->
                        add("column " + column + " of " + table, Difference.ABSENT, "published", setTables()));
    }

    private String setTables() {
        return "ALTER PUBLICATION %s SET TABLE %s (%s), %s (%s)"
                .formatted(
                        TableNames.quoted(publication),
                        tables.qualified(tables.outbox()),
                        String.join(", ", CapturedColumns.OUTBOX),
                        tables.qualified(tables.internalCommand()),
                        String.join(", ", CapturedColumns.COMMAND));
    }

    private void add(String what, String expected, String actual, String fix) {
        found.add(new Difference("publication " + TableNames.quoted(publication), what, expected, actual, fix));
    }
}
