package io.tailrace.operations.sweep;

/**
 * A piece of a table.
 *
 * @param table qualified and quoted; a leaf, if it is partitioned
 * @param after behind this row, {@code (<page>,<number>)}
 * @param before in front of this one
 */
record Stretch(String table, String after, String before) {

    static Stretch ofPages(String table, long first, long next) {
        // No row has the number 0.
        return new Stretch(table, "(%d,0)".formatted(first), "(%d,0)".formatted(next));
    }

    Stretch behind(String row) {
        return new Stretch(table, row, before);
    }
}
