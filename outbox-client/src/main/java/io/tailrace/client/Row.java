package io.tailrace.client;

import java.util.Map;
import java.util.UUID;

/**
 * What an application hands over to be carried. Immutable: each method returns a new value. What would be refused later is refused
 * here, by an {@link IllegalArgumentException} that names the field and its limit.
 *
 * @param <S> event or command
 */
public abstract sealed class Row<S extends Row<S>> permits Event, Command {

    private final Content content;

    Row(Content content) {
        this.content = content;
    }

    abstract S with(Content changed);

    final Content content() {
        return content;
    }

    /**
     * The ordering key: rows of one table with one key are delivered in the order of their commits. Without one a row is ordered with
     * no other.
     *
     * @param key at most 512 characters
     */
    public final S key(String key) {
        return with(content.withKey(key));
    }

    /** A JSON payload, carried to the byte as it is. The text {@code null} is a payload; a row without one has none. */
    public final S json(String json) {
        return with(content.withPayload(Payload.ofJson(json)));
    }

    /** A JSON payload as UTF-8, carried to the byte as it is. */
    public final S json(byte[] utf8) {
        return json(Text.utf8("payload", utf8));
    }

    /**
     * A payload that is not JSON.
     *
     * @param contentType such as {@code application/octet-stream}, at most 255 characters
     */
    public final S binary(byte[] bytes, String contentType) {
        return with(content.withPayload(Payload.ofBinary(bytes, contentType)));
    }

    /** What the payload is, in place of {@code application/json}; call it after the payload is given. At most 255 characters. */
    public final S contentType(String contentType) {
        return with(content.withPayload(content.payload().as(contentType)));
    }

    /**
     * A header of the row's own; replaces one of the same name. All of them together have at most 16 KiB. Names that begin with
     * {@code ce_}, {@code tailrace-} or {@code __}, {@code content-type} and {@code traceparent} are reserved.
     */
    public final S header(String name, String value) {
        return with(content.withHeader(name, value));
    }

    /** Several headers, each as {@link #header}. */
    public final S headers(Map<String, String> more) {
        Content changed = content;
        for (Map.Entry<String, String> header : more.entrySet()) {
            changed = changed.withHeader(header.getKey(), header.getValue());
        }
        return with(changed);
    }

    /** An id of the caller's own, in place of a new one: the idempotency key that every reader sees. */
    public final S id(UUID id) {
        return with(content.withId(id));
    }

    /** This row justifies itself: it may be written on a connection in autocommit mode, in a transaction of its own. */
    public final S standingAlone() {
        return with(content.alone());
    }
}
