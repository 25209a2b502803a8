package io.tailrace.executor.settle;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A row's own headers as they go out on its records. Total: what cannot go out is left out, as it is when the row is captured. */
public final class OwnHeaders {

    /** Names and values together, in bytes of UTF-8; of a row with more none go out. */
    private static final int MAX_BYTES = 16 * 1024;

    private static final ObjectMapper JSON = new ObjectMapper();

    private OwnHeaders() {}

    /** Of the column, a JSON object from text to text. */
    public static List<Headers.Entry> of(@Nullable String json) {
        List<Headers.Entry> entries = new ArrayList<>();
        int bytes = 0;
        for (Map.Entry<String, JsonNode> field : fields(json)) {
            String key = field.getKey();
            if (field.getValue().isTextual() && !key.isEmpty() && !HeaderName.isReserved(key)) {
                Bytes value = Bytes.utf8(field.getValue().textValue());
                bytes += Bytes.utf8(key).length() + value.length();
                entries.add(new Headers.Entry(key, value));
            }
        }
        return bytes > MAX_BYTES ? List.of() : entries;
    }

    private static Iterable<Map.Entry<String, JsonNode>> fields(@Nullable String json) {
        if (json == null) {
            return List.of();
        }
        try {
            return JSON.readTree(json).properties();
        } catch (JsonProcessingException unreadable) {
            return List.of();
        }
    }
}
