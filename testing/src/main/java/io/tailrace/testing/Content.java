package io.tailrace.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.tailrace.contract.record.Bytes;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads what rows hold as handlers read it. */
final class Content {

    private static final ObjectMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .findAndAddModules()
            .build();

    private Content() {}

    static <T> T as(Class<T> type, Optional<Bytes> payload, Named row) {
        Bytes bytes = payload.orElseThrow(() -> new AssertionError("it has no payload: " + row));
        try {
            T value = JSON.readValue(bytes.array(), type);
            if (value == null) {
                throw new AssertionError("its payload is null: " + row);
            }
            return value;
        } catch (IOException other) {
            throw new AssertionError("its payload cannot be read as " + type.getName() + ": " + row, other);
        }
    }

    static Map<String, String> headers(@Nullable String json) {
        if (json == null) {
            return Map.of();
        }
        try {
            return Map.copyOf(JSON.readValue(json, new TypeReference<Map<String, String>>() {}));
        } catch (JsonProcessingException notAnObject) {
            throw new AssertionError("headers must be a JSON object of strings", notAnObject);
        }
    }
}
