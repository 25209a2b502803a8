package io.tailrace.proof.load;

import java.util.Optional;
import java.util.UUID;

/**
 * The id of a row says who wrote it and as which one, so that a row is known wherever it turns up, and millions of them fit into bits.
 *
 * @param table events or commands
 * @param writer its number, from 0
 * @param number of the row among all of its writer, from 0; rises from one commit to the next
 */
public record RowId(Table table, int writer, int number) {

    /** Which table a row is in. */
    public enum Table {
        OUTBOX,
        COMMAND
    }

    private static final long MARK = 0x7461696cL << 32;
    private static final int TABLE_SHIFT = 16;
    private static final int WRITER_MASK = 0xffff;

    /** As the database holds it. */
    public UUID uuid() {
        return new UUID(MARK | (long) table.ordinal() << TABLE_SHIFT | writer, number);
    }

    /** Reads {@link #uuid}; empty when it is none of these. */
    public static Optional<RowId> of(UUID id) {
        long high = id.getMostSignificantBits();
        int table = (int) (high & 0xffffffffL) >>> TABLE_SHIFT;
        long number = id.getLeastSignificantBits();
        boolean ours = high >>> 32 << 32 == MARK && table < Table.values().length;
        if (!ours || number < 0 || number > Integer.MAX_VALUE) {
            return Optional.empty();
        }
        return Optional.of(new RowId(Table.values()[table], (int) high & WRITER_MASK, (int) number));
    }

    @Override
    public String toString() {
        return uuid() + " (row " + number + " of writer " + writer + ")";
    }
}
