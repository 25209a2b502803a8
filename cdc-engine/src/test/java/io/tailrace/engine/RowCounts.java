package io.tailrace.engine;

import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** How often there is a row of an id, in a topic and in a table, to be compared. */
final class RowCounts {

    private RowCounts() {}

    static Map<String, Long> read(List<ConsumerRecord<byte[], byte[]>> records) {
        Map<String, Long> counts = new TreeMap<>();
        records.forEach(record -> counts.merge(EngineFixture.header(record, "ce_id"), 1L, Long::sum));
        return counts;
    }

    static Map<String, Long> held(Stack stack, String query) throws SQLException {
        Map<String, Long> counts = new TreeMap<>();
        try (Connection connection = stack.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                counts.put(row.getString(1), row.getLong(2));
            }
        }
        return counts;
    }
}
