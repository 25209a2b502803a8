package io.tailrace.testing;

import java.util.AbstractList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What there is, in order: a list, and two short ways to say what a test expects. When that is not so, an {@link AssertionError} says what
 * there is instead. Immutable.
 *
 * @param <R> rows, or runs of rows
 */
public final class Found<R extends Named> extends AbstractList<R> {

    private final String what;
    private final List<R> rows;
    private final List<R> all;

    Found(String what, List<R> all) {
        this(what, all, all);
    }

    private Found(String what, List<R> rows, List<R> all) {
        this.what = what;
        this.rows = List.copyOf(rows);
        this.all = List.copyOf(all);
    }

    /** Those of this name, as it stands in the row. */
    public Found<R> named(String name) {
        return new Found<>(
                what + " named '" + name + "'",
                rows.stream().filter(row -> row.name().equals(name)).toList(),
                all);
    }

    /**
     * The one that there is.
     *
     * @throws AssertionError if there is none, or more than one
     */
    public R only() {
        if (rows.size() != 1) {
            throw new AssertionError("expected one " + what + ", there " + count(rows.size()) + "." + listed());
        }
        return rows.get(0);
    }

    /**
     * There is none.
     *
     * @throws AssertionError if there is one
     */
    public void none() {
        if (!rows.isEmpty()) {
            throw new AssertionError("expected no " + what + ", there " + count(rows.size()) + "." + listed());
        }
    }

    @Override
    public R get(int index) {
        if (index < 0 || index >= rows.size()) {
            throw new IndexOutOfBoundsException(
                    "there is no " + what + " at " + index + ", there " + count(rows.size()) + "." + listed());
        }
        return rows.get(index);
    }

    @Override
    public int size() {
        return rows.size();
    }

    private static String count(int rows) {
        return rows == 0 ? "is none" : rows == 1 ? "is one" : "are " + rows;
    }

    private String listed() {
        return all.isEmpty()
                ? " There is nothing else either."
                : all.stream().map(row -> "\n  " + row).collect(Collectors.joining("", " All there are:", ""));
    }
}
