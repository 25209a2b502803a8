package io.tailrace.executor.intake;

import io.tailrace.broker.CommitNote;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * How far a partition has been read and settled: which rows are to be queued, where to read next, and the offset and note to commit. The
 * offset is that of the first record that is not settled. Thread-safe.
 *
 * <p>When a record may pass, and what a crash between two steps leaves behind:
 *
 * <table>
 * <caption>Crash points</caption>
 * <tr><th>crash after</th><th>the next owner reads the record again and</th></tr>
 * <tr><td>it was read, before its claim</td><td>runs it: nothing has happened</td></tr>
 * <tr><td>its claim, before the commit</td><td>runs it: the database has rolled back</td></tr>
 * <tr><td>COMPLETED committed, before the offset (direct row)</td><td>finds it settled and lets it pass</td></tr>
 * <tr><td>COMPLETED committed, before {@code done} was acknowledged (released row)</td><td>finds it settled and answers</td></tr>
 * <tr><td>a waiting or dead stamp committed, before its answer was acknowledged</td><td>meets the turn fence and answers
 * again from the row</td></tr>
 * <tr><td>the answer was acknowledged, before the offset</td><td>answers again: the lane drops what is not a higher turn</td></tr>
 * <tr><td>the offset or a note that does not list it was committed</td><td>passes over it</td></tr>
 * </table>
 *
 * <p>A key whose handler is slow must not stop the others of its partition, so it may queue {@link #KEY_FULL} rows and no more: the
 * rows behind them are left in the topic, reading goes on, and when the key has room again it is read once more from the first one that
 * was left. Meanwhile its younger rows are left too, whatever room there is: the rows of a key are queued in their order. A note makes
 * the start of the next owner such a reading: from the first unfinished row on, for the keys that it lists.
 */
public final class Watermark {

    /** Rows of a key that are queued, at most. */
    static final int KEY_FULL = 200;

    /** When so few are left of them, what was left in the topic is fetched. */
    static final int KEY_ROOM = 100;

    private final TreeMap<Long, Object> unsettled = new TreeMap<>();
    private final Map<Object, Integer> queued = new HashMap<>();
    private final Map<Object, Left> left = new HashMap<>();

    /** Of the last owner's note: first rows of keys that are known when the rows are met. */
    private final TreeSet<Long> listed;

    /** Everything before it has been read, and is settled unless it is in one of the above. */
    private long end;

    /** What the client reads next. */
    private long next;

    private boolean rereading;

    /** Rows of a key that are still in the topic. */
    private static final class Left {
        /** A row of the key before which all are queued or settled; a note lists it, and by it the next owner knows the key. */
        private long row;

        /** What lies below is not to be queued: {@link #row}, or what comes after it when it is queued. */
        private long from;

        /** Met no room in this reading: what comes after it must stay too. */
        private boolean stopped;

        private Left(long row, boolean stopped) {
            this.row = row;
            this.from = row;
            this.stopped = stopped;
        }

        private void queued(long offset) {
            row = offset;
            from = offset + 1;
        }
    }

    /** Goes on where somebody stood: the first record to be offered is that at the offset, or the first after it. */
    Watermark(CommitNote stood) {
        this.next = stood.offset();
        this.end = Math.max(stood.offset(), stood.read());
        this.listed = new TreeSet<>(stood.unfinished());
        this.rereading = end > stood.offset();
    }

    /**
     * A row was read.
     *
     * @param key whose rows are to be queued in order; equal to no other for a row without one
     * @return whether it is to be queued now; if not it is settled, queued or left
     */
    synchronized boolean offer(long offset, Object key) {
        boolean fresh = advance(offset);
        boolean begins = listed.remove(offset);
        Left behind = left.get(key);
        if (behind == null && begins) {
            behind = new Left(offset, false);
            left.put(key, behind);
        }
        boolean expected = behind == null ? fresh : rereading && !behind.stopped && offset >= behind.from;
        if (!expected) {
            return false;
        }
        if (queued.getOrDefault(key, 0) >= KEY_FULL) {
            left.put(key, new Left(offset, true));
            return false;
        }
        if (behind != null) {
            behind.queued(offset);
        }
        unsettled.put(offset, key);
        queued.merge(key, 1, Integer::sum);
        return true;
    }

    /** A record was read that is nothing to us; false if that was known. */
    synchronized boolean passOver(long offset) {
        listed.remove(offset);
        return advance(offset);
    }

    private boolean advance(long offset) {
        if (offset < next) {
            throw new IllegalStateException("offset " + offset + " was read where " + next + " comes next");
        }
        next = offset + 1;
        boolean fresh = offset >= end;
        end = Math.max(end, next);
        return fresh;
    }

    /** A record may pass; a second time changes nothing. */
    synchronized void settled(long offset) {
        Object key = unsettled.remove(offset);
        if (key != null) {
            queued.computeIfPresent(key, (k, rows) -> rows == 1 ? null : rows - 1);
        }
    }

    /** Where to read instead of straight on; to be asked when what was read has been offered, and to be obeyed. */
    synchronized OptionalLong turn() {
        if (rereading) {
            boolean over = next >= end;
            if (!over && !(listed.isEmpty() && left.values().stream().allMatch(key -> key.stopped))) {
                return OptionalLong.empty();
            }
            rereading = false;
            if (!over) {
                next = end;
                return OptionalLong.of(end);
            }
            listed.clear();
            left.values().removeIf(key -> !key.stopped);
        }
        boolean room = left.keySet().stream().anyMatch(key -> queued.getOrDefault(key, 0) <= KEY_ROOM);
        if (!room) {
            return OptionalLong.empty();
        }
        rereading = true;
        left.values().forEach(key -> key.stopped = false);
        next = left.values().stream().mapToLong(key -> key.from).min().orElseThrow();
        return OptionalLong.of(next);
    }

    /** What to commit now. Its offset never falls. */
    synchronized CommitNote note() {
        TreeMap<Long, Object> rows = new TreeMap<>(unsettled);
        left.forEach((key, behind) -> rows.put(behind.row, key));
        listed.forEach(offset -> rows.put(offset, offset));
        Set<Object> keys = new HashSet<>();
        List<Long> firsts = new ArrayList<>();
        rows.forEach((offset, key) -> {
            if (keys.add(key)) {
                firsts.add(offset);
            }
        });
        return new CommitNote(true, position(), end, firsts);
    }

    /** The offset of {@link #note}: of the first record that is not settled, or of the next one. */
    synchronized long position() {
        long first = end;
        if (!unsettled.isEmpty()) {
            first = Math.min(first, unsettled.firstKey());
        }
        if (!listed.isEmpty()) {
            first = Math.min(first, listed.first());
        }
        for (Left behind : left.values()) {
            first = Math.min(first, behind.row);
        }
        return first;
    }

    /** Records that were queued and may not pass yet. */
    synchronized int open() {
        return unsettled.size();
    }
}
