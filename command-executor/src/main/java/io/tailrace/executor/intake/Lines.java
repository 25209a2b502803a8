package io.tailrace.executor.intake;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What waits for a worker: one line for all, and one for what belongs to a partition whose last owner left without a word. Of the second, one
 * at a time is with a worker: so no two of them can be taken for the one that ended him. Guarded by the lock of {@link KeyQueues}.
 */
final class Lines<E extends Lines.Entry> {

    private final Deque<E> ready = new ArrayDeque<>();
    private final Deque<E> suspects = new ArrayDeque<>();
    private @Nullable E suspect;
    private @Nullable Assignment lastSuspected;

    /** What stands in a line. */
    interface Entry {
        Assignment assignment();
    }

    void add(E entry) {
        (entry.assignment().suspects() > 0 ? suspects : ready).addLast(entry);
    }

    /** Takes the next one out of its line, if any may begin. */
    @Nullable
    E next() {
        if (suspect != null || suspects.isEmpty()) {
            return ready.pollFirst();
        }
        // Of another partition than the last one, if there is any: none waits for all the rows of another.
        E next = suspects.stream()
                .filter(each -> each.assignment() != lastSuspected)
                .findFirst()
                .orElse(suspects.getFirst());
        suspects.remove(next);
        lastSuspected = next.assignment();
        suspect = next;
        return next;
    }

    /** Whether there is one to take. */
    boolean hasNext() {
        return !ready.isEmpty() || (suspect == null && !suspects.isEmpty());
    }

    boolean isSuspect(E entry) {
        return suspect == entry;
    }

    /** The worker is done with it; whether it was the suspect. */
    boolean back(E entry) {
        boolean was = isSuspect(entry);
        if (was) {
            suspect = null;
        }
        return was;
    }

    /** Nothing of it is suspect any more. */
    void trust(Assignment assignment) {
        List<E> cleared = suspects.stream()
                .filter(each -> each.assignment() == assignment)
                .toList();
        suspects.removeAll(cleared);
        ready.addAll(cleared);
    }

    void removeRevoked() {
        ready.removeIf(each -> each.assignment().isRevoked());
        suspects.removeIf(each -> each.assignment().isRevoked());
    }

    void clear() {
        ready.clear();
        suspects.clear();
    }
}
