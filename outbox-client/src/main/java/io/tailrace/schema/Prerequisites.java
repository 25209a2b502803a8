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

    /**
     * The server and the database.
     *
     * @param major version
     */
    record Server(int major, String version, String encoding, String walLevel, boolean inRecovery) {

        /** Reads settings only. */
        private static final String QUERY = """
                SELECT current_setting('server_version_num')::int / 10000, current_setting('server_version'),
                    current_setting('server_encoding'), current_setting('wal_level'), pg_is_in_recovery()""";

        static Server read(Connection connection) throws SQLException {
            return Jdbc.first(
                            connection,
                            QUERY,
                            row -> new Server(
                                    row.getInt(1),
                                    row.getString(2),
                                    row.getString(3),
                                    row.getString(4),
                                    row.getBoolean(5)))
                    .orElseThrow();
        }

        List<String> problems(Scope scope) {
            List<String> found = new ArrayList<>();
            if (major < OLDEST || major > NEWEST) {
                found.add(
                        "PostgreSQL %s is not supported; Tailrace runs on %d to %d".formatted(version, OLDEST, NEWEST));
            }
            if (!encoding.equals("UTF8")) {
                found.add(
                        "the database is encoded in %s; payloads keep their bytes only in UTF8: create one with ENCODING 'UTF8' TEMPLATE template0"
                                .formatted(encoding));
            }
            if (inRecovery) {
                found.add("the server is a standby in recovery; connect to the primary");
            }
            if (scope == Scope.ALL && !walLevel.equals("logical")) {
                found.add("wal_level is %s; run ALTER SYSTEM SET wal_level = 'logical' and restart the server"
                        .formatted(walLevel));
            }
            return found;
        }
    }

    /** What the connected role may do. */
    record Role(
            String name,
            String database,
            boolean mayReplicate,
            boolean mayCreateInDatabase,
            boolean schemaExists,
            boolean mayCreateInSchema) {

        /** Reads catalogs only. Parameter: the schema. */
        private static final String QUERY = """
                SELECT r.rolname, current_database(), r.rolsuper OR r.rolreplication,
                    has_database_privilege(current_database(), 'CREATE'), n.oid IS NOT NULL,
                    coalesce(has_schema_privilege(n.oid, 'CREATE'), false)
                FROM pg_catalog.pg_roles r LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = ?
                WHERE r.rolname = current_user""";

        static Role read(Connection connection, TableNames tables) throws SQLException {
            return Jdbc.first(
                            connection,
                            QUERY,
                            row -> new Role(
                                    row.getString(1),
                                    row.getString(2),
                                    row.getBoolean(3),
                                    row.getBoolean(4),
                                    row.getBoolean(5),
                                    row.getBoolean(6)),
                            tables.schema())
                    .orElseThrow();
        }

        List<String> problems(Scope scope, TableNames tables) {
            List<String> found = new ArrayList<>();
            String role = TableNames.quoted(name);
            if (scope == Scope.ALL && !mayReplicate) {
                found.add("role %1$s may not make a replication slot; run ALTER ROLE %1$s REPLICATION".formatted(role));
            }
            if (!mayCreateInDatabase && (scope == Scope.ALL || !schemaExists)) {
                found.add("role %1$s may not create schema and publication; run GRANT CREATE ON DATABASE %2$s TO %1$s"
                        .formatted(role, TableNames.quoted(database)));
            }
            if (schemaExists && !mayCreateInSchema) {
                found.add("role %1$s may not create in schema %2$s; run GRANT CREATE, USAGE ON SCHEMA %2$s TO %1$s"
                        .formatted(role, TableNames.quoted(tables.schema())));
            }
            return found;
        }
    }

    private static final String HIDDEN_ROWS = """
            SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = ? AND c.relname = ANY (ARRAY[?, ?, 'delivery']) AND c.relrowsecurity ORDER BY 1""";

    private Prerequisites() {}

    /** @throws StartRefused naming each thing that is not met and its fix */
    static void require(Connection connection, TableNames tables, Scope scope) throws SQLException {
        List<String> problems = new ArrayList<>(Server.read(connection).problems(scope));
        problems.addAll(Role.read(connection, tables).problems(scope, tables));
        if (!problems.isEmpty()) {
            throw new StartRefused(problems);
        }
    }

    /** What an operator should know. Row-level security may be wanted; rows that it hides from the executor look gone. */
    static List<String> notes(Connection connection, TableNames tables) throws SQLException {
        return Jdbc.list(
                connection,
                HIDDEN_ROWS,
                row ->
                        "row-level security is on for %s: the role of the executor must see every row (ALTER ROLE … BYPASSRLS, or a policy USING (true) for it), and applications need a policy WITH CHECK for INSERT"
                                .formatted(tables.qualified(row.getString(1))),
                tables.schema(),
                tables.outbox(),
                tables.internalCommand());
    }
}
