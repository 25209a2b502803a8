package io.tailrace.router.lane;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whose lane it is.
 *
 * @param x {@code events}, {@code commands} or a subscription
 * @param source database the rows come from: order is promised within one
 * @param sort what {@code key} is
 * @param key that the rows of the lane share
 */
public record LaneKey(String x, String source, Sort sort, String key) {

    /** Longest key that stands for itself, in characters. */
    public static final int MAX_LENGTH = 512;

    private static final String DIGEST = "sha-256:";

    /** What the rows of a lane share. */
    public enum Sort {
        /** An ordering key: their order is kept. */
        KEYED,
        /** A row without an ordering key, alone. */
        ROW,
        /** A destination that is down: rows without an ordering key that wait for it together. */
        DESTINATION
    }

    public LaneKey {
        Objects.requireNonNull(x, "x");
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(sort, "sort");
        Objects.requireNonNull(key, "key");
    }

    /** The lane of a row: its key's, or its own when it has no key. */
    public static LaneKey of(String x, String source, @Nullable String orderingKey, String rowId) {
        return orderingKey == null
                ? new LaneKey(x, source, Sort.ROW, bounded(rowId))
                : new LaneKey(x, source, Sort.KEYED, bounded(orderingKey));
    }

    /**
     * A key of any length is legal, but each of its rows is stored under it: a long one is stood for by its digest, or the record of
     * a row in the changelog would outgrow the one it was read from.
     */
    private static String bounded(String key) {
        if (key.length() <= MAX_LENGTH) {
            return key;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            return DIGEST + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256; this one does not", impossible);
        }
    }

    /** The lane on which rows without a key wait for a destination. */
    public static LaneKey ofDestination(String x, String source, String topic) {
        return new LaneKey(x, source, Sort.DESTINATION, topic);
    }
}
