package io.tailrace.executor.settle;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import org.jspecify.annotations.Nullable;

/**
 * A record for the retry topic.
 *
 * @param kind what it says
 * @param key of the record it answers
 * @param value payload of the row, absent when the row has none or the record brought none
 * @param headers business headers and delivery headers
 */
public record Answer(Kind kind, Bytes key, @Nullable Bytes value, Headers headers) {

    /** The same, of a row whose key stops when it is a dead letter. */
    public Answer halting() {
        return new Answer(kind, key, value, headers.with(HeaderName.HALTS, "true"));
    }
}
