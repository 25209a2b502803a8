package io.tailrace.proof.count;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.proof.count.Tally.Of;
import io.tailrace.proof.load.RowId;
import io.tailrace.proof.load.RowId.Table;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The count sees each kind of wrong, and only that. */
class TallyTest {

    private final Tally tally = new Tally();

    @BeforeEach
    void threeRowsAndACancelledCommandAreCommitted() {
        for (int number : new int[] {0, 5, 10}) {
            tally.committed(row(number).uuid(), Of.ROW);
        }
        tally.committed(command().uuid(), Of.ROW);
        tally.committed(command().uuid(), Of.CANCELLATION);
    }

    @Test
    void allOnceAndInOrderIsClean() {
        read(0, 5, 10);
        read(command(), Of.ROW);
        read(command(), Of.CANCELLATION);
        assertThat(tally.counts().isClean()).isTrue();
        assertThat(tally.counts().committed()).isEqualTo(5);
        assertThat(tally.counts().read()).isEqualTo(5);
    }

    @Test
    void whatIsMissingIsCountedAndNamed() {
        read(0, 10);
        read(command(), Of.ROW);
        assertThat(tally.counts().missing()).isEqualTo(2);
        assertThat(tally.counts().examples())
                .anyMatch(text -> text.contains(row(5).toString()))
                .anyMatch(text -> text.contains("CANCELLATION"));
        assertThat(tally.counts().orderViolations()).isZero();
        assertThat(tally.counts().isClean()).isFalse();
    }

    @Test
    void aSecondRecordOfARowIsDoubledAndNothingElse() {
        read(0, 5, 0, 10, 5);
        assertThat(tally.counts().duplicated()).isEqualTo(2);
        assertThat(tally.counts().orderViolations()).isZero();
        assertThat(tally.counts().isClean()).isFalse();
    }

    @Test
    void aRowBehindALaterOneOfItsKeyIsOutOfOrder() {
        read(0, 10, 5);
        assertThat(tally.counts().orderViolations()).isEqualTo(1);
        tally.read(row(0).uuid().toString(), Of.ROW, "another key", "there");
        assertThat(tally.counts().orderViolations()).isEqualTo(1);
    }

    @Test
    void aCancellationBeforeItsCommandIsOutOfOrder() {
        read(command(), Of.CANCELLATION);
        read(command(), Of.ROW);
        assertThat(tally.counts().orderViolations()).isEqualTo(1);
    }

    @Test
    void aRecordOfARowThatWasRolledBackIsAPhantom() {
        read(7);
        tally.read(UUID.randomUUID().toString(), Of.ROW, "key", "there");
        tally.read("no id", Of.ROW, "key", "there");
        read(row(5), Of.CANCELLATION);
        assertThat(tally.counts().phantoms()).isEqualTo(4);
        assertThat(tally.counts().isClean()).isFalse();
    }

    private void read(int... numbers) {
        for (int number : numbers) {
            read(row(number), Of.ROW);
        }
    }

    private void read(RowId row, Of of) {
        tally.read(row.uuid().toString(), of, row.table() + " key", "there");
    }

    private static RowId row(int number) {
        return new RowId(Table.OUTBOX, 3, number);
    }

    private static RowId command() {
        return new RowId(Table.COMMAND, 3, 0);
    }
}
