package io.tailrace.executor.claim;

import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a record holds of its event. Events have no row that could be read instead: what was committed stands in the record, and in the
 * raw topic.
 *
 * @param name of the event
 * @param version of the event
 * @param payload absent when the event has none, or when the record does not carry it
 * @param omitted whether the record does not carry it
 * @param contentType of the payload
 * @param headersJson the event's own headers, a JSON object of strings; absent when it has none
 * @param origin on whose behalf
 * @param raw where it stands
 * @param replay whether an operator has replayed its dead letter
 */
public record EventContent(
        String name,
        int version,
        @Nullable Bytes payload,
        boolean omitted,
        String contentType,
        @Nullable String headersJson,
        Origin origin,
        Raw raw,
        boolean replay) {

    /**
     * Where an event stands in the raw topic, and since when.
     *
     * @param spot absent when it is handled before it was read from there
     * @param committedMillis commit time, since 1970
     */
    public record Raw(@Nullable Spot spot, long committedMillis) {

        /** Of an event that was read. */
        public Raw(int partition, long offset, long committedMillis) {
            this(new Spot(partition, offset), committedMillis);
        }

        /** Of an event that was read: the partition of the raw topic. */
        public int partition() {
            return theSpot().partition();
        }

        /** Of an event that was read: its offset in the raw topic. */
        public long offset() {
            return theSpot().offset();
        }

        private Spot theSpot() {
            return Objects.requireNonNull(spot, "the event was not read from a topic");
        }
    }

    /**
     * A place in the raw topic.
     *
     * @param partition of the topic
     * @param offset in it
     */
    public record Spot(int partition, long offset) {}

    public EventContent {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(contentType, "contentType");
        Objects.requireNonNull(origin, "origin");
        Objects.requireNonNull(raw, "raw");
    }
}
