package io.tailrace.executor.run;

import io.tailrace.executor.claim.RowTable;
import io.tailrace.executor.intake.Task;
import io.tailrace.executor.intake.Work.Outcome;
import io.tailrace.executor.intake.Work.Turn;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The head of a queue and some that stand behind it, run one after the other over one connection, each in a transaction of its own. All
 * but the last commit without waiting for the disk: a commit that does wait takes every earlier one to the disk with it. Until then nothing
 * is said of a row that is done: no offset passes and no answer goes out, so that a server that crashes takes back effects and stamp
 * together, and the record comes again. They are of one key and one partition, so nobody waits for an answer who would not wait for the next
 * row too. For one thread: the worker's.
 */
final class InARow implements Turn {

    /** What a crash of the server may take back, and what a stop may have to wait for. */
    private static final int MOST = 32;

    /** Others wait for a worker, too. */
    private static final long LONGEST_NANOS = Duration.ofMillis(20).toNanos();

    private final Turn turn;
    private final List<Task> rows = new ArrayList<>();
    private final List<Step> owed = new ArrayList<>();
    private final long began = System.nanoTime();

    InARow(Turn turn) {
        this.turn = turn;
        rows.add(turn.head());
        if (!turn.head().isSuspect()) {
            // As they stand now: what is put back while we run is for the next worker. What is remembered of a row is
            // for its own turn.
            turn.behind(MOST - 1).stream()
                    .takeWhile(task -> task.memo(Memo.class).isEmpty())
                    .forEach(rows::add);
        }
    }

    @Override
    public Task head() {
        return rows.get(owed.size());
    }

    @Override
    public List<Task> behind(int most) {
        List<Task> run = rows.subList(0, owed.size() + 1);
        return turn.behind(most + owed.size()).stream()
                .filter(task -> !run.contains(task))
                .limit(most)
                .toList();
    }

    @Override
    public boolean goesOn() {
        return turn.goesOn();
    }

    /** Whether another row is run after this one if all goes well. */
    boolean hasNext() {
        return owed.size() + 1 < rows.size() && System.nanoTime() - began < LONGEST_NANOS && goesOn();
    }

    /** The head is done and its commit may not be on the disk. False if there is no next one after all, which the caller has to bear in mind. */
    boolean next(Step done) {
        owed.add(done);
        return owed.size() < rows.size() && goesOn();
    }

    /**
     * Takes to the disk what is owed to it: a lock is something that a commit waits for. The row's alone: the key may be somebody else's by
     * now, and what is done needs it no more.
     */
    void pay(Connection connection, RowTable table) throws SQLException {
        if (!owed.isEmpty()) {
            Task last = rows.get(owed.size() - 1);
            if (!table.lockDone(connection, last.record().row())) {
                throw new SQLException("a row that was done is not any more: " + last.record());
            }
            connection.commit();
        }
    }

    /** Everything that is owed is on the disk, and nothing was looked at after it: this is what came of it. */
    Step paid() {
        return paid(List.of(), Optional.empty());
    }

    /** Everything that is owed is on the disk: this is what came of it, and of the row after it. */
    Step paid(Step last) {
        if (owed.isEmpty()) {
            return last;
        }
        if (last.next() == null) {
            return paid(List.of(last), last.outcome().again());
        }
        // It runs on without a connection, and may take long: what is done need not wait to be told of.
        return Step.on(() -> {
            owed.forEach(step -> step.afterwards().run());
            Step end = last.last();
            return new Step(
                    new Outcome(finished(List.of(end)), end.outcome().again()),
                    end.afterwards(),
                    Step.Disk.KNOWN,
                    null);
        });
    }

    private Step paid(List<Step> after, Optional<Duration> again) {
        return new Step(
                new Outcome(finished(after), again),
                () -> Stream.concat(owed.stream(), after.stream())
                        .forEach(step -> step.afterwards().run()),
                Step.Disk.KNOWN,
                null);
    }

    private List<Task> finished(List<Step> after) {
        return Stream.concat(owed.stream(), after.stream())
                .flatMap(step -> step.outcome().finished().stream())
                .toList();
    }
}
