package io.tailrace.router.store;

import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.router.lane.Lane;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.lane.LaneRow;
import io.tailrace.router.lane.RowState;
import io.tailrace.router.lane.Standing;
import io.tailrace.router.lane.UnusableState;
import org.jspecify.annotations.Nullable;

/**
 * Lanes and their rows as bytes.
 *
 * <p>A lane key is {@code sort, x, source, key}, each text with its length, so that no key is the beginning of another; a parked key
 * is a lane key and the packed place, so that the rows of a lane lie together in place order.
 */
public final class LaneCodec {

    private static final int LANE_LAYOUT = 1;
    private static final int ROW_LAYOUT = 1;

    private static final int NO_REASON = 0;

    private static final int KEYED = 1;
    private static final int ROW = 2;
    private static final int DESTINATION = 3;

    private static final int WAITING = 1;
    private static final int RELEASED = 2;
    private static final int HALTED = 3;

    private LaneCodec() {}

    /** The key of a lane. */
    public static Bytes key(LaneKey key) {
        return keyTo(new ByteWriter(64), key).done();
    }

    /** The key of a row on a lane. */
    public static Bytes parkedKey(LaneKey key, Place place) {
        return keyTo(new ByteWriter(72), key).long8(place.packed()).done();
    }

    /** The last key that a row of a lane can have. */
    public static Bytes lastParkedKey(LaneKey key) {
        return keyTo(new ByteWriter(72), key).long8(Long.MAX_VALUE).done();
    }

    /** Writes the key of a lane within a longer layout. */
    public static ByteWriter keyTo(ByteWriter out, LaneKey key) {
        return out.byte1(code(key.sort())).text(key.x()).text(key.source()).text(key.key());
    }

    /** Reads {@link #keyTo}. */
    public static LaneKey readKey(ByteReader in) {
        LaneKey.Sort sort = sort(in.byte1());
        return new LaneKey(in.text(), in.text(), sort, in.text());
    }

    /** A lane. */
    public static Bytes lane(Lane lane) {
        return new ByteWriter(48)
                .byte1(LANE_LAYOUT)
                .varint(lane.head().packed())
                .byte1(lane.window().open() ? 1 : 0)
                .varint(lane.window().frontier().packed())
                .varint(lane.window().inFlight())
                .varint(lane.rows())
                .varint(lane.bytes())
                .varint(lane.wakeAt())
                .varint(lane.since())
                .done();
    }

    /** Reads {@link #lane(Lane)}. */
    public static Lane lane(Bytes bytes) {
        ByteReader in = new ByteReader(bytes).version(LANE_LAYOUT, "a lane");
        Place head = Place.unpacked(in.varint());
        boolean open = in.byte1() == 1;
        Lane.Window window = new Lane.Window(open, Place.unpacked(in.varint()), in.int4());
        return new Lane(head, window, in.int4(), in.varint(), in.varint(), in.varint());
    }

    /** A row on a lane. */
    public static Bytes row(LaneRow row) {
        Standing standing = row.standing();
        ByteWriter out = new ByteWriter(64 + row.record().sizeInBytes())
                .byte1(ROW_LAYOUT)
                .varint(row.place().packed())
                .byte1(code(standing.state()))
                .varint(standing.turn())
                .varint(standing.notBefore())
                .varint(standing.attempts())
                .varint(standing.waits());
        writeReason(out, standing.burial());
        RecordCodec.write(out, row.record());
        return out.done();
    }

    /** Reads {@link #row(LaneRow)}. */
    public static LaneRow row(Bytes bytes) {
        ByteReader in = new ByteReader(bytes).version(ROW_LAYOUT, "a parked row");
        Place place = Place.unpacked(in.varint());
        RowState state = state(in.byte1());
        Standing standing = new Standing(state, in.int4(), in.varint(), in.int4(), in.int4(), readReason(in));
        return new LaneRow(place, standing, RecordCodec.read(in));
    }

    /** As its word, which is part of the contract, not as its position among the others. */
    private static void writeReason(ByteWriter out, @Nullable Reason reason) {
        if (reason == null) {
            out.byte1(NO_REASON);
        } else {
            out.byte1(1).text(reason.text());
        }
    }

    private static @Nullable Reason readReason(ByteReader in) {
        return in.byte1() == NO_REASON ? null : Reason.of(in.text()).orElse(Reason.MALFORMED);
    }

    private static int code(RowState state) {
        return switch (state) {
            case WAITING -> WAITING;
            case RELEASED -> RELEASED;
            case HALTED -> HALTED;
            case ABSENT -> throw new IllegalStateException("a row that is not on the lane is not stored; delete it");
        };
    }

    private static RowState state(int code) {
        return switch (code) {
            case WAITING -> RowState.WAITING;
            case RELEASED -> RowState.RELEASED;
            case HALTED -> RowState.HALTED;
            default ->
                throw new UnusableState(
                        "a row on a lane is in state " + code + ": it was written by a newer release; run that one");
        };
    }

    private static int code(LaneKey.Sort sort) {
        return switch (sort) {
            case KEYED -> KEYED;
            case ROW -> ROW;
            case DESTINATION -> DESTINATION;
        };
    }

    private static LaneKey.Sort sort(int code) {
        return switch (code) {
            case KEYED -> LaneKey.Sort.KEYED;
            case ROW -> LaneKey.Sort.ROW;
            case DESTINATION -> LaneKey.Sort.DESTINATION;
            default ->
                throw new UnusableState(
                        "a lane key is of sort " + code + ": it was written by a newer release; run that one");
        };
    }
}
