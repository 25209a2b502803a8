package io.tailrace.testing;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** That of the machine until it is set; then it stands still. Thread-safe. */
final class TestClock extends Clock {

    private final Clock real = Clock.systemUTC();
    private volatile @Nullable Instant setting;

    /** Null until it is set. */
    @Nullable
    Instant setting() {
        return setting;
    }

    void set(Instant instant) {
        setting = instant;
    }

    @Override
    public Instant instant() {
        Instant still = setting;
        return still == null ? real.instant() : still;
    }

    @Override
    public ZoneId getZone() {
        return real.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return new Zoned(this, zone);
    }

    /** The same time elsewhere. */
    private static final class Zoned extends Clock {

        private final Clock time;
        private final ZoneId zone;

        private Zoned(Clock time, ZoneId zone) {
            this.time = time;
            this.zone = zone;
        }

        @Override
        public Instant instant() {
            return time.instant();
        }

        @Override
        public ZoneId getZone() {
            return zone;
        }

        @Override
        public Clock withZone(ZoneId other) {
            return new Zoned(time, other);
        }
    }
}
