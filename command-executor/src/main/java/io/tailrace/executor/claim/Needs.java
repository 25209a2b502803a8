package io.tailrace.executor.claim;

import io.tailrace.contract.name.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What an executor needs of the database of its rows: the functions of its schema version, the right to use them, sight of every row, and time.
 * Immutable.
 */
final class Needs {

    /**
     * What would keep a claim from working, or worse, from seeing its row. A transaction_timeout is the one limit that a transaction
     * which has begun cannot raise.
     */
    private static final String QUESTION = """
            SELECT coalesce((SELECT setting::bigint FROM pg_settings WHERE name = 'transaction_timeout'), 0),
                (SELECT f FROM unnest(n.functions) WITH ORDINALITY AS u (f, i) WHERE to_regprocedure(f) IS NULL ORDER BY i LIMIT 1),
                n.tab IS NOT NULL AND row_security_active(n.tab),
                n.tab IS NOT NULL AND (SELECT bool_and(has_table_privilege(n.tab, r)) FROM unnest(n.rights) AS u (r))
                    AND (SELECT bool_and(has_function_privilege(to_regprocedure(f)::oid, 'EXECUTE')) FROM unnest(n.functions) AS u (f)),
                current_user
            FROM (SELECT to_regclass(?)::oid AS tab, ?::text[] AS rights, ?::text[] AS functions) AS n""";

    private final String table;
    private final String schema;
    private final List<String> rights;
    private final List<String> functions;
    private final int limitMillis;
    private final String ifOld;
    private final String ifHidden;

    private Needs(
            TableNames names,
            String table,
            List<String> rights,
            List<String> functions,
            int limitMillis,
            String ifOld,
            String ifHidden) {
        this.table = table;
        this.schema = TableNames.quoted(names.schema());
        this.rights = rights;
        this.functions = functions;
        this.limitMillis = limitMillis;
        this.ifOld = ifOld;
        this.ifHidden = ifHidden;
    }

    /** @param functions of the claim, with their arguments; the newest is missing when the schema is older */
    static Needs ofCommands(TableNames names, int limitMillis, Stream<String> functions) {
        return new Needs(
                names,
                names.qualified(names.internalCommand()),
                List.of("SELECT", "UPDATE"),
                Stream.concat(functions, HoldTable.functions(names, "wake_held(integer)"))
                        .toList(),
                limitMillis,
                "",
                "they would be taken for lost");
    }

    /** @param functions as for commands */
    static Needs ofDeliveries(TableNames names, int limitMillis, Stream<String> functions) {
        return new Needs(
                names,
                names.qualified("delivery"),
                List.of("SELECT", "INSERT", "UPDATE"),
                Stream.concat(functions, HoldTable.functions(names, "wake_held_events(text,integer)"))
                        .toList(),
                limitMillis,
                "; the inbox alone is not enough for a subscription",
                "events would be handled again");
    }

    /** What is not as it should be, each with its fix. */
    List<String> unmet(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(QUESTION)) {
            statement.setString(1, table);
            statement.setArray(2, connection.createArrayOf("text", rights.toArray()));
            statement.setArray(3, connection.createArrayOf("text", functions.toArray()));
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return unmet(row.getLong(1), row.getString(2), row.getBoolean(3), row.getBoolean(4), row.getString(5));
            }
        }
    }

    private List<String> unmet(
            long transactionTimeout, @Nullable String missing, boolean hidden, boolean mayWork, String role) {
        List<String> problems = new ArrayList<>();
        String who = TableNames.quoted(role);
        if (transactionTimeout > 0 && transactionTimeout < limitMillis) {
            problems.add(
                    ("the server ends every transaction after %d ms (transaction_timeout), a handler and its stamp may take %d ms:"
                                    + " ALTER ROLE %s SET transaction_timeout = 0, or lower executor.handler-timeout")
                            .formatted(transactionTimeout, limitMillis, who));
        }
        if (missing != null) {
            problems.add("the database has no function " + missing + ": run tailrace db migrate" + ifOld);
        } else if (!mayWork) {
            problems.add(
                    ("role %1$s may not work on %2$s, or not call all functions that are needed: GRANT %4$s ON %2$s TO %1$s;"
                                    + " GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA %3$s TO %1$s")
                            .formatted(who, table, schema, String.join(", ", rights)));
        }
        if (hidden) {
            problems.add("row-level security hides rows of %s from role %s, %s: ALTER ROLE %s BYPASSRLS"
                    .formatted(table, who, ifHidden, who));
        }
        return problems;
    }
}
