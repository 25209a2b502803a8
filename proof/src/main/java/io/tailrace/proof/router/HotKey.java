package io.tailrace.proof.router;

import io.tailrace.proof.ProofStuck;
import io.tailrace.proof.router.Hand.Event;
import io.tailrace.proof.router.Sightings.Of;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Poison at the head of a hot key, many rows behind it, and what the other keys notice of that. */
final class HotKey {

    private static final int ROWS_BEHIND = 1_000;
    private static final int OTHER_KEYS = 100;

    /** One after the other at the head: each waits once before it is given up. */
    private static final int POISONS = 2;

    private static final Duration MEASURED = Duration.ofMillis(2_000);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
    private static final String KEY = "hot";

    private final Hand hand;
    private final Sightings sightings;
    private final Duration patience;
    private int next;

    HotKey(Hand hand, Sightings sightings, Duration patience) {
        this.hand = hand;
        this.sightings = sightings;
        this.patience = patience;
    }

    /** Returns when all of it is delivered or has died. */
    Latency measure() throws SQLException {
        // Whatever comes first is slower than all that follows.
        others(MEASURED.dividedBy(3));
        Map<String, Long> before = others(MEASURED);
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < POISONS; i++) {
            events.add(new Event(Names.VOID, KEY));
        }
        for (int i = 0; i < ROWS_BEHIND; i++) {
            events.add(new Event(Names.SHOP, KEY));
        }
        List<String> hot = hand.commit(events);
        Map<String, Long> during = others(MEASURED);
        boolean wasBlocked = sightings.of(Of.DELIVERED, hot).isEmpty()
                && !sightings.of(Of.FAILED, hot).isEmpty();
        // Who has no end is missing in the end; that is counted later.
        sightings.awaitEnds(hot, patience);
        return new Latency(p99(before), p99(during), wasBlocked);
    }

    /** One row after the other, each of another key; when each was committed. */
    private Map<String, Long> others(Duration length) throws SQLException {
        Map<String, Long> committed = new HashMap<>();
        long end = System.nanoTime() + length.toNanos();
        while (System.nanoTime() - end < 0) {
            String key = "other/" + next++ % OTHER_KEYS;
            String id = hand.commit(List.of(new Event(Names.SHOP, key))).get(0);
            committed.put(id, System.nanoTime());
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return committed;
    }

    private double p99(Map<String, Long> committed) {
        if (!sightings.await(Of.DELIVERED, committed.keySet(), patience)) {
            throw new ProofStuck("other keys do not flow within " + patience.toSeconds() + " s");
        }
        return Latency.p99Ms(sightings.of(Of.DELIVERED, committed.keySet()).stream()
                .map(each -> each.atNanos() - committed.getOrDefault(each.id(), each.atNanos()))
                .toList());
    }
}
