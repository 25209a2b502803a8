package io.tailrace.router.due;

import io.tailrace.contract.record.Bytes;
import java.util.List;

/** The index: positions in byte order. */
public interface DueStore {

    /** One entry. */
    record Entry(Bytes position, Bytes value) {}

    /** Writes an entry. */
    void put(Bytes position, Bytes value);

    /** Takes an entry away. */
    void delete(Bytes position);

    /** The first entries from a position on, in order, at most {@code limit}. */
    List<Entry> from(Bytes position, int limit);
}
