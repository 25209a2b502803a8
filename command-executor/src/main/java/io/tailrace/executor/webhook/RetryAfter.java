package io.tailrace.executor.webhook;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.regex.Pattern;

/** What {@code Retry-After} says (RFC 9110, 10.2.3): seconds, or a date. Pure. */
final class RetryAfter {

    /** Whatever a receiver says, it is asked again after this. */
    static final Duration LONGEST = Duration.ofHours(1);

    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,18}");

    private RetryAfter() {}

    /**
     * How long to wait.
     *
     * @param said the header, if it is there
     * @param now by our clock
     * @param otherwise when nothing is said, or nothing that can be read
     * @return 0 to {@link #LONGEST}
     */
    static Duration of(Optional<String> said, Instant now, Duration otherwise) {
        return said.map(String::strip).flatMap(text -> read(text, now)).orElse(otherwise);
    }

    private static Optional<Duration> read(String text, Instant now) {
        if (SECONDS.matcher(text).matches()) {
            return Optional.of(bounded(Duration.ofSeconds(Long.parseLong(text))));
        }
        try {
            Instant then = DateTimeFormatter.RFC_1123_DATE_TIME.parse(text, Instant::from);
            return Optional.of(bounded(Duration.between(now, then)));
        } catch (DateTimeException neither) {
            return Optional.empty();
        }
    }

    private static Duration bounded(Duration wait) {
        if (wait.isNegative()) {
            return Duration.ZERO;
        }
        return wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
    }
}
