package io.tailrace.engine.log;

import io.debezium.connector.postgresql.connection.ReplicationMessage.Column;
import java.util.Collection;
import java.util.List;

/** The columns of a table as the log names them, in its order. One object for all rows until the table changes. */
public final class Columns {

    private final String[] names;

    private Columns(String[] names) {
        this.names = names;
    }

    static Columns of(List<Column> row) {
        return new Columns(row.stream().map(Column::getName).toArray(String[]::new));
    }

    /** Columns of these names. */
    public static Columns named(Collection<String> names) {
        return new Columns(names.toArray(String[]::new));
    }

    /** Their names, in order. */
    public List<String> names() {
        return List.of(names);
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
    public int index(String name) {
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(name)) {
                return i;
            }
        }
        return -1;
    }
}
