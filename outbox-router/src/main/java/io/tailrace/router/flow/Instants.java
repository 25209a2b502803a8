package io.tailrace.router.flow;

/** Instants in milliseconds since the epoch, up to infinity. */
final class Instants {

    private Instants() {}

    /** Later by a wait; never earlier, however long the wait. */
    static long plus(long instant, long millis) {
        long sum = instant + millis;
        return sum < instant ? Long.MAX_VALUE : sum;
    }
}
