package io.tailrace.router.flow;

import io.tailrace.router.decode.Decoded;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The turns at which rows were done, the last few thousand of them. A lane that has lost its last row is gone, and its fence with it;
 * an answer of an older turn that comes after that, from a worker that had been held up, would block the key or park a row that is
 * done. Only a hint, in memory: what is forgotten costs a release too many, which the row's own fence answers.
 */
final class Finished {

    private static final int MOST_ROWS = 4_096;

    private final Map<String, Integer> turns = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
            return size() > MOST_ROWS;
        }
    };

    /** A row is done, and no later turn will say otherwise. */
    void add(Decoded done) {
        turns.merge(rowOf(done), done.turn(), Math::max);
    }

    /** Whether an answer comes from before its row was done. */
    boolean isOver(Decoded answer) {
        Integer turn = turns.get(rowOf(answer));
        return turn != null && answer.turn() <= turn;
    }

    private static String rowOf(Decoded answer) {
        return answer.source() + " " + answer.rowId();
    }
}
