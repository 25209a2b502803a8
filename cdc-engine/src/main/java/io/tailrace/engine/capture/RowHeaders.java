package io.tailrace.engine.capture;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A row's own headers: a JSON object from text to text, 16 KiB at most. Total: what is wrong is left out and said.
 *
 * @param entries what may go out, in the row's order
 * @param problem the first thing wrong, empty when nothing is
 */
record RowHeaders(List<Headers.Entry> entries, String problem) {

    /** Names and values together, in bytes of UTF-8. */
    static final int MAX_BYTES = 16 * 1024;

    static final RowHeaders NONE = new RowHeaders(List.of(), "");

    private static final JsonFactory JSON = new JsonFactory();

    /** Reads the column. */
    static RowHeaders parse(String json) {
        // Every character takes a byte at least, and quotes come on top: no need to read it.
        if (json.length() > 8 * MAX_BYTES) {
            return new RowHeaders(List.of(), "headers take more than " + MAX_BYTES + " bytes");
        }
        try (JsonParser parser = JSON.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return new RowHeaders(List.of(), "headers are not a JSON object");
            }
            return new Reader(parser).read();
        } catch (IOException unreadable) {
            // Its message quotes the row; the class says enough.
            return new RowHeaders(
                    List.of(),
                    "headers cannot be read: " + unreadable.getClass().getSimpleName());
        }
    }

    /** Reads one object; used once. */
    private static final class Reader {

        private final JsonParser parser;
        private final List<Headers.Entry> entries = new ArrayList<>();
        private final Set<String> seen = new HashSet<>();
        private String problem = "";
        private int bytes;

        Reader(JsonParser parser) {
            this.parser = parser;
        }

        RowHeaders read() throws IOException {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String key = parser.currentName();
                JsonToken token = parser.nextToken();
                if (token == JsonToken.VALUE_STRING) {
                    take(key, parser.getText());
                } else {
                    parser.skipChildren();
                    note("header '" + shown(key) + "' is not a text");
                }
                if (bytes > MAX_BYTES) {
                    return new RowHeaders(List.of(), "headers take more than " + MAX_BYTES + " bytes");
                }
            }
            return new RowHeaders(entries, problem);
        }

        private void take(String key, String value) {
            if (key.isEmpty()) {
                note("a header has no name");
            } else if (HeaderName.isReserved(key)) {
                note("header name '" + shown(key) + "' is reserved");
            } else if (!isWellFormed(key) || !isWellFormed(value)) {
                note("header '" + shown(key) + "' is not well-formed text");
            } else if (!seen.add(key)) {
                note("header '" + shown(key) + "' is given twice");
            } else {
                Bytes text = Bytes.utf8(value);
                bytes += Bytes.utf8(key).length() + text.length();
                entries.add(new Headers.Entry(key, text));
            }
        }

        private void note(String first) {
            if (problem.isEmpty()) {
                problem = first;
            }
        }
    }

    private static String shown(String key) {
        return key.length() <= 64 ? key : key.substring(0, 64) + "…";
    }

    /** Whether UTF-8 can say it: JSON can escape half a character. */
    private static boolean isWellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                return false;
            }
        }
        return true;
    }
}
