package io.tailrace.contract.config;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One key of the configuration file: the only place that knows its form, its range and its default. Reading, checking, suggestions and
 * the reference page are all made from it.
 *
 * @param path from the top of the file, such as {@code engine.poll-interval}; {@code []} stands for the elements of a list, {@code *}
 *     for a name that the user chooses
 * @param type how it is written
 * @param least smallest value allowed, null without one
 * @param most largest value allowed, null without one
 * @param byDefault as it would be written, placeholders included; null when the key must be given
 * @param description one sentence for the reference page: what it does, what special values mean
 * @param secret whether its value may not be shown
 */
record Key<T extends Comparable<? super T>>(
        String path,
        ValueType<T> type,
        @Nullable T least,
        @Nullable T most,
        @Nullable String byDefault,
        String description,
        boolean secret) {

    public Key {
        Objects.requireNonNull(path, "path");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(description, "description");
    }

    static <T extends Comparable<? super T>> Key<T> of(String path, ValueType<T> type, String description) {
        return new Key<>(path, type, null, null, null, description, false);
    }

    Key<T> byDefault(T value) {
        return byDefaultText(type.writing().apply(value));
    }

    /** For defaults that depend on the machine. */
    Key<T> byDefaultText(String text) {
        return new Key<>(path, type, least, most, text, description, secret);
    }

    Key<T> between(T atLeast, T atMost) {
        return new Key<>(path, type, atLeast, atMost, byDefault, description, secret);
    }

    Key<T> asSecret() {
        return new Key<>(path, type, least, most, byDefault, description, true);
    }

    /** The same key at another place, for settings that several sections share. */
    Key<T> at(String otherPath) {
        return new Key<>(otherPath, type, least, most, byDefault, description, secret);
    }

    /** {@code 1 to 1000}, as it would be written; empty without a range. */
    String range() {
        if (least == null || most == null) {
            return "";
        }
        return type.writing().apply(least) + " to " + type.writing().apply(most);
    }

    boolean allows(T value) {
        return (least == null || value.compareTo(least) >= 0) && (most == null || value.compareTo(most) <= 0);
    }

    /** The check at the door of the configuration records. */
    T require(T value) {
        Objects.requireNonNull(value, path);
        if (!allows(value)) {
            throw new IllegalArgumentException("%s must be %s, is %s"
                    .formatted(path, range(), secret ? "***" : type.writing().apply(value)));
        }
        return value;
    }
}
