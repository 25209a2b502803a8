package io.tailrace.proof.router;

/** Where a router was when it was killed, and when it came back. */
enum RouterKillPoint {
    /** It stood still, stopped by SIGSTOP, with records at a destination that it had not committed. */
    OPEN_TRANSACTION("openTransaction"),
    /** The failure of a row was committed, and the router came back only when the row's wait was over. */
    PAST_DELAY("pastDelay"),
    /** Rows waited, and the other instance took them over; later rows waited again, and the first one came back for its share. */
    MID_DELAY("midDelay"),
    /** It had been stopped in order, and the one that was started in its place had not come up yet. */
    STARTING("starting"),
    /** Any moment while rows flow. */
    RANDOM("random");

    private final String key;

    RouterKillPoint(String key) {
        this.key = key;
    }

    /** Its name in the counts. */
    String key() {
        return key;
    }
}
