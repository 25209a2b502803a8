package io.tailrace.executor.hold;

import java.util.HashSet;
import java.util.Set;

/**
 * Counts how often in a row what a name depends on was unavailable. Only a success ends the row: a failure says nothing about the
 * dependency, which may time out for one command and refuse the next. Pure; for use under its owner's lock.
 */
final class Breaker {

    /** So often in a row. */
    static final int OPENS_AFTER = 10;

    /** Over so many keys at least: one key alone may be at fault itself. */
    static final int LEAST_KEYS = 3;

    private int inARow;

    /** No more of them than are needed. */
    private final Set<String> keys = new HashSet<>();

    /**
     * It was unavailable once more.
     *
     * @param key of the row; its id if it has none
     * @return whether the name is to be held now; the count begins anew
     */
    boolean unavailable(String key) {
        inARow++;
        if (keys.size() < LEAST_KEYS) {
            keys.add(key);
        }
        if (inARow < OPENS_AFTER || keys.size() < LEAST_KEYS) {
            return false;
        }
        succeeded();
        return true;
    }

    /** It was there. */
    void succeeded() {
        inARow = 0;
        keys.clear();
    }
}
