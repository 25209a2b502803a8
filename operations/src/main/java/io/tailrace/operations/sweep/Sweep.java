package io.tailrace.operations.sweep;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One walk over a table, leaf by leaf and from the first page to the last that it had when the walk began. A row that moves meanwhile,
 * because it was updated, may be passed over or met twice: the next walk meets it, and who takes a row looks at it again.
 */
final class Sweep {

    /** What one statement reads at most: 32 MiB. */
    private static final int PAGES = 4_096;

    /** What one statement takes at most. */
    static final int ROWS = 1_000;

    /** The tree of a table without partitions is empty. */
    private static final String LEAVES = """
            SELECT format('%I.%I', n.nspname, c.relname), pg_relation_size(c.oid) / current_setting('block_size')::bigint
            FROM (SELECT t.relid FROM pg_partition_tree(?::regclass) t UNION SELECT ?::regclass) AS tree (relid)
            JOIN pg_class c ON c.oid = tree.relid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'r' ORDER BY 1""";

    private record Leaf(String table, long pages) {}

    private Sweep() {}

    /** One statement. */
    interface Step {
        /** @return its last row, when it took {@link #ROWS}: there may be more in the stretch */
        Optional<String> take(Stretch stretch) throws SQLException;
    }

    /**
     * Walks.
     *
     * @param table qualified and quoted
     * @return whether it came to the end; otherwise a stop came
     */
    static boolean over(Connection connection, String table, Waiting waiting, Step step) throws SQLException {
        for (Leaf leaf : leaves(connection, table)) {
            for (long page = 0; page < leaf.pages(); page += PAGES) {
                Optional<Stretch> next = Optional.of(Stretch.ofPages(leaf.table(), page, page + PAGES));
                while (next.isPresent()) {
                    Stretch stretch = next.get();
                    next = step.take(stretch).map(stretch::behind);
                    if (!waiting.forTime(Waiting.BREATH)) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    private static List<Leaf> leaves(Connection connection, String table) throws SQLException {
        List<Leaf> leaves = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(LEAVES)) {
            statement.setString(1, table);
            statement.setString(2, table);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    leaves.add(new Leaf(rows.getString(1), rows.getLong(2)));
                }
            }
        }
        return leaves;
    }
}
