package io.tailrace.contract.record;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Why a row was parked. The same words stand in {@code tailrace-reason}, label metrics and select in the CLI. */
public enum Reason {
    /** The record or its row headers cannot be read. */
    MALFORMED,
    /** The name is no event or command name. */
    NAME_INVALID,
    /** The stated version contradicts the version in the name. */
    VERSION_MISMATCH,
    /** The row does not fit the topic it should go to. */
    TOO_LARGE,
    /** No route takes the event. */
    NO_ROUTE,
    /** Every attempt of the retry policy failed. */
    RETRIES_EXHAUSTED,
    /** No handler is registered for the name. */
    HANDLER_MISSING,
    /** The handler refused the row for good. */
    REJECTED,
    /** The payload cannot be read as the type that the handler asks for. */
    PAYLOAD_UNREADABLE,
    /** The lane of the key holds more rows or bytes than allowed. */
    LANE_OVERFLOW,
    /** Something unforeseen was thrown while the row was looked at, on arrival or when its time had come. */
    TIMER_ERROR,
    /** The row is not in its table although its transaction has ended. */
    ROW_GONE;

    private static final Map<String, Reason> BY_TEXT = new HashMap<>();

    static {
        for (Reason reason : values()) {
            BY_TEXT.put(reason.text, reason);
        }
    }

    private final String text = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** The word on the wire, such as {@code retries-exhausted}. */
    public String text() {
        return text;
    }

    /** The reason of that word, if there is one. */
    public static Optional<Reason> of(String text) {
        return Optional.ofNullable(BY_TEXT.get(text));
    }

    @Override
    public String toString() {
        return text;
    }
}
