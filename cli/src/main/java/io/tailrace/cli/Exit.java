package io.tailrace.cli;

/** What the process says when it ends; the same list stands in the help of the root command. */
final class Exit {

    static final int DONE = 0;

    /** It was tried and did not work, or not for every row. */
    static final int FAILED = 1;

    /** The command line is wrong. */
    static final int USAGE = 2;

    /** Configuration, database or topics do not allow it; nothing was begun. */
    static final int REFUSED = 3;

    private Exit() {}
}
