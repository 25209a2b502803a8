package io.tailrace.contract.record;

import java.util.Optional;

/**
 * Where a row stands among the rows of its key: an epoch and an offset in one partition. As {@code tailrace-seq} it is the row's
 * offset in its raw topic; as {@code tailrace-place} it orders the rows of a key within a subscription (events: the seq; commands:
 * the offset in {@code <ns>.commands}, the order in which they became due). Given once, never changed.
 *
 * <p>Text form {@code <epoch>:<offset>}; in a {@code bigint} column {@link #packed()}, which sorts the same way.
 *
 * @param epoch raised when a raw topic is rebuilt, 0 to {@value #MAX_EPOCH}
 * @param offset of the record, 0 to {@value #MAX_OFFSET}
 */
public record Place(int epoch, long offset) implements Comparable<Place> {

    /** 15 bits. */
    public static final int MAX_EPOCH = (1 << 15) - 1;

    /** 48 bits: at a million rows a second, nine years of one partition. */
    public static final long MAX_OFFSET = (1L << 48) - 1;

    public Place {
        if (epoch < 0 || epoch > MAX_EPOCH || offset < 0 || offset > MAX_OFFSET) {
            throw new IllegalArgumentException("place %d:%d is out of range".formatted(epoch, offset));
        }
    }

    /** Epoch in the upper 15 bits, offset in the lower 48; never negative. */
    public long packed() {
        return ((long) epoch << 48) | offset;
    }

    /** The inverse of {@link #packed()}. */
    public static Place unpacked(long packed) {
        return new Place((int) (packed >>> 48), packed & MAX_OFFSET);
    }

    /** {@code <epoch>:<offset>}. */
    public String text() {
        return epoch + ":" + offset;
    }

    /** Reads {@link #text()}; empty for anything else. */
    public static Optional<Place> parse(String text) {
        int colon = text.indexOf(':');
        if (colon <= 0) {
            return Optional.empty();
        }
        try {
            int epoch = Integer.parseInt(text, 0, colon, 10);
            long offset = Long.parseLong(text, colon + 1, text.length(), 10);
            return epoch < 0 || epoch > MAX_EPOCH || offset < 0 || offset > MAX_OFFSET
                    ? Optional.empty()
                    : Optional.of(new Place(epoch, offset));
        } catch (NumberFormatException notAPlace) {
            return Optional.empty();
        }
    }

    @Override
    public int compareTo(Place other) {
        return Long.compare(packed(), other.packed());
    }

    @Override
    public String toString() {
        return text();
    }
}
