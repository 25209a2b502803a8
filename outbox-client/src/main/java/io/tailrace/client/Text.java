package io.tailrace.client;

import io.tailrace.contract.name.RowName;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Holds text to what a column takes, before the database would refuse it and end the caller's transaction. */
final class Text {

    private Text() {}

    /** Characters as PostgreSQL counts them. */
    static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    static @Nullable String optional(String field, @Nullable String text, int maxCharacters) {
        return text == null ? null : required(field, text, maxCharacters);
    }

    static String required(String field, String text, int maxCharacters) {
        int length = length(text);
        if (length > maxCharacters) {
            throw new IllegalArgumentException(
                    "%s has %d characters, at most %d are allowed".formatted(field, length, maxCharacters));
        }
        return storable(field, text);
    }

    /** Neither NUL nor half a character: PostgreSQL takes neither, and a replacement would be another text. */
    static String storable(String field, String text) {
        if (text.indexOf('\0') >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(CharBuffer.wrap(text))) {
            throw new IllegalArgumentException(
                    field + " holds a NUL or half of a surrogate pair, which no text column takes");
        }
        return text;
    }

    static String utf8(String field, byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(field + " is not UTF-8; other bytes go in as binary", e);
        }
    }

    static RowName name(String field, String text, RowName.Verdict verdict) {
        return verdict.match(name -> name, problem -> {
            throw new IllegalArgumentException("%s '%s' cannot be used: %s"
                    .formatted(
                            field,
                            text.length() > RowName.MAX_LENGTH ? text.substring(0, RowName.MAX_LENGTH) + "…" : text,
                            problem));
        });
    }
}
