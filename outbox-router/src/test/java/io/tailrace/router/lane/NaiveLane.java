package io.tailrace.router.lane;

import io.tailrace.contract.record.Place;
import io.tailrace.router.lane.LaneEvent.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A lane as one would write it without care for speed: no cursor, no counters, the rules looked up among all rows each time. */
final class NaiveLane {

    private static final class Row {
        boolean isReleased;
        int turn;
        int waits;
        long notBefore;
        long overdueAt;

        void askUntil(long now, int silences) {
            long minutes = Math.min(240, 15L << Math.min(silences, 10));
            overdueAt = (now / 60_000 + minutes + 1) * 60_000;
        }
    }

    private final int window;
    private TreeMap<Place, Row> rows = new TreeMap<>();
    private boolean isOpen;

    NaiveLane(int window) {
        this.window = window;
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** Takes an event and tells which rows are released, in order. */
    List<Place> take(LaneEvent event, long now) {
        Row row = rows.get(event.place());
        if (row != null && !event.kind().passes(event.turn(), row.turn)) {
            return List.of();
        }
        boolean isNew = row == null;
        boolean isHead = !rows.isEmpty() && rows.firstKey().equals(event.place());
        switch (event.kind()) {
            case DONE, DEAD -> {
                rows.remove(event.place());
                isOpen = !rows.isEmpty() && (isOpen || (isHead && event.kind() == Kind.DONE));
                return release(now);
            }
            case EARLY -> {
                if (row == null || row.isReleased) {
                    enter(event, event.notBefore(), row == null ? 0 : row.waits, row == null ? event.turn() : row.turn);
                    isOpen = false;
                }
                return release(now);
            }
            case BEHIND -> {
                int waits = row != null && row.isReleased && isHead ? row.waits + 1 : 0;
                long wait = waits == 0 ? 0 : Math.min(30_000, 100L << Math.min(waits - 1, 20));
                enter(event, now + wait, waits, event.turn());
                isOpen = isOpen && isNew;
                return release(now);
            }
            case FAILED, REPLAYED -> {
                enter(event, event.notBefore(), 0, event.turn());
                isOpen = false;
                return release(now);
            }
            default -> throw new IllegalArgumentException("not played: " + event.kind());
        }
    }

    /** What is due by now is released. */
    List<Place> release(long now) {
        List<Place> released = new ArrayList<>();
        for (Map.Entry<Place, Row> each : rows.entrySet()) {
            Row row = each.getValue();
            boolean isHead = each.getKey().equals(rows.firstKey());
            if (!isHead && !isOpen) {
                break;
            }
            if (row.isReleased) {
                if (isHead && row.overdueAt <= now) {
                    row.waits++;
                    row.askUntil(now, row.waits);
                    released.add(each.getKey());
                }
                continue;
            }
            boolean isFull = !isHead
                    && rows.values().stream().filter(any -> any.isReleased).count() >= window;
            if (isFull) {
                break;
            }
            if (row.notBefore > now) {
                isOpen = false;
                break;
            }
            row.isReleased = true;
            row.askUntil(now, 0);
            released.add(each.getKey());
        }
        return released;
    }

    private void enter(LaneEvent event, long notBefore, int waits, int turn) {
        Row row = rows.computeIfAbsent(event.place(), any -> new Row());
        row.isReleased = false;
        row.turn = turn;
        row.waits = waits;
        row.notBefore = notBefore;
    }

    /** What it is now, to come back to after a crash. */
    Runnable snapshot() {
        TreeMap<Place, Row> then = new TreeMap<>();
        rows.forEach((place, row) -> {
            Row copy = new Row();
            copy.isReleased = row.isReleased;
            copy.turn = row.turn;
            copy.waits = row.waits;
            copy.notBefore = row.notBefore;
            copy.overdueAt = row.overdueAt;
            then.put(place, copy);
        });
        boolean open = isOpen;
        return () -> {
            rows = then;
            isOpen = open;
        };
    }
}
