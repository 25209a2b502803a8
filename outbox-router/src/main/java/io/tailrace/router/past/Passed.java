package io.tailrace.router.past;

import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Place;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.store.ByteReader;
import io.tailrace.router.store.ByteWriter;
import io.tailrace.router.store.LaneCodec;
import org.jspecify.annotations.Nullable;

/**
 * What a key has delivered since one of its rows died: whether the row, replayed, comes late. Only a key with dead letters has a note.
 * Rows of a key are delivered in their order, so nothing newer than a row was delivered before it died, and once something newer than
 * the last of its dead was, no more need be known: a note is written once for each dead letter, once for what passes it, and no other
 * row costs more than a look, or nothing while no key of the task has one. For use by one stream thread at a time.
 */
public final class Passed {

    /** Room of the notes. */
    static final int ROOM = 2;

    private static final int LAYOUT = 1;

    /**
     * The note of a key.
     *
     * @param out dead letters that have not been replayed, as far as the router knows: it does not hear of all that are discarded
     * @param lastDead largest place among those that died
     * @param delivered largest place that was delivered since, null when none was
     */
    private record Note(int out, Place lastDead, @Nullable Place delivered) {}

    private final PastStore store;
    private boolean isEmpty;

    public Passed(PastStore store) {
        this.store = store;
        this.isEmpty = store.isEmpty(ROOM);
    }

    /**
     * A row of the key died.
     *
     * @param again whether it had died before: then its dead letter is counted
     */
    public void died(LaneKey key, Place place, boolean again) {
        Note before = read(key);
        if (again) {
            // Without a note nobody knows what was delivered meanwhile, and it stays so.
            return;
        }
        write(
                key,
                before == null
                        ? new Note(1, place, null)
                        : new Note(before.out() + 1, later(before.lastDead(), place), before.delivered()));
        isEmpty = false;
    }

    /** A row of the key was delivered. */
    public void delivered(LaneKey key, Place place) {
        if (isEmpty) {
            return;
        }
        Note note = read(key);
        if (note == null) {
            return;
        }
        Place before = note.delivered();
        boolean isNews = before == null || (before.compareTo(note.lastDead()) < 0 && before.compareTo(place) < 0);
        if (isNews) {
            write(key, new Note(note.out(), note.lastDead(), place));
        }
    }

    /** Whether newer rows of the key were delivered since this one died; when nobody knows, they may have been. */
    public boolean isLate(LaneKey key, Place place) {
        Note note = read(key);
        if (note == null) {
            return true;
        }
        Place delivered = note.delivered();
        return delivered != null && place.compareTo(delivered) < 0;
    }

    /** A row that died was replayed and delivered; the last of a key takes the note with it. */
    public void redeemed(LaneKey key) {
        Note note = read(key);
        if (note == null) {
            return;
        }
        if (note.out() > 1) {
            write(key, new Note(note.out() - 1, note.lastDead(), note.delivered()));
        } else {
            store.delete(at(key));
        }
    }

    private static Place later(Place one, Place other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    private @Nullable Note read(LaneKey key) {
        Bytes value = store.get(at(key));
        if (value == null) {
            return null;
        }
        ByteReader in = new ByteReader(value).version(LAYOUT, "a note of what passed a dead letter");
        int out = in.int4();
        Place lastDead = Place.unpacked(in.varint());
        return new Note(out, lastDead, in.byte1() == 0 ? null : Place.unpacked(in.varint()));
    }

    private void write(LaneKey key, Note note) {
        ByteWriter out = new ByteWriter(24)
                .byte1(LAYOUT)
                .varint(note.out())
                .varint(note.lastDead().packed());
        Place delivered = note.delivered();
        store.put(
                at(key),
                delivered == null
                        ? out.byte1(0).done()
                        : out.byte1(1).varint(delivered.packed()).done());
    }

    private static Bytes at(LaneKey key) {
        return LaneCodec.keyTo(new ByteWriter(64).byte1(ROOM), key).done();
    }
}
