package io.tailrace.engine.source;

/** The end of a refusal: the gap, what may be lost in it, and the commands to choose from. Read at three in the morning. */
final class WayOut {

    private static final String CHOICES = "\n  Choose one, with --source if there are several:"
            + "\n    tailrace engine recover --from-table --dry-run   says what the raw topics lack; changes nothing"
            + "\n    tailrace engine recover --from-table             publishes that from the tables, each row once, and begins anew"
            + "\n    tailrace engine recover --accept-gap --note WHY  publishes nothing, notes what was accepted, and begins anew";

    /** For what was mended by a statement, while rows may have passed. */
    static final String AFTERWARDS =
            "\n  Then see what passed meanwhile: tailrace engine recover --from-table --dry-run,"
                    + " and publish it: tailrace engine recover --from-table";

    private WayOut() {}

    /** For a gap in the log of this database. */
    static String of(long from, long to) {
        return since(Lsn.text(from), to);
    }

    /** For a gap that begins somewhere else. */
    static String since(String from, long to) {
        return gap(from, to) + CHOICES;
    }

    /** For a gap that can be looked after only when the statement before has been run. */
    static String then(long from, long to) {
        return AFTERWARDS + gap(Lsn.text(from), to);
    }

    /** A further choice. */
    static String or(String what) {
        return "\n    or " + what;
    }

    private static String gap(String from, long to) {
        return "\n  Gap: from %s to %s. Possibly lost: rows committed in it that are not in the raw topics, and in any case acts on"
                        .formatted(from, Lsn.text(to))
                + "\n  commands (cancel, reschedule, run now, requeue) that were committed in it, which only the log held";
    }
}
