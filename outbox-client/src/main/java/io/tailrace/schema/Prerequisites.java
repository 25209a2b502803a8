package io.tailrace.schema;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.name.TableNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What the server and the role must bring before anything is changed. All problems are named at once. */
final class Prerequisites {

    private static final int OLDEST = 15;
    private static final int NEWEST = 18;

    /** Reads settings and catalogs only. */
    private static final String FACTS = """
            SELECT current_setting('server_version_num')::int / 10000, current_setting('server_version'),
                current_setting('server_encoding'), current_setting('wal_level'), pg_is_in_recovery(), current_user,
                r.rolsuper, r.rolsuper OR r.rolreplication,
                has_database_privilege(current_database(), 'CREATE'), current_database()
            FROM pg_catalog.pg_roles r WHERE r.rolname = current_user""";

    private static final String HIDDEN_ROWS = """
            SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = ? AND c.relname = ANY (ARRAY[?, ?, 'delivery']) AND c.relrowsecurity ORDER BY 1""";

    private Prerequisites() {}

    /** @throws StartRefused naming each thing that is not met and its fix */
    static void require(Connection connection, TableNames tables, Scope scope) throws SQLException {
        boolean schemaExists =
                Jdbc.exists(connection, "SELECT FROM pg_catalog.pg_namespace WHERE nspname = ?", tables.schema());
        boolean mayCreateInSchema = schemaExists
                && Jdbc.exists(connection, "SELECT WHERE has_schema_privilege(?, 'CREATE')", tables.schema());
        List<String> problems = Jdbc.first(connection, FACTS, row -> {
                    List<String> found = new ArrayList<>();
                    String user = TableNames.quoted(row.getString(6));
                    String database = TableNames.quoted(row.getString(10));
                    if (row.getInt(1) < OLDEST || row.getInt(1) > NEWEST) {
                        found.add("PostgreSQL %s is not supported; Tailrace runs on %d to %d"
                                .formatted(row.getString(2), OLDEST, NEWEST));
                    }
                    if (!row.getString(3).equals("UTF8")) {
                        found.add(
                                "the database is encoded in " + row.getString(3)
                                        + "; payloads keep their bytes only in UTF8: create one WITH ENCODING 'UTF8' TEMPLATE template0");
                    }
                    if (row.getBoolean(5)) {
                        found.add("the server is a standby in recovery; connect to the primary");
                    }
                    if (scope == Scope.ALL && !row.getString(4).equals("logical")) {
                        found.add("wal_level is " + row.getString(4)
                                + "; run ALTER SYSTEM SET wal_level = 'logical' and restart the server");
                    }
                    if (scope == Scope.ALL && !row.getBoolean(8)) {
                        found.add("role " + user + " may not make a replication slot; run ALTER ROLE " + user
                                + " REPLICATION");
                    }
                    if (!row.getBoolean(9) && (scope == Scope.ALL || !schemaExists)) {
                        found.add(
                                "role " + user + " may not create schema and publication; run GRANT CREATE ON DATABASE "
                                        + database + " TO " + user);
                    }
                    if (schemaExists && !mayCreateInSchema) {
                        found.add("role " + user + " may not create in schema " + tables.schema()
                                + "; run GRANT CREATE, USAGE ON SCHEMA " + TableNames.quoted(tables.schema()) + " TO "
                                + user);
                    }
                    return found;
                })
                .orElseThrow();
        if (!problems.isEmpty()) {
            throw new StartRefused(problems);
        }
    }

    /** What an operator should know. Row-level security may be wanted; rows that it hides from the executor look gone. */
    static List<String> notes(Connection connection, TableNames tables) throws SQLException {
        return Jdbc.list(
                connection,
                HIDDEN_ROWS,
                row -> "row-level security is on for " + tables.qualified(row.getString(1))
                        + ": the role of the executor must see every row (ALTER ROLE … BYPASSRLS, or a policy USING (true) for it),"
                        + " and applications need a policy WITH CHECK for INSERT",
                tables.schema(),
                tables.outbox(),
                tables.internalCommand());
    }
}
