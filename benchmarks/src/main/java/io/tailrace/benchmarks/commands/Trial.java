package io.tailrace.benchmarks.commands;

/** What is measured of a contender. */
enum Trial {
    /** A burst over many keys. */
    DRAIN("drain"),
    /** A burst of one key, in its order. */
    HOT_KEY("hot-key"),
    /** One key whose head waits and lets the others queue up behind it; of peers that know no order there is none. */
    BEHIND("behind"),
    /** How soon a command begins. */
    LATENCY("latency");

    private final String text;

    Trial(String text) {
        this.text = text;
    }

    /** As in reports and on the command line. */
    @Override
    public String toString() {
        return text;
    }
}
