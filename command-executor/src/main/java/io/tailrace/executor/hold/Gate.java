package io.tailrace.executor.hold;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

/** What stands before a handler: whether rows of a name may run at all, and what their runs say of the name. Thread-safe. */
public interface Gate {

    /** For rows whose names nobody holds. */
    Gate OPEN = new Gate() {
        @Override
        public Verdict verdict(Connection claim, String name, UUID id, boolean hasHandler) {
            return hasHandler ? Verdict.RUN : Verdict.UNHANDLED;
        }

        @Override
        public void missing(Connection claim, String name) {}

        @Override
        public String whyNot(String name) {
            return "no handler is registered for " + name;
        }

        @Override
        public void unavailable(String name, String key, String because, Duration retryAfter, boolean probe) {}

        @Override
        public void succeeded(String name, boolean probe) {}

        @Override
        public void probeFailed(String name) {}

        @Override
        public void ran(String name, UUID id, boolean well) {}
    };

    /** What it says of a row. */
    enum Verdict {
        /** It may run. */
        RUN,
        /** It may run, and the name may go on if it runs well. */
        PROBE,
        /** It waits, until somebody lets its name go. */
        HELD,
        /** It waits, until a worker comes that has a handler for it. */
        MISSING,
        /** No handler answers to it, and it is not to wait. */
        UNHANDLED
    }

    /** Whether a row of this name may run; asked with its claim, before anything else is done with it. */
    Verdict verdict(Connection claim, String name, UUID id, boolean hasHandler) throws SQLException;

    /** Notes in the transaction of a claim that nobody here answers to a name; its rows are held from now on. */
    void missing(Connection claim, String name) throws SQLException;

    /** Why rows of this name do not run here, for people. */
    String whyNot(String name);

    /**
     * What a row of a name depends on is not there.
     *
     * @param key of the row; its id if it has none
     * @param because for people
     * @param probe whether it was let through to find that out
     */
    void unavailable(String name, String key, String because, Duration retryAfter, boolean probe);

    /** A row of a name went well. */
    void succeeded(String name, boolean probe);

    /** A probe neither went well nor found its dependency away. */
    void probeFailed(String name);

    /**
     * A row that had waited ran, and was let through as any other: it may be a probe all the same, of a name that was not known here to be
     * broken.
     *
     * @param well whether it went well
     */
    void ran(String name, UUID id, boolean well);
}
