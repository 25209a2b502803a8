package io.tailrace.engine.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.engine.source.Position;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ResumeCursorTest {

    private static final Position SEED = Position.seed("system", 1, "slot", 800);

    @Test
    void nothingIsSkippedFromACommit() {
        ResumeCursor cursor = new ResumeCursor(SEED);
        assertThat(cursor.takeRow(800, 7, 808)).isTrue();
        assertThat(cursor.position()).isEqualTo(SEED.atRow(800, 7, 808, 0));
    }

    @Test
    void rowsThatShareAnLsnAreToldApartByTheirIndex() {
        ResumeCursor cursor = new ResumeCursor(SEED.atRow(800, 7, 816, 1));
        assertThat(cursor.takeRow(800, 7, 808)).isFalse();
        assertThat(cursor.takeRow(800, 7, 816)).isFalse();
        assertThat(cursor.takeRow(800, 7, 816)).isFalse();
        assertThat(cursor.takeRow(800, 7, 816)).isTrue();
        assertThat(cursor.position()).isEqualTo(SEED.atRow(800, 7, 816, 2));
    }

    @Test
    void aRowOfAnotherTransactionIsNewHoweverSmallItsLsn() {
        ResumeCursor cursor = new ResumeCursor(SEED.atRow(800, 7, 900, 0));
        assertThat(cursor.takeRow(800, 7, 900)).isFalse();
        assertThat(cursor.takeRow(960, 8, 808)).isTrue();
        assertThat(cursor.isSearching()).isFalse();
    }

    @Test
    void aSignThatComesDuringTheSearchDoesNotEndIt() {
        ResumeCursor cursor = new ResumeCursor(SEED.atRow(800, 7, 900, 0));
        cursor.takeCommit(800);
        cursor.takeCommit(856);
        assertThat(cursor.takeRow(856, 7, 900)).isFalse();
        assertThat(cursor.position()).isEqualTo(SEED.atRow(800, 7, 900, 0));
    }

    @Test
    void aCommitMovesThePositionAndAnOlderOneDoesNot() {
        ResumeCursor cursor = new ResumeCursor(SEED);
        cursor.takeRow(800, 7, 808);
        cursor.takeCommit(800);
        assertThat(cursor.position()).isEqualTo(SEED.atRow(800, 7, 808, 0));
        cursor.takeCommit(840);
        assertThat(cursor.position()).isEqualTo(SEED.atCommit(840));
    }

    /** Against a log of transactions that ran side by side, killed again and again between and within batches. */
    @Property(tries = 2000)
    void everyRowIsTakenOnceThroughAnyNumberOfCrashes(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 12) int transactions) {
        Random random = new Random(seed);
        List<Transaction> log = log(random, transactions);
        List<String> published = new ArrayList<>();
        Position committed = SEED;
        for (int life = 0; life < 60; life++) {
            boolean survives = life == 59;
            committed = live(log, committed, published, random, survives);
        }
        List<String> expected = new ArrayList<>();
        log.forEach(transaction -> expected.addAll(transaction.rows()));
        assertThat(published).as("seed " + seed).isEqualTo(expected);
    }

    /** One life: replays from the position, publishes whole batches, dies somewhere unless it is the last. */
    private static Position live(
            List<Transaction> log, Position from, List<String> published, Random random, boolean survives) {
        ResumeCursor cursor = new ResumeCursor(from);
        int left = survives ? Integer.MAX_VALUE : random.nextInt(12);
        List<String> batch = new ArrayList<>();
        Position committed = from;
        long commitSeen = from.commitLsn();
        for (Transaction transaction : log) {
            if (transaction.commitLsn <= from.commitLsn()) {
                continue;
            }
            for (int i = 0; i < transaction.lsns.size(); i++) {
                if (random.nextInt(5) == 0) {
                    cursor.takeCommit(commitSeen); // Debezium beats within transactions too
                }
                if (cursor.takeRow(commitSeen, transaction.txId, transaction.lsns.get(i))) {
                    batch.add(transaction.row(i));
                }
                if (random.nextInt(3) == 0 || survives) {
                    published.addAll(batch);
                    batch.clear();
                    committed = cursor.position();
                }
                if (left-- == 0) {
                    return committed;
                }
            }
            commitSeen = transaction.commitLsn;
            if (random.nextBoolean()) {
                cursor.takeCommit(commitSeen);
            }
        }
        published.addAll(batch);
        return cursor.position();
    }

    /** LSNs are dealt to transactions at random, so that they interleave; a record may hold several rows. */
    private static List<Transaction> log(Random random, int count) {
        List<Transaction> open = new ArrayList<>();
        Set<Integer> ids = new LinkedHashSet<>();
        while (ids.size() < count) {
            ids.add(1 + random.nextInt(1000));
        }
        ids.forEach(id -> open.add(new Transaction(id)));
        List<Transaction> log = new ArrayList<>();
        long lsn = 808;
        while (!open.isEmpty()) {
            Transaction transaction = open.get(random.nextInt(open.size()));
            if (random.nextInt(4) == 0) {
                transaction.commitLsn = lsn + 8;
                open.remove(transaction);
                log.add(transaction);
                // The end of a commit is where the next record begins.
                lsn += 8;
            } else {
                int rows = random.nextInt(4) == 0 ? 1 + random.nextInt(6) : 1;
                for (int i = 0; i < rows; i++) {
                    transaction.lsns.add(lsn);
                }
                lsn += 8;
            }
        }
        return log;
    }

    private static final class Transaction {
        final long txId;
        final List<Long> lsns = new ArrayList<>();
        long commitLsn;

        Transaction(long txId) {
            this.txId = txId;
        }

        String row(int index) {
            return txId + "/" + index;
        }

        List<String> rows() {
            List<String> rows = new ArrayList<>();
            for (int i = 0; i < lsns.size(); i++) {
                rows.add(row(i));
            }
            return rows;
        }
    }
}
