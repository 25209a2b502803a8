package io.tailrace.router.past;

import io.tailrace.contract.record.Bytes;
import io.tailrace.router.store.ByteReader;
import io.tailrace.router.store.ByteWriter;
import java.util.HashMap;
import java.util.Map;

/**
 * The turns at which rows were done, the last few thousand of them. A lane that has lost its last row is gone, and its fence with it;
 * an answer of an older turn that comes after that, from a worker that had been held up, would block the key or park a row that is
 * done. What is forgotten costs a release too many, which the row's own fence answers.
 *
 * <p>And the turns up to which events were let go that were on no lane: an answer that held them, and was overtaken, is to hold them no more.
 *
 * <p>A ring of slots in the store, so that it never grows, and its contents on the heap. For use by one stream thread at a time.
 */
public final class Finished {

    /** Room of the slots. */
    static final int ROOM = 1;

    private static final int LAYOUT = 1;

    /** Before what was let go; the name of no subscription. */
    private static final String LET_GO = "*";

    /** More than are done between an answer and its echo: an executor does not send what is older than a part of its session. */
    static final int SLOTS = 4_096;

    /**
     * One slot.
     *
     * @param number counts all that were ever written; the slot is what is left of it
     */
    private record Entry(long number, String row, int turn) {}

    private final PastStore store;
    private final Map<String, Entry> byRow = new HashMap<>();
    private final Entry[] slots = new Entry[SLOTS];
    private long next;

    /** Reads what the store holds: {@link #SLOTS} values at most. */
    public Finished(PastStore store) {
        this.store = store;
        store.each(ROOM, value -> remember(entry(value)));
    }

    /** A row is done, and no later turn will say otherwise. */
    public void add(String subscription, String source, String rowId, int turn) {
        add(row(subscription, source, rowId), turn);
    }

    /** What was said of a row up to a turn holds it no more, whenever that is heard. */
    public void letGo(String subscription, String source, String rowId, int turn) {
        add(LET_GO + row(subscription, source, rowId), turn);
    }

    private void add(String row, int turn) {
        Entry before = byRow.get(row);
        if (before == null || before.turn() < turn) {
            Entry entry = new Entry(next, row, turn);
            remember(entry);
            store.put(slot(entry.number()), value(entry));
        }
    }

    /** Whether a turn is from before its row was done. */
    public boolean isOver(String subscription, String source, String rowId, int turn) {
        return isUpTo(row(subscription, source, rowId), turn);
    }

    /** Whether what was said of a row at a turn holds it no more. */
    public boolean wasLetGo(String subscription, String source, String rowId, int turn) {
        return isUpTo(LET_GO + row(subscription, source, rowId), turn);
    }

    private boolean isUpTo(String row, int turn) {
        Entry entry = byRow.get(row);
        return entry != null && turn <= entry.turn();
    }

    /** In any order: a slot and a row keep what has the highest number. */
    private void remember(Entry entry) {
        int slot = (int) (entry.number() % SLOTS);
        Entry overwritten = slots[slot];
        if (overwritten != null) {
            byRow.remove(overwritten.row(), overwritten);
        }
        slots[slot] = entry;
        byRow.merge(entry.row(), entry, (one, other) -> one.number() > other.number() ? one : other);
        next = Math.max(next, entry.number() + 1);
    }

    private static String row(String subscription, String source, String rowId) {
        return subscription + ' ' + source + ' ' + rowId;
    }

    private static Bytes slot(long number) {
        return new ByteWriter(4).byte1(ROOM).varint(number % SLOTS).done();
    }

    private static Bytes value(Entry entry) {
        return new ByteWriter(96)
                .byte1(LAYOUT)
                .varint(entry.number())
                .text(entry.row())
                .varint(entry.turn())
                .done();
    }

    private static Entry entry(Bytes value) {
        ByteReader in = new ByteReader(value).version(LAYOUT, "a row that is done");
        return new Entry(in.varint(), in.text(), in.int4());
    }
}
