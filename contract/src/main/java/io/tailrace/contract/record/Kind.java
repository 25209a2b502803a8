package io.tailrace.contract.record;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What a record says of its row ({@code tailrace-kind}), and in which topics it says so. */
public enum Kind {
    /** Raw: an outbox row as it was committed. */
    EVENT("event"),
    /** Raw and due: a command row. */
    COMMAND("command"),
    /** Raw: an operator or an application changed a command or paused a name; {@code tailrace-control} names the act. */
    CONTROL("control"),
    /** Retry: a row of the router waits; shown only, never acted on. */
    WAITING("waiting"),
    /** Retry: an attempt failed, the row waits until {@code tailrace-not-before}. */
    FAILED("failed"),
    /** Retry: the row stands behind a waiting row of its key; no attempt was used. */
    BEHIND("behind"),
    /** Retry: the row was released before its {@code run_at}; nothing was stamped. */
    EARLY("early"),
    /** Retry: a released row is settled: done, or found done or cancelled. */
    DONE("done"),
    /** Retry: the row is stamped DEAD; the dead letter follows. */
    DEAD("dead"),
    /** Retry and redelivery: an operator replays a dead letter. */
    REPLAY("replay"),
    /** Redelivery: the row is due again. */
    REDELIVERY("redelivery"),
    /** Due and redelivery: the router gave the row up; the executor stamps it DEAD and answers. */
    BURY("bury");

    private static final Map<String, Kind> BY_TEXT = new HashMap<>();

    static {
        for (Kind kind : values()) {
            BY_TEXT.put(kind.text, kind);
        }
    }

    private final String text;

    Kind(String text) {
        this.text = text;
    }

    /** The header's value. */
    public String text() {
        return text;
    }

    /** The kind of that text, if there is one. */
    public static Optional<Kind> of(String text) {
        return Optional.ofNullable(BY_TEXT.get(text));
    }

    @Override
    public String toString() {
        return text;
    }
}
