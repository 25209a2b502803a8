package io.tailrace.executor.hold;

import java.time.Duration;

/**
 * A name was let go because it has a handler here. While a release is half rolled out, or where none handles some version of it, workers meet
 * its rows and hold it again. So it is left alone for longer each time: every round wakes all of its rows.
 *
 * @param pause before it is let go again
 */
record LetGo(long atNanos, Duration pause) {

    private static final Duration SHORTEST = Duration.ofSeconds(1);

    private static final Duration LONGEST = Duration.ofMinutes(10);

    /** A name that stayed free for so long beyond its pause begins anew. */
    private static final Duration FORGOTTEN = Duration.ofMinutes(1);

    static LetGo first(long now) {
        return new LetGo(now, SHORTEST);
    }

    boolean isOver(long now) {
        return now - atNanos >= pause.toNanos();
    }

    LetGo again(long now) {
        if (now - atNanos > pause.plus(FORGOTTEN).toNanos()) {
            return first(now);
        }
        Duration twice = pause.multipliedBy(2);
        return new LetGo(now, twice.compareTo(LONGEST) > 0 ? LONGEST : twice);
    }
}
