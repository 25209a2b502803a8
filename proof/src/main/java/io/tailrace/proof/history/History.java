package io.tailrace.proof.history;

import io.tailrace.contract.record.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Holds what was seen against what was committed. Two laws:
 *
 * <ol>
 *   <li><b>A row is in one place.</b> Deliveries and dead letters together, less those dead letters that were sent on their way again,
 *       are 1 in the end; 0 only of a row that rightly waits. Less is a row that is missing, more one that is doubled.
 *   <li><b>A key is in order.</b> Within a key and a topic both rise from record to record: the place that the record itself names, and
 *       the number that the row was committed with. Excepted are rows that say that they come late, which only a replayed one may say;
 *       those of one replay are in order among each other.
 * </ol>
 *
 * <p>Told first all rows, then, in any order, what became of them; deliveries of one place in the order of reading. Not thread-safe.
 */
public final class History {

    /** Of each kind of wrong. */
    private static final int MOST_EXAMPLES = 5;

    /** What was seen of a row. */
    private static final class Seen {
        private final Row row;
        private int delivered;
        private int deadLetters;
        private int replays;

        private Seen(Row row) {
            this.row = row;
        }

        /** Where it is now, in how many places. */
        private int places() {
            return delivered + deadLetters - replays;
        }
    }

    /** Rows that stand in order among each other. */
    private record Line(String where, String key, @Nullable String replay) {}

    private final String name;
    private final Map<String, Seen> rows = new LinkedHashMap<>();
    private final List<Delivery> deliveries = new ArrayList<>();
    private final Map<String, List<String>> examples = new TreeMap<>();
    private long madeUp;
    private long orderViolations;

    /** @param name of what it is a history of, for the examples */
    public History(String name) {
        this.name = name;
    }

    /** The table has it. */
    public void committed(Row row) {
        if (rows.putIfAbsent(row.id(), new Seen(row)) != null) {
            throw new IllegalArgumentException("two committed rows with the id " + row.id());
        }
    }

    /** A record of it stands where it belongs. */
    public void delivered(Delivery delivery) {
        Seen seen = known(delivery.id(), "delivered to " + delivery.where());
        if (seen == null) {
            return;
        }
        seen.delivered++;
        if (seen.delivered == 1) {
            // The first one counts for the order; a second one is wrong for being there.
            deliveries.add(delivery);
        }
    }

    /** It was given up: a dead letter of it was written. */
    public void deadLettered(String id) {
        Seen seen = known(id, "a dead letter");
        if (seen != null) {
            seen.deadLetters++;
        }
    }

    /** A dead letter of it was sent on its way again. */
    public void replayed(String id) {
        Seen seen = known(id, "a replay");
        if (seen != null) {
            seen.replays++;
        }
    }

    /** What has come to light. */
    public Findings findings() {
        examples.clear();
        orderViolations = 0;
        long missing = 0;
        long duplicated = 0;
        for (Seen seen : rows.values()) {
            int places = seen.places();
            if (places < 1 && !(places == 0 && seen.row.mayWait())) {
                missing++;
                example("missing", describe(seen));
            } else if (places > 1) {
                duplicated += places - 1;
                example("doubled", describe(seen));
            }
        }
        checkOrder();
        return new Findings(
                rows.size(),
                rows.values().stream().mapToLong(seen -> seen.delivered).sum(),
                rows.values().stream().filter(seen -> seen.deadLetters > 0).count(),
                rows.values().stream().mapToLong(seen -> seen.replays).sum(),
                missing,
                duplicated + madeUp,
                orderViolations,
                examples.values().stream().flatMap(List::stream).toList());
    }

    private void checkOrder() {
        Map<Line, Delivery> last = new HashMap<>();
        for (Delivery delivery : deliveries) {
            Seen seen = Objects.requireNonNull(rows.get(delivery.id()));
            String key = seen.row.key();
            if (key == null) {
                continue;
            }
            if (delivery.late() && seen.replays == 0) {
                violation(delivery, "says that it is late, and was never replayed");
            }
            Line line = new Line(delivery.where(), key, delivery.late() ? delivery.replay() : null);
            Delivery before = last.put(line, delivery);
            if (before != null && !isBehind(before, delivery)) {
                violation(delivery, "comes behind " + before.id() + " with place " + before.place() + ", key " + key);
                // What is furthest stays what the next one has to be behind.
                last.put(line, before);
            }
        }
    }

    private boolean isBehind(Delivery before, Delivery after) {
        Place first = before.place();
        Place second = after.place();
        return first != null && second != null && first.compareTo(second) < 0 && number(before) < number(after);
    }

    private long number(Delivery delivery) {
        return Objects.requireNonNull(rows.get(delivery.id())).row.number();
    }

    private void violation(Delivery delivery, String how) {
        orderViolations++;
        example(
                "out of order",
                "%s with place %s at %s %s".formatted(delivery.id(), delivery.place(), delivery.where(), how));
    }

    private @Nullable Seen known(String id, String what) {
        Seen seen = rows.get(id);
        if (seen == null) {
            madeUp++;
        }
        return seen;
    }

    private static String describe(Seen seen) {
        return "%s of key %s: %d times delivered, %d dead letters, %d replays"
                .formatted(seen.row.id(), seen.row.key(), seen.delivered, seen.deadLetters, seen.replays);
    }

    private void example(String wrong, String what) {
        List<String> ofKind = examples.computeIfAbsent(wrong, kind -> new ArrayList<>());
        if (ofKind.size() < MOST_EXAMPLES) {
            ofKind.add("%s, %s: %s".formatted(name, wrong, what));
        }
    }
}
