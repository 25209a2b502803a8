package io.tailrace.router.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import io.tailrace.router.decode.RawRecord;
import io.tailrace.router.lane.Lane;
import io.tailrace.router.lane.LaneKey;
import io.tailrace.router.lane.LaneRow;
import io.tailrace.router.lane.RowState;
import io.tailrace.router.lane.Standing;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The layouts, byte by byte: stores of a running system hold them. A change here needs a new version beside the old one. */
class LayoutTest {

    private static final LaneKey KEY = LaneKey.of("commands", "shop/db", "k", "-");

    @Test
    void aLane() {
        Lane lane = new Lane(new Place(0, 300), new Lane.Window(true, new Place(0, 301), 2), 3, 4_000, Lane.NEVER, 5);
        golden(
                LaneCodec.lane(lane),
                "01" + "ac02" + "01" + "ad02" + "02" + "03" + "a01f" + "ffffffffffffffff7f" + "05");
        assertThat(LaneCodec.lane(LaneCodec.lane(lane))).isEqualTo(lane);
    }

    @Test
    void aRow() {
        Headers headers =
                Headers.builder().put(HeaderName.CE_ID, "a").add("x", null).build();
        RawRecord record = new RawRecord("t", 1, 2, Bytes.utf8("k"), null, headers);
        LaneRow row =
                new LaneRow(new Place(0, 9), new Standing(RowState.RELEASED, 4, 5, 6, 7, Reason.LANE_OVERFLOW), record);
        golden(
                LaneCodec.row(row),
                "01" + "09" + "02" + "04" + "05" + "06" + "07"
                        + "01" + "0d6c616e652d6f766572666c6f77"
                        + "0174" + "01" + "02" + "026b" + "00"
                        + "02" + "0563655f6964" + "0261" + "0178" + "00");
        assertThat(LaneCodec.row(LaneCodec.row(row))).isEqualTo(row);
        LaneRow untouched = LaneRow.fresh(new Place(3, 9), record);
        assertThat(LaneCodec.row(LaneCodec.row(untouched))).isEqualTo(untouched);
    }

    @Test
    void aKeyAndTheRowsUnderIt() {
        golden(LaneCodec.key(KEY), "01" + "08636f6d6d616e6473" + "0773686f702f6462" + "016b");
        golden(
                LaneCodec.parkedKey(KEY, new Place(1, 2)),
                "01" + "08636f6d6d616e6473" + "0773686f702f6462" + "016b" + "0001000000000002");
        for (LaneKey.Sort sort : LaneKey.Sort.values()) {
            LaneKey key = new LaneKey("x", "s", sort, "k");
            assertThat(LaneCodec.readKey(new ByteReader(LaneCodec.key(key)))).isEqualTo(key);
        }
    }

    @Test
    void whatANewerReleaseWroteOrWhatIsTornIsSaidSo() {
        assertThatThrownBy(() -> LaneCodec.lane(Bytes.of(new byte[] {2, 0}))).hasMessageContaining("newer release");
        assertThatThrownBy(() -> LaneCodec.row(Bytes.of(new byte[] {1, 9, 2}))).hasMessageContaining("torn");
    }

    private static void golden(Bytes actual, String expected) {
        assertThat(HexFormat.of().formatHex(actual.array())).isEqualTo(expected);
    }
}
