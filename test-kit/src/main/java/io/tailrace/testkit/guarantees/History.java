package io.tailrace.testkit.guarantees;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What was committed, in commit order, to be held against what was delivered.
 *
 * <p>Order is judged within a key only: rows without a key have none. Of a row that was delivered twice the first delivery
 * counts for order, the second is reported as a duplicate.
 */
public final class History {

    private final Map<String, Row> committed = new LinkedHashMap<>();

    private History() {}

    /**
     * One row.
     *
     * @param id its id, unique
     * @param key its ordering key within one source, or null
     */
    public record Row(String id, @Nullable String key) {}

    /** Rows in the order in which they were committed; only the order within a key matters. */
    public static History of(Collection<Row> rows) {
        History history = new History();
        rows.forEach(history::add);
        return history;
    }

    /** As {@link #of}, from a query whose first column is the id and whose second is the key; both are read as text. */
    public static History of(Connection connection, String query) throws SQLException {
        History history = new History();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                history.add(new Row(rows.getString(1), rows.getString(2)));
            }
        }
        return history;
    }

    /** How many rows were committed. */
    public int size() {
        return committed.size();
    }

    private void add(Row row) {
        if (committed.putIfAbsent(row.id(), row) != null) {
            throw new IllegalArgumentException("Two committed rows with the id " + row.id());
        }
    }

    /**
     * Compares with deliveries in the order in which a reader gets them. Those of one key must come from one partition, or in
     * another order that means something; the order between keys does not matter.
     *
     * @param id tells the row's id; null counts as a delivery of a row that was never committed
     */
    public <T> Findings compare(Iterable<T> delivered, Function<T, @Nullable String> id) {
        Set<String> seen = new LinkedHashSet<>();
        List<String> duplicated = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        for (T delivery : delivered) {
            String rowId = id.apply(delivery);
            if (rowId == null || !committed.containsKey(rowId)) {
                unknown.add(String.valueOf(rowId));
            } else if (!seen.add(rowId)) {
                duplicated.add(rowId);
            }
        }
        List<String> missing =
                committed.keySet().stream().filter(row -> !seen.contains(row)).toList();
        return new Findings(missing, List.copyOf(duplicated), List.copyOf(unknown), outOfOrder(seen));
    }

    private List<String> outOfOrder(Set<String> delivered) {
        Map<String, Integer> place = new HashMap<>();
        committed.keySet().forEach(id -> place.put(id, place.size()));
        Map<String, String> furthest = new HashMap<>();
        List<String> violations = new ArrayList<>();
        for (String id : delivered) {
            Row row = committed.get(id);
            if (row == null || row.key() == null) {
                continue;
            }
            String before = furthest.get(row.key());
            if (before != null && place.getOrDefault(before, 0) > place.getOrDefault(id, 0)) {
                violations.add(
                        "key " + row.key() + ": " + id + " was committed before " + before + " and delivered after it");
            } else {
                furthest.put(row.key(), id);
            }
        }
        return violations;
    }

    /**
     * What is wrong, empty lists where nothing is.
     *
     * @param missing ids committed and never delivered
     * @param duplicated ids delivered again, once per repetition
     * @param unknown ids delivered and never committed
     * @param outOfOrder a sentence for each row that a later one of its key overtook
     */
    public record Findings(
            List<String> missing, List<String> duplicated, List<String> unknown, List<String> outOfOrder) {

        public boolean clean() {
            return missing.isEmpty() && duplicated.isEmpty() && unknown.isEmpty() && outOfOrder.isEmpty();
        }

        /** @throws AssertionError with counts and the first few of each kind if anything is wrong */
        public void assertClean() {
            if (!clean()) {
                throw new AssertionError("missing " + brief(missing) + ", duplicated " + brief(duplicated)
                        + ", unknown " + brief(unknown) + ", out of order " + brief(outOfOrder));
            }
        }

        private static String brief(List<String> findings) {
            return findings.size() + " " + findings.subList(0, Math.min(5, findings.size()));
        }
    }
}
