package io.tailrace.contract.record;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class PlaceTest {

    @Property
    void packedTextAndOrderAgree(
            @ForAll @IntRange(max = Place.MAX_EPOCH) int epoch,
            @ForAll @LongRange(max = Place.MAX_OFFSET) long offset,
            @ForAll @IntRange(max = Place.MAX_EPOCH) int otherEpoch,
            @ForAll @LongRange(max = Place.MAX_OFFSET) long otherOffset) {
        Place place = new Place(epoch, offset);
        Place other = new Place(otherEpoch, otherOffset);
        assertThat(Place.unpacked(place.packed())).isEqualTo(place);
        assertThat(place.packed()).isNotNegative();
        assertThat(Place.parse(place.text())).contains(place);
        int byParts = epoch != otherEpoch ? Integer.compare(epoch, otherEpoch) : Long.compare(offset, otherOffset);
        assertThat(Integer.signum(place.compareTo(other))).isEqualTo(Integer.signum(byParts));
    }
}
