package io.tailrace.executor.claim;

import io.tailrace.contract.name.RowName;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Events as they stand in the outbox, for whoever handles them before they have come through Kafka. Only reads; immutable. Index: that on the
 * id.
 */
public final class OutboxTable {

    private static final String FIND = """
            SELECT id, event_name, event_version, ordering_key, payload::text, payload_binary, content_type, headers::text,
                tenant_id, user_id, user_roles, correlation_id, causation_id, traceparent,
                ceil(EXTRACT(epoch FROM occurred_at) * 1000)::bigint
            FROM %s WHERE id = ANY (?)""";

    private final String find;

    /** On one table. */
    public OutboxTable(TableNames names) {
        this.find = FIND.formatted(names.qualified(names.outbox()));
    }

    /**
     * An event.
     *
     * @param id of the row
     * @param orderingKey may be absent
     * @param name empty when what stands there is no name, or contradicts the version that is stated
     * @param content of the event; when it was inserted stands for when it was committed
     */
    public record Found(UUID id, @Nullable String orderingKey, Optional<RowName> name, EventContent content) {}

    /** Those of these events that this connection sees. One whose id two rows have is left out: they are two events. */
    public Map<UUID, Found> find(Connection connection, Collection<UUID> ids) throws SQLException {
        Map<UUID, Found> found = new HashMap<>();
        Map<UUID, Integer> rowsOf = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(find)) {
            statement.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Found event = event(rows);
                    found.put(event.id(), event);
                    rowsOf.merge(event.id(), 1, Integer::sum);
                }
            }
        }
        found.keySet().removeIf(id -> rowsOf.getOrDefault(id, 0) > 1);
        return found;
    }

    private static Found event(ResultSet row) throws SQLException {
        String name = row.getString(2);
        int stated = row.getInt(3);
        OptionalInt version = row.wasNull() ? OptionalInt.empty() : OptionalInt.of(stated);
        Optional<RowName> valid = RowName.event(name)
                .name()
                .filter(event -> event.version(version).isPresent());
        String text = row.getString(5);
        byte[] binary = row.getBytes(6);
        String contentType = row.getString(7);
        return new Found(
                row.getObject(1, UUID.class),
                row.getString(4),
                valid,
                new EventContent(
                        name,
                        valid.map(event -> event.version(version).orElse(1)).orElse(1),
                        binary != null ? Bytes.of(binary) : text != null ? Bytes.utf8(text) : null,
                        false,
                        contentType != null
                                ? contentType
                                : binary != null ? "application/octet-stream" : "application/json",
                        row.getString(8),
                        new Origin(
                                row.getString(9),
                                row.getString(10),
                                row.getString(11),
                                row.getString(12),
                                row.getString(13),
                                row.getString(14)),
                        new EventContent.Raw(null, row.getLong(15)),
                        false));
    }
}
