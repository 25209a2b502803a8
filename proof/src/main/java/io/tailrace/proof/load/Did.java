package io.tailrace.proof.load;

/** What a writer can do, under the name by which it is counted. */
enum Did {
    COMMITS("commits"),
    ROLLBACKS("rollbacks"),
    TWO_PHASE_COMMITS("twoPhaseCommits"),
    SAVEPOINTS_ROLLED_BACK("savepointsRolledBack"),
    INSERTS("inserts"),
    MULTI_ROW_INSERTS("multiRowInserts"),
    COPIES("copies"),
    COPIES_OF_TEN_THOUSAND("copiesOf10000"),
    MESSAGES("messages"),
    EVENTS_EMITTED("eventsEmitted"),
    COMMANDS("commands"),
    CANCELLATIONS("cancellations"),
    LOST_CONNECTIONS("lostConnections");

    private final String key;

    Did(String key) {
        this.key = key;
    }

    String key() {
        return key;
    }
}
