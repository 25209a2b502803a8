package io.tailrace.router.decode;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A record as it was read: the one carrier of a row through the router, from its topic into the stores and out again. Key and value
 * are never changed; what the router learns of the row it writes into the headers.
 *
 * @param topic it was read from
 * @param partition it was read from
 * @param offset it was read at
 * @param key ordering key, else row id; null only on a record that is not ours
 * @param value bytes of the payload, null when the payload is SQL NULL or does not travel with the record
 * @param headers business and delivery headers
 */
public record RawRecord(
        String topic,
        int partition,
        long offset,
        @Nullable Bytes key,
        @Nullable Bytes value,
        Headers headers) {

    public RawRecord {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(headers, "headers");
    }

    /** The same row with other headers. */
    public RawRecord with(Headers changed) {
        return new RawRecord(topic, partition, offset, key, value, changed);
    }

    /** Word of a row of the same key, which has no payload with it. */
    public RawRecord withoutValue(Headers about) {
        return new RawRecord(topic, partition, offset, key, null, about);
    }

    /** Key, value and headers, in bytes: what the limits of a lane count. */
    public int sizeInBytes() {
        return (key == null ? 0 : key.length()) + (value == null ? 0 : value.length()) + headers.sizeInBytes();
    }

    /** Where the row was first read, whatever topic carries it now: {@code <topic>-<partition>@<offset>}. */
    public String origin() {
        return "%s-%s@%s"
                .formatted(
                        headers.text(HeaderName.ORIGIN_TOPIC).orElse(topic),
                        headers.text(HeaderName.ORIGIN_PARTITION).orElse(Integer.toString(partition)),
                        headers.text(HeaderName.ORIGIN_OFFSET).orElse(Long.toString(offset)));
    }
}
