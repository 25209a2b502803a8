package io.tailrace.executor.handler;

/**
 * Versions of a name, both ends included.
 *
 * @param from 1 at least
 * @param to the one that the handler's payload type is for: {@link Upcaster}s lead no further
 */
public record Versions(int from, int to) {

    public Versions {
        if (from < 1 || to < from) {
            throw new IllegalArgumentException("versions go from 1 or more upwards, not from " + from + " to " + to);
        }
    }

    /** All up to this one. */
    public static Versions upTo(int to) {
        return new Versions(1, to);
    }

    /** From one to another. */
    public static Versions between(int from, int to) {
        return new Versions(from, to);
    }

    /** Whether this one is among them. */
    public boolean contains(int version) {
        return version >= from && version <= to;
    }

    boolean overlaps(Versions other) {
        return from <= other.to && other.from <= to;
    }

    @Override
    public String toString() {
        return from == to ? "v" + from : "v" + from + " to v" + to;
    }
}
