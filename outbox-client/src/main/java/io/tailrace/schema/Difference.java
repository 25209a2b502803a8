package io.tailrace.schema;

import java.util.Objects;

/**
 * One thing in a database that is not as Tailrace expects it.
 *
 * @param where the table with its schema, or the publication
 * @param what the column, index, constraint, function or property
 * @param expected what should stand there, {@code absent} if nothing should
 * @param actual what stands there, {@code absent} if nothing does
 * @param fix what to run or to decide
 */
public record Difference(String where, String what, String expected, String actual, String fix) {

    /** Stands for a thing that is not there. */
    public static final String ABSENT = "absent";

    public Difference {
        Objects.requireNonNull(where, "where");
        Objects.requireNonNull(what, "what");
        Objects.requireNonNull(expected, "expected");
        Objects.requireNonNull(actual, "actual");
        Objects.requireNonNull(fix, "fix");
    }

    /** One line for people. */
    @Override
    public String toString() {
        return "%s: %s is %s, expected %s. Fix: %s".formatted(where, what, actual, expected, fix);
    }
}
