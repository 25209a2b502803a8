package io.tailrace.executor.run;

import java.sql.Connection;
import java.sql.SQLException;

/** Where a worker's connections come from. Thread-safe. */
public interface Connections {

    /** One that is in a transaction as soon as it is used; closing it gives it back. */
    Connection take() throws SQLException;

    /** This one is not to be used for another row; its transaction has ended. */
    void discard(Connection connection);
}
