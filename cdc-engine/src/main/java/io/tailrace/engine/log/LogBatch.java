package io.tailrace.engine.log;

import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.source.SourceRecord;

/** What one look at the log has brought, in the order of the log, in the guise of a record. */
final class LogBatch extends SourceRecord {

    private final transient List<Change> changes;

    LogBatch(Map<String, ?> partition, List<Change> changes) {
        // Debezium's engine wants an offset; the store shows its own, whatever it is given.
        super(partition, Map.of("batch", true), "batch", null, null, null);
        this.changes = changes;
    }

    List<Change> changes() {
        return changes;
    }
}
