package io.tailrace.testing;

import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * A command as it stands in its table.
 *
 * @param id of the row
 * @param name as it was scheduled
 * @param key the ordering key
 * @param runAt not before; {@link Instant#MAX} for never
 * @param origin on whose behalf
 * @param dedupKey under which at most one is pending
 * @param state how far it came
 * @param content what it carries
 */
public record ScheduledCommand(
        UUID id,
        String name,
        Optional<String> key,
        Instant runAt,
        Origin origin,
        Optional<String> dedupKey,
        State state,
        Carried content)
        implements Named {

    /**
     * How far a command came.
     *
     * @param status {@code PENDING}, {@code COMPLETED}, {@code DEAD} or {@code CANCELLED}
     * @param attempts used
     * @param lastError of its last failure
     */
    public record State(String status, int attempts, Optional<String> lastError) {}

    /**
     * What a row carries.
     *
     * @param payload its bytes
     * @param contentType of the payload, if the row says one
     * @param headers the row's own
     */
    public record Carried(Optional<Bytes> payload, Optional<String> contentType, Map<String, String> headers) {}

    /** {@code PENDING}, {@code COMPLETED}, {@code DEAD} or {@code CANCELLED}. */
    public String status() {
        return state.status();
    }

    /** Its payload, read from JSON as a handler would read it. Upcasters are not asked. */
    public <T> T payloadAs(Class<T> type) {
        return Content.as(type, content.payload(), this);
    }

    @Override
    public String toString() {
        return name + " " + state.status() + key.map(k -> " key=" + k).orElse("") + " runAt=" + runAt
                + dedupKey.map(k -> " dedupKey=" + k).orElse("")
                + (state.attempts() > 0 ? " attempts=" + state.attempts() : "") + " id=" + id;
    }
}
