package io.tailrace.operations;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/** A replay, or a discard, that is asked for, and what came of it. */
public final class Replay {

    private Replay() {}

    /**
     * What is asked for.
     *
     * @param id names this replay on every record it writes, and for a command, whose row is changed instead, in the operations topic; a
     *     new one for each run
     * @param by who asks, in the same places; at most 64 characters are kept
     * @param dryRun only say what would be done: nothing at all is written
     * @param strict leave a row where it is if newer rows of its key were delivered
     * @param why in the words of who asks, for the note that a skip or a discard leaves; at most 200 characters are kept; may be empty
     */
    public record Order(String id, String by, boolean dryRun, boolean strict, String why) {
        private static final int MAX_BY = 64;
        private static final int MAX_WHY = 200;

        public Order {
            Objects.requireNonNull(id, "id");
            by = by.length() > MAX_BY ? by.substring(0, MAX_BY) : by;
            why = why.length() > MAX_WHY ? why.substring(0, MAX_WHY) : why;
        }

        /** One that gives no reason. */
        public Order(String id, String by, boolean dryRun, boolean strict) {
            this(id, by, dryRun, strict, "");
        }

        /** The same, and why it is asked for. */
        public Order because(String reason) {
            return new Order(id, by, dryRun, strict, reason);
        }

        /** One that takes a row whatever came before it. */
        public Order(String id, String by, boolean dryRun) {
            this(id, by, dryRun, false);
        }
    }

    /** What became of one row. */
    public enum Outcome {
        /** It would be replayed, were this not a dry run. */
        WOULD_REPLAY(true),
        /** It is on its way again, with a full new budget; how it ends is seen in its topic or its row. */
        REPLAYED(true),
        /** The command is pending: the router takes the letter away when it hears of it. Nothing was changed. */
        ALREADY_REQUEUED(true),
        /** Its letter would be taken away, were this not a dry run: nothing is left to run, or it is to be discarded. */
        WOULD_CLEAR(true),
        /** Its letter was taken away. */
        CLEARED(true),
        /** Its key would go on behind it, were this not a dry run. */
        WOULD_SKIP(true),
        /** The router was told that its key goes on behind it; its letter stays. */
        SKIPPED(true),
        /** Asked to skip it, while its key does not stop at it: nothing was changed. */
        NOT_HALTED(false),
        /** A worker has the command right now: nothing was changed. */
        RUNNING(false),
        /** The command changed while it was looked at: nothing was changed here. */
        NOT_DEAD(false),
        /** There is no such command in this database, and the letter is of another one. */
        NOT_FOUND(false),
        /** A younger pending command has its dedup key: cancel that one first. */
        DUPLICATE(false),
        /** Its dead letter carries no payload, because the row is too large or has secrets, and nothing else can give it: nothing was changed. */
        PAYLOAD_OMITTED(false),
        /** Its dead letter carries no payload, and that of the row does not fit yet: nothing was changed. */
        STILL_TOO_LARGE(false),
        /** Newer rows of its key were delivered, or nobody can tell, and the replay is a strict one: nothing was changed. */
        NEWER_DELIVERED(false),
        /** The engine could not read the row and carried only a part of it: it would come back altered. */
        MALFORMED(false);

        private final boolean isDone;

        Outcome(boolean isDone) {
            this.isDone = isDone;
        }

        /** Nothing is left to do about it. */
        public boolean isDone() {
            return isDone;
        }

        /** In lower case with hyphens. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * Rows of the same key that are newer and were delivered while this one was a dead letter.
     *
     * @param rows so many were seen
     * @param isComplete whether that is all of them; not when the raw topic does not reach back, or would take too long to read
     */
    public record Newer(long rows, boolean isComplete) {

        /** There are none: the row has no key, or nothing has passed it. */
        public static final Newer NONE = new Newer(0, true);

        /** A number; with a plus when there may be more. */
        public String text() {
            return isComplete ? Long.toString(rows) : rows + "+";
        }

        Optional<String> objection() {
            if (rows > 0) {
                return Optional.of("%s newer rows of its key were delivered".formatted(text()));
            }
            return isComplete
                    ? Optional.empty()
                    : Optional.of("whether newer rows of its key were delivered cannot be seen any more");
        }
    }

    /**
     * One row and its outcome.
     *
     * @param because more about the outcome, for people; may be empty
     * @param newer rows of its key that went before it; empty when that was not looked at
     */
    public record Row(DeadLetter letter, Outcome outcome, String because, Optional<Newer> newer) {

        Row(DeadLetter letter, Outcome outcome, String because) {
            this(letter, outcome, because, Optional.empty());
        }

        Row(DeadLetter letter, Outcome outcome) {
            this(letter, outcome, "");
        }

        private Row with(Newer seen) {
            return new Row(letter, outcome, because, Optional.of(seen));
        }

        /** A strict replay leaves a row alone that would come too late. */
        Row judgedBy(Newer seen, Order order) {
            Optional<String> objection = order.strict() ? seen.objection() : Optional.empty();
            return outcome != Outcome.WOULD_REPLAY || objection.isEmpty()
                    ? with(seen)
                    : new Row(letter, Outcome.NEWER_DELIVERED, objection.get()).with(seen);
        }

        static Row malformed(DeadLetter letter) {
            return new Row(
                    letter,
                    Outcome.MALFORMED,
                    letter.isOrder() ? "word about a row, not a row: give an order again" : "insert a corrected row");
        }

        /** The outcome, and why. */
        public String text() {
            return because.isEmpty() ? outcome.text() : outcome.text() + ": " + because;
        }
    }

    /** How the replay ended. */
    public enum Ending {
        /** Every selected row was looked at. */
        COMPLETE,
        /** Another operator began to replay the same dead letters: what is not in the rows is theirs now. */
        FENCED,
        /** Something outside failed when rows had been done: what is not in the rows was not reached, or nobody knows. Run it again. */
        FAILED
    }

    /**
     * What came of it.
     *
     * @param rows what was done for certain, in the order in which it was done
     * @param remaining selected rows that were not reached
     * @param because what failed, for people; may be empty
     */
    public record Report(Order order, List<Row> rows, int remaining, Ending ending, String because) {
        public Report {
            rows = List.copyOf(rows);
        }

        Report(Order order, List<Row> rows, int remaining, Ending ending) {
            this(order, rows, remaining, ending, "");
        }

        /** What was done is told, whatever failed after it; if nothing was, the failure is all there is to tell. */
        static Report failed(Order order, List<Row> rows, int remaining, RuntimeException failure) {
            if (rows.isEmpty()) {
                throw failure;
            }
            return new Report(order, rows, remaining, Ending.FAILED, String.valueOf(failure.getMessage()));
        }

        /** Rows of one outcome. */
        public long count(Outcome outcome) {
            return rows.stream().filter(row -> row.outcome() == outcome).count();
        }

        /** Nothing is left to do about any row that was selected. */
        public boolean isDone() {
            return ending == Ending.COMPLETE
                    && remaining == 0
                    && rows.stream().allMatch(row -> row.outcome().isDone());
        }
    }
}
