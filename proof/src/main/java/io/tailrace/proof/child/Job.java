package io.tailrace.proof.child;

/**
 * What a command tells its handler, as its payload.
 *
 * @param snooze so often it is put off
 * @param unavailable so often something it depends on is down
 * @param fail so many first attempts fail
 * @param end what then becomes of it
 */
public record Job(int snooze, int unavailable, int fail, End end) {

    /** What becomes of a command in the end. */
    public enum End {
        /** It is done. */
        WELL,
        /** It is given up at once, until everything is mended. */
        REJECTED,
        /** It fails until it is given up, until everything is mended. */
        EXHAUSTED,
        /** It is given up at once, for ever. */
        NEVER
    }

    /** Done at once. */
    public static final Job WELL = new Job(0, 0, 0, End.WELL);

    /** The payload. */
    public String json() {
        return "{\"snooze\": %d, \"unavailable\": %d, \"fail\": %d, \"end\": \"%s\"}"
                .formatted(snooze, unavailable, fail, end);
    }
}
