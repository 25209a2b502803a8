package io.tailrace.router.decide;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Answers that do not change, kept for as many questions as there is room for: every row asks, mostly one of a few questions, but names
 * in rows are without end. When it is full it begins anew. Thread-safe; an answer may be worked out twice.
 */
final class Remembered<Q, A> {

    private final int room;
    private final Map<Q, A> answers = new ConcurrentHashMap<>();

    Remembered(int room) {
        this.room = room;
    }

    A of(Q question, Function<Q, A> workOut) {
        A known = answers.get(question);
        if (known != null) {
            return known;
        }
        A answer = workOut.apply(question);
        if (answers.size() >= room) {
            answers.clear();
        }
        answers.put(question, answer);
        return answer;
    }
}
