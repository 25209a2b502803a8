package io.tailrace.router.decide;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * What was worked out before and would come out the same again. Applications have some dozens of names, but nothing stops a row from
 * having one of its own: what comes when it is full is worked out each time. Thread-safe.
 */
final class Remembered<K, V> {

    private static final int MOST = 1_000;

    private final Map<K, V> known = new ConcurrentHashMap<>();

    /** The answer to a question. */
    V of(K question, Function<K, V> answer) {
        V before = known.get(question);
        if (before != null) {
            return before;
        }
        V worked = answer.apply(question);
        if (known.size() < MOST) {
            known.put(question, worked);
        }
        return worked;
    }
}
