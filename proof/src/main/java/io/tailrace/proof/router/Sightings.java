package io.tailrace.proof.router;

import io.tailrace.contract.record.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Everything that was read so far, in the order of reading. Thread-safe. */
final class Sightings {

    /** What was seen of one row where. */
    enum Of {
        /** It stands where it belongs. */
        DELIVERED,
        /** It has failed, and waits. */
        FAILED,
        /** It has died. */
        DEAD_LETTER
    }

    private final Names names;
    private final List<Sighting> all = new ArrayList<>();
    private final Map<Of, Map<String, Sighting>> last = new HashMap<>();
    private String failure = "";

    Sightings(Names names) {
        this.names = names;
        for (Of of : Of.values()) {
            last.put(of, new HashMap<>());
        }
    }

    synchronized void add(List<Sighting> fresh) {
        for (Sighting each : fresh) {
            all.add(each);
            if (names.isDestination(each.topic())) {
                of(Of.DELIVERED).put(each.id(), each);
            } else if (names.isDeadLetters(each.topic())) {
                if (each.hasValue()) {
                    of(Of.DEAD_LETTER).put(each.id(), each);
                }
            } else if (each.kind().filter(Kind.WAITING::equals).isPresent() && each.attempt() > 0) {
                of(Of.FAILED).put(each.id(), each);
            }
        }
        notifyAll();
    }

    /** The reader has ended, which it must not. */
    synchronized void fail(Throwable cause) {
        failure = String.valueOf(cause);
        notifyAll();
    }

    synchronized List<Sighting> all() {
        return List.copyOf(all);
    }

    /** The last sighting of each of these rows, of those that were seen. */
    synchronized List<Sighting> of(Of what, Collection<String> ids) {
        Map<String, Sighting> known = of(what);
        return ids.stream().filter(known::containsKey).map(known::get).toList();
    }

    /** Waits until each of these rows was seen; says whether it was in time. */
    boolean await(Of what, Collection<String> ids, Duration atMost) {
        return await(ids, id -> of(what).containsKey(id), atMost);
    }

    /** Waits until each of these rows was delivered or has died; says whether it was in time. */
    boolean awaitEnds(Collection<String> ids, Duration atMost) {
        return await(ids, this::hasEnded, atMost);
    }

    /** Those of these rows that were neither delivered nor have died. */
    synchronized List<String> withoutEnd(Collection<String> ids) {
        return ids.stream().filter(id -> !hasEnded(id)).toList();
    }

    private synchronized boolean hasEnded(String id) {
        return of(Of.DELIVERED).containsKey(id) || of(Of.DEAD_LETTER).containsKey(id);
    }

    private synchronized boolean await(Collection<String> ids, Predicate<String> holds, Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        // What was seen stays so: it is not looked at again.
        List<String> left = new ArrayList<>(ids);
        while (true) {
            left.removeIf(holds);
            if (left.isEmpty()) {
                return true;
            }
            long nanos = deadline - System.nanoTime();
            if (!failure.isEmpty()) {
                throw new IllegalStateException("the reader has failed: " + failure);
            }
            if (nanos <= 0) {
                return false;
            }
            try {
                wait(1 + nanos / 1_000_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }

    private Map<String, Sighting> of(Of what) {
        return last.getOrDefault(what, Map.of());
    }
}
