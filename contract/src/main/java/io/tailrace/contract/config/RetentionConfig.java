package io.tailrace.contract.config;

import java.time.Duration;

/**
 * How long the tables keep what nobody needs any more. Zero keeps it for ever.
 *
 * @param done rows that were delivered, run or cancelled
 * @param dead letters, and the rows of commands that died, since they died
 * @param every how often it is looked for such rows
 */
public record RetentionConfig(Duration done, Duration dead, Duration every) {

    static final Duration DONE = Duration.ofDays(7);
    static final Duration DEAD = Duration.ofDays(30);
    static final Duration EVERY = Duration.ofHours(6);

    public RetentionConfig {
        Keys.RETENTION_DONE.require(done);
        Keys.RETENTION_DEAD.require(dead);
        Keys.RETENTION_EVERY.require(every);
    }

    /** What a file gets that does not say. */
    public static RetentionConfig byDefault() {
        return new RetentionConfig(DONE, DEAD, EVERY);
    }
}
