package io.tailrace.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.NotEmpty;
import org.junit.jupiter.api.Test;

class CommitNoteTest {

    @Property
    void whatIsWrittenIsRead(
            @ForAll @LongRange(max = 1L << 50) long offset,
            @ForAll @NotEmpty List<@LongRange(max = 1 << 22) Long> gaps,
            @ForAll boolean owned) {
        long[] at = {offset};
        List<Long> firsts = LongStream.concat(LongStream.of(0), gaps.stream().mapToLong(gap -> gap + 1))
                .map(gap -> at[0] += gap)
                .boxed()
                .toList();
        CommitNote note = new CommitNote(owned, offset, at[0] + 3, firsts);
        assertThat(CommitNote.parse(offset, note.text(CommitNote.MOST_CHARS))).isEqualTo(note);
    }

    @Test
    void whatDoesNotFitIsReadAgainAndWhatDoesIsNot() {
        List<Long> firsts =
                LongStream.range(0, 3000).map(i -> 7 + i * 20_000).boxed().toList();
        CommitNote note = new CommitNote(true, 7, 80_000_000, firsts);
        String text = note.text(CommitNote.MOST_CHARS);
        assertThat(text).hasSizeBetween(CommitNote.MOST_CHARS - 40, CommitNote.MOST_CHARS);
        CommitNote read = CommitNote.parse(7, text);
        int fits = read.unfinished().size();
        assertThat(fits).isGreaterThan(900);
        assertThat(read.unfinished()).isEqualTo(firsts.subList(0, fits));
        assertThat(read.read()).isEqualTo(firsts.get(fits));
    }

    @Test
    void nothingToSayTakesNoRoomAndNonsenseSaysNothing() {
        assertThat(CommitNote.none(5).text(0)).isEqualTo("1f");
        assertThat(new CommitNote(true, 5, 9, List.of(5L)).text(0)).isEqualTo("1o");
        assertThat(CommitNote.parse(5, "1o")).isEqualTo(CommitNote.none(5).owned(true));
        for (String text : List.of("", "1", "2oAAAA", "1f?", "1f_w", "1f________________", "anything", "1fé")) {
            assertThat(CommitNote.parse(5, text)).isEqualTo(CommitNote.none(5));
        }
    }
}
