package io.tailrace.executor.metric;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Names as labels, up to {@value #MOST}; all that come after them are {@value #OTHERS}. A handler of events may answer to a pattern, and
 * so to names without end. Thread-safe; a race makes one label more.
 */
final class Names {

    static final int MOST = 500;

    static final String OTHERS = "(others)";

    private final Set<String> known = ConcurrentHashMap.newKeySet();

    String label(String name) {
        if (known.contains(name)) {
            return name;
        }
        if (known.size() >= MOST) {
            return OTHERS;
        }
        known.add(name);
        return name;
    }
}
