package io.tailrace.engine.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class PositionTest {

    @Test
    void theTextIsWhatPeopleAndLaterVersionsRead() {
        Position position =
                new Position("7713733112675679441", 2, "tailrace_shop_db", 1, 0x16_B374D848L, 748, 0x16_B374D8F0L, 3);
        assertThat(position.text())
                .isEqualTo(
                        "{\"systemId\":\"7713733112675679441\",\"timeline\":2,\"slot\":\"tailrace_shop_db\",\"epoch\":1,"
                                + "\"lsnCommit\":\"16/B374D848\",\"txId\":748,\"lsn\":\"16/B374D8F0\",\"index\":3}");
        assertThat(position.tiedTo(new Position.Ties("16400", "e", "c")).text())
                .endsWith("\"index\":3,\"publicationId\":\"16400\",\"rawEventsId\":\"e\",\"rawCommandsId\":\"c\"}");
    }

    @Property
    void textReadsBack(
            @ForAll String systemId,
            @ForAll String slot,
            @ForAll long commitLsn,
            @ForAll long lsn,
            @ForAll @LongRange(min = 0, max = 0xFFFF_FFFFL) long txId,
            @ForAll @IntRange(min = 0) int index,
            @ForAll String topicId) {
        Position position = new Position(systemId, 1, slot, 1, commitLsn, txId, lsn, index);
        assertThat(Position.parse(position.text())).isEqualTo(position);
        Position tied = position.tiedTo(new Position.Ties("", topicId, ""));
        assertThat(Position.parse(tied.text())).isEqualTo(tied);
    }

    @Test
    void keysOfALaterVersionArePassedOver() {
        Position position = Position.seed("s", 1, "slot", 8);
        assertThat(Position.parse(position.text().replace("{", "{\"later\":[1],")))
                .isEqualTo(position);
    }

    @Test
    void whatIsNoPositionIsSaidToBeNone() {
        for (String text : new String[] {"", "null", "[]", "{", "{\"systemId\":\"s\"}", "x"}) {
            assertThatIllegalArgumentException().as(text).isThrownBy(() -> Position.parse(text));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        Position.parse(Position.seed("s", 1, "slot", 8).text().replace("0/8", "8")));
    }
}
