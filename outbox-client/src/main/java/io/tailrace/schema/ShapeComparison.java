package io.tailrace.schema;

import io.tailrace.contract.name.TableNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Names what is missing, other, or in the way. What a database has beyond the expectation is left alone, so that an older release
 * runs on a newer schema, unless it refuses rows (a further column that must be filled) or turns into a key (a unique index on what
 * is captured).
 */
final class ShapeComparison {

    private static final String MIGRATE = "run tailrace db migrate";

    private final TableNames tables;
    private final Shape expected;
    private final Shape actual;
    private final List<Difference> found = new ArrayList<>();

    private ShapeComparison(TableNames tables, Shape expected, Shape actual) {
        this.tables = tables;
        this.expected = expected;
        this.actual = actual;
    }

    static List<Difference> of(TableNames tables, Shape expected, Shape actual) {
        ShapeComparison comparison = new ShapeComparison(tables, expected, actual);
        expected.definitions().forEach(comparison::expect);
        actual.definitions().forEach(comparison::tolerate);
        return List.copyOf(comparison.found);
    }

    private void expect(Shape.Aspect aspect, String wanted) {
        String there = actual.definitions().get(aspect);
        if (wanted.equals(there)) {
            return;
        }
        boolean tableMissing =
                !aspect.relation().isEmpty() && !actual.relations().contains(aspect.relation());
        if (tableMissing) {
            if (aspect.kind().equals("relation")) {
                add(aspect, "the table", wanted, Difference.ABSENT, MIGRATE);
            }
            return;
        }
        switch (aspect.kind()) {
            case "relation" -> relation(aspect, wanted, String.valueOf(there));
            case "column" -> column(aspect, wanted, there);
            case "nullability", "default" -> {
                // A missing column is named once, as a column.
                if (there != null) {
                    property(aspect, wanted, there);
                }
            }
            case "function" -> add(aspect, "function " + aspect.name(), wanted, orAbsent(there), MIGRATE);
            default -> index(aspect, wanted, there);
        }
    }

    private void relation(Shape.Aspect aspect, String wanted, String there) {
        boolean partitionedOutbox = aspect.relation().equals("outbox") && there.equals("partitioned table");
        if (!partitionedOutbox) {
            add(aspect, "the table", wanted, there, fixOf(aspect, there));
        }
    }

    private String fixOf(Shape.Aspect aspect, String there) {
        if (there.startsWith("unlogged")) {
            return "nothing of it reaches the WAL; " + alter(aspect) + "SET LOGGED";
        }
        return switch (there) {
            case "partitioned table without a DEFAULT partition" ->
                "a row that no partition takes is refused; CREATE TABLE %s PARTITION OF %s DEFAULT"
                        .formatted(tables.qualified("outbox_default"), tableOf(aspect));
            case "partitioned table with a partition that is not logged" ->
                "nothing of that partition reaches the WAL; ALTER TABLE <partition> SET LOGGED";
            default -> "rename it, or configure other names";
        };
    }

    private void column(Shape.Aspect aspect, String wanted, @Nullable String there) {
        String column = quotedIfNeeded(aspect.name());
        String fix;
        if (there == null) {
            String notNull = "NOT NULL".equals(sibling(expected, aspect, "nullability")) ? " NOT NULL" : "";
            String preset = String.valueOf(sibling(expected, aspect, "default"));
            fix = alter(aspect) + "ADD COLUMN " + column + " " + wanted + notNull
                    + (preset.equals("none") ? "" : " DEFAULT " + preset);
        } else {
            fix = alter(aspect) + "ALTER COLUMN " + column + " TYPE " + wanted + " USING " + column + "::" + wanted;
        }
        add(aspect, "column " + aspect.name(), wanted, orAbsent(there), fix);
    }

    private void property(Shape.Aspect aspect, String wanted, String there) {
        String what = aspect.kind() + " of column " + aspect.name();
        String change;
        if (aspect.kind().equals("default")) {
            change = wanted.equals("none") ? "DROP DEFAULT" : "SET DEFAULT " + wanted;
        } else {
            change = wanted.equals("NULL") ? "DROP NOT NULL" : "SET NOT NULL";
        }
        add(
                aspect,
                what,
                wanted,
                there,
                alter(aspect) + "ALTER COLUMN " + quotedIfNeeded(aspect.name()) + " " + change);
    }

    private void index(Shape.Aspect aspect, String wanted, @Nullable String there) {
        boolean isIndex = aspect.kind().endsWith("index");
        String fix;
        if (there != null) {
            fix = "REINDEX TABLE CONCURRENTLY " + tableOf(aspect);
        } else if (isIndex) {
            fix = (aspect.kind().startsWith("unique") ? "CREATE UNIQUE INDEX ON " : "CREATE INDEX ON ")
                    + tableOf(aspect) + " USING " + aspect.name();
        } else {
            fix = alter(aspect) + "ADD " + aspect.name();
        }
        add(aspect, aspect.kind() + " " + aspect.name(), wanted, orAbsent(there), fix);
    }

    private void tolerate(Shape.Aspect aspect, String there) {
        boolean ours = expected.relations().contains(aspect.relation());
        if (!ours || expected.definitions().containsKey(aspect)) {
            return;
        }
        if (aspect.kind().equals("column")
                && "NOT NULL".equals(sibling(actual, aspect, "nullability"))
                && "none".equals(sibling(actual, aspect, "default"))) {
            add(
                    aspect,
                    "column " + aspect.name(),
                    Difference.ABSENT,
                    there + " NOT NULL without a default",
                    alter(aspect) + "ALTER COLUMN " + quotedIfNeeded(aspect.name())
                            + " DROP NOT NULL, or give it a default");
        } else if (aspect.kind().equals("unique index") || aspect.kind().equals("constraint")) {
            add(
                    aspect,
                    aspect.kind() + " " + aspect.name(),
                    Difference.ABSENT,
                    there,
                    "drop it, or its constraint: it refuses rows");
        }
    }

    private void add(Shape.Aspect aspect, String what, String wanted, String there, String fix) {
        String where = aspect.relation().isEmpty() ? TableNames.quoted(tables.schema()) : tableOf(aspect);
        found.add(new Difference(where, real(what), real(wanted), real(there), real(fix)));
    }

    private String alter(Shape.Aspect aspect) {
        return "ALTER TABLE " + tableOf(aspect) + " ";
    }

    private String tableOf(Shape.Aspect aspect) {
        return switch (aspect.relation()) {
            case "outbox" -> tables.qualified(tables.outbox());
            case "internal_command" -> tables.qualified(tables.internalCommand());
            default -> tables.qualified(aspect.relation());
        };
    }

    private String real(String text) {
        return text.replace("<schema>.internal_command", tables.qualified(tables.internalCommand()))
                .replace("<schema>.outbox", tables.qualified(tables.outbox()))
                .replace("<schema>", TableNames.quoted(tables.schema()));
    }

    private static @Nullable String sibling(Shape shape, Shape.Aspect aspect, String kind) {
        Map<Shape.Aspect, String> all = shape.definitions();
        return all.get(new Shape.Aspect(aspect.relation(), kind, aspect.name()));
    }

    private static String orAbsent(@Nullable String there) {
        return there == null ? Difference.ABSENT : there;
    }

    private static String quotedIfNeeded(String column) {
        return column.matches("[a-z_]+") && !column.equals("by") ? column : TableNames.quoted(column);
    }
}
