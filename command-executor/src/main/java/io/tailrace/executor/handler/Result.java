package io.tailrace.executor.handler;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Function;

/** What became of a command. */
public sealed interface Result {

    /** Furthest that a handler may put a command off, from now. */
    Duration LONGEST_SNOOZE = Duration.ofDays(7);

    /** The work is done; what was written over the connection commits with the completion of the command. */
    static Result success() {
        return Success.INSTANCE;
    }

    /** An attempt was used; the command is tried again until its attempts are used up. */
    static Result failure(String reason) {
        return new Failure(reason, true);
    }

    /** Trying again would not help: the command is dead, with reason {@code rejected}. */
    static Result rejected(String reason) {
        return new Failure(reason, false);
    }

    /** Something the handler depends on is down: the command waits and no attempt is used. */
    static Result unavailable(String dependency, Duration retryAfter) {
        return new Unavailable(dependency, retryAfter);
    }

    /** The command is put off and no attempt is used. */
    static Result snooze(Instant until) {
        return new Snooze(until);
    }

    /** Takes one of the four ways. */
    <T> T match(
            Function<Success, T> success,
            Function<Failure, T> failure,
            Function<Unavailable, T> unavailable,
            Function<Snooze, T> snooze);

    /** Done. */
    record Success() implements Result {

        private static final Success INSTANCE = new Success();

        @Override
        public <T> T match(
                Function<Success, T> success,
                Function<Failure, T> failure,
                Function<Unavailable, T> unavailable,
                Function<Snooze, T> snooze) {
            return success.apply(this);
        }
    }

    /**
     * Not done.
     *
     * @param reason for people; must not hold what may not be written down
     * @param retryable whether another attempt may help
     */
    record Failure(String reason, boolean retryable) implements Result {

        public Failure {
            Objects.requireNonNull(reason, "reason");
        }

        @Override
        public <T> T match(
                Function<Success, T> success,
                Function<Failure, T> failure,
                Function<Unavailable, T> unavailable,
                Function<Snooze, T> snooze) {
            return failure.apply(this);
        }
    }

    /**
     * Could not be tried.
     *
     * @param dependency name of what is down
     * @param retryAfter 0 to {@link #LONGEST_SNOOZE}
     */
    record Unavailable(String dependency, Duration retryAfter) implements Result {

        public Unavailable {
            Objects.requireNonNull(dependency, "dependency");
            if (retryAfter.isNegative() || retryAfter.compareTo(LONGEST_SNOOZE) > 0) {
                throw new IllegalArgumentException(
                        "retryAfter must be 0 to " + LONGEST_SNOOZE + ", is " + retryAfter + " for " + dependency);
            }
        }

        @Override
        public <T> T match(
                Function<Success, T> success,
                Function<Failure, T> failure,
                Function<Unavailable, T> unavailable,
                Function<Snooze, T> snooze) {
            return unavailable.apply(this);
        }
    }

    /**
     * Not now.
     *
     * @param until at most {@link #LONGEST_SNOOZE} ahead; further ahead counts as a failure, and one that has passed as now
     */
    record Snooze(Instant until) implements Result {

        public Snooze {
            Objects.requireNonNull(until, "until");
        }

        @Override
        public <T> T match(
                Function<Success, T> success,
                Function<Failure, T> failure,
                Function<Unavailable, T> unavailable,
                Function<Snooze, T> snooze) {
            return snooze.apply(this);
        }
    }
}
