package io.tailrace.schema;

import io.tailrace.contract.name.TableNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What stands in a schema, or should: for every aspect of every table, and every function, its definition. The names that can be
 * configured are those of {@link TableNames#DEFAULT}, and {@code <schema>} stands for the schema. Immutable.
 */
final class Shape {

    /**
     * One aspect.
     *
     * @param relation the table, empty for functions
     * @param kind relation, column, nullability, default, index, unique index, constraint, check, foreign key, function
     * @param name the column or function; of an index or constraint its definition, as names of those mean nothing
     */
    record Aspect(String relation, String kind, String name) implements Comparable<Aspect> {
        @Override
        public int compareTo(Aspect other) {
            int byRelation = relation.compareTo(other.relation);
            int byKind = byRelation != 0 ? byRelation : kind.compareTo(other.kind);
            return byKind != 0 ? byKind : name.compareTo(other.name);
        }
    }

    private final Map<Aspect, String> definitions;

    private Shape(Map<Aspect, String> definitions) {
        this.definitions = definitions;
    }

    /** As the migrations of this release make it; a test keeps the file true. */
    static Shape expected(Scope scope) {
        Map<Aspect, String> definitions = new TreeMap<>();
        for (String line : Template.resource(fileOf(scope)).split("\n")) {
            String[] parts = line.split("\t", -1);
            definitions.put(new Aspect(parts[0], parts[1], parts[2]), parts[3]);
        }
        return new Shape(definitions);
    }

    static String fileOf(Scope scope) {
        return scope == Scope.ALL ? "shape_all.tsv" : "shape_inbox.tsv";
    }

    /** As it stands. Changes search_path for the time of the call: names are printed in full only outside of it. */
    static Shape read(Connection connection, TableNames tables) throws SQLException {
        String before = Jdbc.first(
                        connection, "SELECT pg_catalog.current_setting('search_path')", row -> row.getString(1))
                .orElseThrow();
        String set = "SELECT pg_catalog.set_config('search_path', ?, false)";
        Jdbc.list(connection, set, row -> true, "pg_catalog");
        try {
            Map<Aspect, String> definitions = new TreeMap<>();
            Jdbc.list(
                    connection,
                    Template.resource("shape.sql"),
                    row -> definitions.put(
                            new Aspect(row.getString(1), row.getString(2), row.getString(3)), row.getString(4)),
                    tables.outbox(),
                    tables.internalCommand(),
                    tables.schema());
            return new Shape(definitions);
        } finally {
            Jdbc.list(connection, set, row -> true, before);
        }
    }

    Map<Aspect, String> definitions() {
        return definitions;
    }

    Set<String> relations() {
        return definitions.keySet().stream()
                .filter(aspect -> aspect.kind().equals("relation"))
                .map(Aspect::relation)
                .collect(Collectors.toSet());
    }

    /** Only these relations, and no functions. */
    Shape only(List<String> relations) {
        Map<Aspect, String> kept = new TreeMap<>(definitions);
        kept.keySet().removeIf(aspect -> !relations.contains(aspect.relation()));
        return new Shape(kept);
    }

    /** The text of the file that {@link #expected} reads. */
    String print() {
        return definitions.entrySet().stream()
                .map(entry -> String.join(
                                "\t",
                                entry.getKey().relation(),
                                entry.getKey().kind(),
                                entry.getKey().name(),
                                entry.getValue())
                        + "\n")
                .collect(Collectors.joining());
    }
}
