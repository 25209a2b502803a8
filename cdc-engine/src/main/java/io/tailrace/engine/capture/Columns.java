package io.tailrace.engine.capture;

import io.debezium.connector.postgresql.connection.ReplicationMessage.Column;
import java.util.Collection;
import java.util.List;

/** The columns of a table as the log names them, in its order. One object for all rows until the table changes. */
public final class Columns {

    enum Kind {
        EVENT,
        COMMAND,
        FOREIGN
    }

    final Kind kind;
    private final String[] names;

    private Columns(String[] names) {
        this.names = names;
        this.kind = kindOf(List.of(names));
    }

    static Columns of(List<Column> row) {
        return new Columns(row.stream().map(Column::getName).toArray(String[]::new));
    }

    /** Columns of these names. */
    public static Columns named(Collection<String> names) {
        return new Columns(names.toArray(String[]::new));
    }

    List<String> names() {
        return List.of(names);
    }

    /** By the column that only one of the tables has: the publication, which is checked, lets in no others. */
    private static Kind kindOf(List<String> names) {
        if (names.contains(CapturedColumns.EVENT_NAME)) {
            return Kind.EVENT;
        }
        return names.contains(CapturedColumns.COMMAND_NAME) ? Kind.COMMAND : Kind.FOREIGN;
    }

    /** Whether a row has these columns. */
    boolean isOf(List<Column> row) {
        if (row.size() != names.length) {
            return false;
        }
        for (int i = 0; i < names.length; i++) {
            if (!names[i].equals(row.get(i).getName())) {
                return false;
            }
        }
        return true;
    }

    /** Where a column stands; -1 when there is none of that name. */
    int index(String name) {
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(name)) {
                return i;
            }
        }
        return -1;
    }
}
