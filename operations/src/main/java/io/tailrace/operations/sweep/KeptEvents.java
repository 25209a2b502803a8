package io.tailrace.operations.sweep;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Bytes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Events as their rows in the outbox have them, worded as the engine words them. Index: that on the id; no lock. */
public final class KeptEvents {

    private static final Map<String, HeaderName> ORIGIN = new LinkedHashMap<>();

    static {
        ORIGIN.put("tenant_id", HeaderName.CE_TENANTID);
        ORIGIN.put("user_id", HeaderName.CE_USERID);
        ORIGIN.put("user_roles", HeaderName.CE_USERROLES);
        ORIGIN.put("correlation_id", HeaderName.CE_CORRELATIONID);
        ORIGIN.put("causation_id", HeaderName.CE_CAUSATIONID);
        ORIGIN.put("traceparent", HeaderName.TRACEPARENT);
    }

    /** Two rows of one id are two events, and nobody knows which one was meant. */
    private static final String READ = """
            SELECT o.*, floor(extract(epoch FROM o.occurred_at) * 1000)::bigint AS occurred_millis FROM %1$s o
            WHERE o.id = ? AND (SELECT count(*) FROM %1$s t WHERE t.id = o.id) = 1""";

    private static final String OWN_HEADERS =
            "SELECT h.key, h.value FROM %s t, json_each_text(t.headers) h WHERE t.id = ? AND json_typeof(t.headers) = 'object'";

    private final String read;
    private final String ownHeaders;
    private final String source;

    /** @param source of the events, as {@code ce_source} says */
    public KeptEvents(TableNames names, String source) {
        String outbox = names.qualified(names.outbox());
        this.read = READ.formatted(outbox);
        this.ownHeaders = OWN_HEADERS.formatted(outbox);
        this.source = source;
    }

    /**
     * One of them.
     *
     * @param headers without those of a delivery
     * @param payload absent when the event has none
     */
    public record Kept(Headers headers, @Nullable Bytes payload) {}

    /** The event of this id; empty when there is none, or more than one. */
    public Optional<Kept> find(Connection connection, UUID id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(read)) {
            statement.setObject(1, id);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return Optional.empty();
                }
                String json = row.getString("payload");
                byte[] binary = row.getBytes("payload_binary");
                String type = row.getString("content_type");
                String otherwise =
                        json != null ? "application/json" : binary != null ? "application/octet-stream" : null;
                Headers.Builder headers = Headers.builder()
                        .put(HeaderName.CE_SPECVERSION, "1.0")
                        .put(HeaderName.CE_ID, id.toString())
                        .putIfPresent(HeaderName.CE_TYPE, row.getString("event_name"))
                        .put(HeaderName.CE_SOURCE, source)
                        .put(
                                HeaderName.CE_TIME,
                                Instant.ofEpochMilli(row.getLong("occurred_millis"))
                                        .toString())
                        .putIfPresent(HeaderName.CE_PARTITIONKEY, row.getString("ordering_key"))
                        .putIfPresent(HeaderName.CE_EVENTVERSION, row.getString("event_version"))
                        .putIfPresent(HeaderName.CONTENT_TYPE, type == null ? otherwise : type);
                for (Map.Entry<String, HeaderName> each : ORIGIN.entrySet()) {
                    headers.putIfPresent(each.getValue(), row.getString(each.getKey()));
                }
                addOwn(connection, id, headers);
                return Optional.of(new Kept(
                        headers.build(), json != null ? Bytes.utf8(json) : binary == null ? null : Bytes.of(binary)));
            }
        }
    }

    private void addOwn(Connection connection, UUID id, Headers.Builder headers) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(ownHeaders)) {
            statement.setObject(1, id);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    String value = row.getString(2);
                    if (!HeaderName.isReserved(row.getString(1))) {
                        headers.add(row.getString(1), value == null ? null : Bytes.utf8(value));
                    }
                }
            }
        }
    }
}
