package io.tailrace.testing;

/** A row, or a run of one, as the messages of {@link Found} list it: its text form has no payload. */
public interface Named {

    /** Of the command or event. */
    String name();
}
