package io.tailrace.executor.hold;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was learnt of names and is to be written down, in its order. Any thread adds to it, one writes. */
final class Learnt {

    private static final Logger LOG = LoggerFactory.getLogger(Learnt.class);

    /** So often the database may refuse what is to be written down before that is given up. The workers learn it again. */
    private static final int TRIES = 10;

    /** Guarded by itself. */
    private final Queue<Word> words = new ArrayDeque<>();

    /** How often the first of them was refused. For the thread that writes. */
    private int refusals;

    interface Word {
        void write(Connection connection) throws SQLException;
    }

    void add(Word word) {
        synchronized (words) {
            words.add(word);
        }
    }

    /** Each in a transaction of its own, up to the first that is refused; that is tried again by the next call. */
    void write(Connection connection) throws SQLException {
        for (Word word = next(); word != null; word = next()) {
            try {
                word.write(connection);
                connection.commit();
            } catch (SQLException | RuntimeException refused) {
                takeBack(connection, refused);
                if (!isGivenUp(refused)) {
                    return;
                }
            }
            refusals = 0;
            synchronized (words) {
                words.remove();
            }
        }
    }

    /** Throws when the connection is lost: then the word is not to blame, and what was thrown first says why. */
    private static void takeBack(Connection connection, Exception refused) throws SQLException {
        try {
            connection.rollback();
        } catch (SQLException lost) {
            throw new SQLException(lost.getMessage(), lost.getSQLState(), refused);
        }
    }

    /** One that is always refused must not keep the others from being written. */
    private boolean isGivenUp(Exception refused) {
        refusals++;
        if (refusals < TRIES) {
            LOG.debug("What was learnt of a name is written down later", refused);
            return false;
        }
        LOG.warn(
                "What was learnt of a name cannot be written down and is given up; it is learnt again from its next rows",
                refused);
        return true;
    }

    private @Nullable Word next() {
        synchronized (words) {
            return words.peek();
        }
    }
}
