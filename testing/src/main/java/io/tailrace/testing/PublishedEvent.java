package io.tailrace.testing;

import io.tailrace.contract.record.Origin;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;

/**
 * An event as it stands in the outbox.
 *
 * @param id of the row
 * @param name as it was published
 * @param version if one was stated
 * @param key the ordering key
 * @param origin on whose behalf
 * @param content what it carries
 */
public record PublishedEvent(
        UUID id,
        String name,
        OptionalInt version,
        Optional<String> key,
        Origin origin,
        ScheduledCommand.Carried content)
        implements Named {

    /** Its payload, read from JSON as a handler would read it. */
    public <T> T payloadAs(Class<T> type) {
        return Content.as(type, content.payload(), this);
    }

    @Override
    public String toString() {
        return name + key.map(k -> " key=" + k).orElse("")
                + (version.isPresent() ? " version=" + version.getAsInt() : "") + " id=" + id;
    }
}
