package io.tailrace.client;

import io.tailrace.contract.record.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * What a row carries: JSON text, or bytes, or nothing, which is not the same as the JSON text {@code null}.
 *
 * @param json kept to the byte; the database checks that it is JSON
 * @param binary anything else
 * @param contentType of either; null for the default of its kind
 */
record Payload(
        @Nullable String json,
        @Nullable Bytes binary,
        @Nullable String contentType) {

    static final int MAX_CONTENT_TYPE = 255;

    static final Payload NONE = new Payload(null, null, null);

    static Payload ofJson(String json) {
        return new Payload(Text.storable("payload", json), null, null);
    }

    static Payload ofBinary(byte[] bytes, String contentType) {
        return new Payload(null, Bytes.of(bytes.clone()), null).as(contentType);
    }

    Payload as(String type) {
        return new Payload(json, binary, Text.required("content_type", type, MAX_CONTENT_TYPE));
    }
}
