package io.tailrace.router.due;

import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Place;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.store.ByteReader;
import io.tailrace.router.store.ByteWriter;
import io.tailrace.router.store.LaneCodec;
import io.tailrace.router.store.RecordCodec;

/**
 * What is due as bytes. A position is {@code instant, sort, identity}: instants sort first, commands of one instant in the order of
 * their rows.
 */
final class DueCodec {

    private static final int LAYOUT = 1;

    private static final int LANE = 0;
    private static final int COMMAND = 1;

    private static final Bytes NOTHING = Bytes.of(new byte[] {LAYOUT});

    private DueCodec() {}

    /** Where it stands in the index. */
    static Bytes position(Due due) {
        ByteWriter out = new ByteWriter(80).long8(due.at());
        return due.match(
                wake -> LaneCodec.keyTo(out.byte1(LANE), wake.lane()).done(),
                command -> out.byte1(COMMAND)
                        .long8(command.seq().packed())
                        .varint(command.turn())
                        .text(command.rowId())
                        .done());
    }

    /** What stands there. */
    static Bytes value(Due due) {
        return due.match(wake -> NOTHING, command -> {
            ByteWriter out = new ByteWriter(32 + command.record().sizeInBytes()).byte1(LAYOUT);
            RecordCodec.write(out, command.record());
            return out.done();
        });
    }

    /** Reads both. */
    static Due due(Bytes position, Bytes value) {
        ByteReader at = new ByteReader(position);
        long instant = at.long8();
        if (at.byte1() == LANE) {
            LaneKey lane = LaneCodec.readKey(at);
            return new Due.Wake(instant, lane);
        }
        Place seq = Place.unpacked(at.long8());
        int turn = at.int4();
        String rowId = at.text();
        RawRecord record = RecordCodec.read(new ByteReader(value).version(LAYOUT, "a command that waits"));
        return new Due.Command(instant, seq, turn, rowId, record);
    }

    /** The first position after this one. */
    static Bytes after(Bytes position) {
        return new ByteWriter(position.length() + 1).raw(position).byte1(0).done();
    }
}
