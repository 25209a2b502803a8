package io.tailrace.client;

import io.tailrace.contract.header.HeaderName;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What events and commands have in common. Immutable.
 *
 * @param id null to have one made
 * @param key the ordering key
 * @param payload what the row carries
 * @param headers the row's own, in the order of their adding
 * @param standsAlone whether the row needs no transaction around it
 */
record Content(
        @Nullable UUID id, @Nullable String key, Payload payload, Map<String, String> headers, boolean standsAlone) {

    /** Characters; a database index and a Kafka key take it. */
    static final int MAX_KEY = 512;

    /** Names and values of a row's own headers together, in bytes of UTF-8. */
    static final int MAX_HEADER_BYTES = 16 * 1024;

    static final Content EMPTY = new Content(null, null, Payload.NONE, Map.of(), false);

    Content withId(UUID value) {
        return new Content(value, key, payload, headers, standsAlone);
    }

    Content withKey(@Nullable String value) {
        return new Content(id, Text.optional("ordering_key", value, MAX_KEY), payload, headers, standsAlone);
    }

    Content withPayload(Payload value) {
        return new Content(id, key, value, headers, standsAlone);
    }

    Content withHeader(String name, String value) {
        if (name.isEmpty() || HeaderName.isReserved(name)) {
            throw new IllegalArgumentException("header '" + name
                    + "' cannot be used: a name may not be empty, nor one that Tailrace or CloudEvents writes");
        }
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(Text.storable("header name", name), Text.storable("header " + name, value));
        int bytes = more.entrySet().stream()
                .mapToInt(header -> bytes(header.getKey()) + bytes(header.getValue()))
                .sum();
        if (bytes > MAX_HEADER_BYTES) {
            throw new IllegalArgumentException("with header '%s' the headers have %d bytes, at most %d are allowed"
                    .formatted(name, bytes, MAX_HEADER_BYTES));
        }
        return new Content(id, key, payload, Collections.unmodifiableMap(more), standsAlone);
    }

    Content alone() {
        return new Content(id, key, payload, headers, true);
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
