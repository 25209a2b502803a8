package io.tailrace.testkit;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until a test moves it, forwards or backwards. Thread-safe; views of other zones move with it. */
public final class MutableClock extends Clock {

    private final AtomicReference<Instant> now;
    private final ZoneId zone;

    private MutableClock(AtomicReference<Instant> now, ZoneId zone) {
        this.now = now;
        this.zone = zone;
    }

    public static MutableClock at(Instant start) {
        return new MutableClock(new AtomicReference<>(start), ZoneOffset.UTC);
    }

    public void set(Instant instant) {
        now.set(instant);
    }

    /** Moves by an amount, which may be negative; returns the new time. */
    public Instant advance(Duration amount) {
        return now.updateAndGet(instant -> instant.plus(amount));
    }

    @Override
    public Instant instant() {
        return now.get();
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    @Override
    public MutableClock withZone(ZoneId other) {
        return new MutableClock(now, other);
    }
}
