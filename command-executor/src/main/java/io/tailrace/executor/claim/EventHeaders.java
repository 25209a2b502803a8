package io.tailrace.executor.claim;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An event's own headers, as the outbox has them. */
public final class EventHeaders {

    private static final ObjectMapper JSON = new ObjectMapper();

    private EventHeaders() {}

    /** A JSON object from text to text; null when there are none. */
    public static @Nullable String json(Headers headers) {
        Map<String, String> own = new LinkedHashMap<>();
        for (Headers.Entry entry : headers.entries()) {
            Bytes value = entry.value();
            if (value != null && !HeaderName.isReserved(entry.key())) {
                own.put(entry.key(), value.utf8());
            }
        }
        if (own.isEmpty()) {
            return null;
        }
        try {
            return JSON.writeValueAsString(own);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("a map of texts is always JSON", impossible);
        }
    }
}
