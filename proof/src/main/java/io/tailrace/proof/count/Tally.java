package io.tailrace.proof.count;

import io.tailrace.proof.load.RowId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Counts. First what was committed, then, in the order of reading, what was read; a bit for each row. Not thread-safe.
 */
public final class Tally {

    /** Of each kind of wrong. */
    private static final int MOST_EXAMPLES = 5;

    /** What there is one record of: the row, or an act on it. */
    public enum Of {
        ROW,
        CANCELLATION
    }

    private record Series(RowId.Table table, Of of, int writer) {}

    private final Map<Series, BitSet> committed = new HashMap<>();
    private final Map<Series, BitSet> seen = new HashMap<>();
    private final Map<String, Integer> lastOfKey = new HashMap<>();
    private final Map<String, List<String>> examples = new TreeMap<>();
    private long committedCount;
    private long read;
    private long duplicated;
    private long phantoms;
    private long orderViolations;

    /** The tables have it. */
    public void committed(UUID id, Of of) {
        RowId row = RowId.of(id).orElseThrow(() -> new IllegalStateException("no writer wrote row " + id));
        bits(committed, row, of).set(row.number());
        committedCount++;
    }

    /**
     * A topic has it, read in the order of its partition.
     *
     * @param id as the record names it
     * @param where it stands, for the examples
     * @param key topic and ordering key: what is in order by itself
     */
    public void read(String id, Of of, String key, String where) {
        read++;
        Optional<RowId> known = parse(id);
        if (known.isEmpty() || !bits(committed, known.get(), of).get(known.get().number())) {
            phantoms++;
            example("never committed", of + " " + known.map(RowId::toString).orElse(id) + " at " + where);
            return;
        }
        RowId row = known.get();
        BitSet before = bits(seen, row, of);
        if (before.get(row.number())) {
            duplicated++;
            example("doubled", of + " " + row + " at " + where);
            return;
        }
        before.set(row.number());
        checkOrder(row, of, key, where);
    }

    /** What has come to light. */
    public Counts counts() {
        long missing = 0;
        for (Map.Entry<Series, BitSet> each : committed.entrySet()) {
            BitSet left = (BitSet) each.getValue().clone();
            left.andNot(seen.getOrDefault(each.getKey(), new BitSet()));
            missing += left.cardinality();
            Series series = each.getKey();
            left.stream()
                    .limit(MOST_EXAMPLES)
                    .forEach(number ->
                            example("missing", series.of() + " " + new RowId(series.table(), series.writer(), number)));
        }
        return new Counts(
                committedCount,
                read,
                missing,
                duplicated,
                phantoms,
                orderViolations,
                examples.values().stream().flatMap(List::stream).toList());
    }

    /** A cancellation stands behind its command, which stands where it stands; rows of a key stand in the order of their numbers. */
    private void checkOrder(RowId row, Of of, String key, String where) {
        boolean wrong;
        if (of == Of.CANCELLATION) {
            wrong = !bits(seen, row, Of.ROW).get(row.number());
        } else {
            Integer last = lastOfKey.get(key);
            wrong = last != null && last > row.number();
            lastOfKey.put(key, last == null ? row.number() : Math.max(last, row.number()));
        }
        if (wrong) {
            orderViolations++;
            example("out of order", of + " " + row + " at " + where);
        }
    }

    private void example(String wrong, String what) {
        List<String> ofKind = examples.computeIfAbsent(wrong, kind -> new ArrayList<>());
        if (ofKind.size() < MOST_EXAMPLES) {
            ofKind.add(wrong + ": " + what);
        }
    }

    private static BitSet bits(Map<Series, BitSet> of, RowId row, Of what) {
        return of.computeIfAbsent(new Series(row.table(), what, row.writer()), series -> new BitSet());
    }

    private static Optional<RowId> parse(String id) {
        try {
            return RowId.of(UUID.fromString(id));
        } catch (IllegalArgumentException notOne) {
            return Optional.empty();
        }
    }
}
