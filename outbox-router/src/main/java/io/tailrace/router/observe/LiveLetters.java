package io.tailrace.router.observe;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Reason;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The dead letters of one {@code x} that nobody has brought back yet, as their topic tells them. Written by one thread, read by any.
 * Not known, and so NaN, until the topic was read to its end once.
 */
public final class LiveLetters {

    private record Letter(Reason reason, long writtenAtMs) {}

    private final Map<Bytes, Letter> letters = new HashMap<>();
    private final Map<Reason, AtomicInteger> counts = new EnumMap<>(Reason.class);
    private final Instants written = new Instants();
    private volatile boolean known;

    /** Registers its meters: a gauge for each reason, and the age of the oldest letter. */
    public LiveLetters(MeterRegistry registry, InstantSource clock, String x) {
        for (Reason reason : Reason.values()) {
            AtomicInteger count = new AtomicInteger();
            counts.put(reason, count);
            Gauge.builder("tailrace.dead.letters", count, each -> known ? each.get() : Double.NaN)
                    .description("Rows that are dead letters now")
                    .tag("x", x)
                    .tag("reason", reason.text())
                    .strongReference(true)
                    .register(registry);
        }
        Gauge.builder("tailrace.oldest.dead.letter.age", this, all -> all.age(clock.millis()))
                .description("Since the oldest of these dead letters was written")
                .tag("x", x)
                .baseUnit("seconds")
                .strongReference(true)
                .register(registry);
    }

    /** A dead letter was written, in the place of any before it. */
    public void parked(Bytes rowId, @Nullable Reason reason, long writtenAtMs) {
        released(rowId);
        // What a newer release calls otherwise is counted all the same.
        Letter letter = new Letter(reason == null ? Reason.MALFORMED : reason, writtenAtMs);
        letters.put(rowId, letter);
        written.add(writtenAtMs);
        count(letter, 1);
    }

    /** A tombstone was written. */
    public void released(Bytes rowId) {
        Letter letter = letters.remove(rowId);
        if (letter != null) {
            written.remove(letter.writtenAtMs());
            count(letter, -1);
        }
    }

    /** The topic was read to its end. */
    public void known() {
        known = true;
    }

    private void count(Letter letter, int delta) {
        AtomicInteger count = counts.get(letter.reason());
        if (count != null) {
            count.addAndGet(delta);
        }
    }

    private double age(long now) {
        return known ? Instants.age(written.oldest(), now) : Double.NaN;
    }
}
