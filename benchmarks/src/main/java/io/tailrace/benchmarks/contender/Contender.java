package io.tailrace.benchmarks.contender;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Who is measured. Rows come from the outbox of the kind that each is made for. */
public enum Contender {
    /** Reads the replication stream and throws it away: nobody who reads it can be faster. */
    LIMIT_READ("limit-read", Outbox.TAILRACE),
    /** The same, and hands every row's bytes to a plain producer: nobody who writes them to Kafka can be faster. */
    LIMIT_READ_PRODUCE("limit-read-produce", Outbox.TAILRACE),
    /** Debezium with its EventRouter, as Debezium Server runs it: what a user would pick instead. */
    PEER_EVENTROUTER("peer-eventrouter", Outbox.EVENT_ROUTER),
    /** Tailrace, out of its outbox table. */
    TAILRACE_TABLE("tailrace-table", Outbox.TAILRACE),
    /** Tailrace, out of messages in the log. */
    TAILRACE_MESSAGE("tailrace-message", Outbox.TAILRACE_MESSAGES);

    /** What rows are before they are carried. */
    public enum Outbox {
        /** {@code tailrace.outbox}. */
        TAILRACE,
        /** Messages that {@code tailrace.emit} writes; no table. */
        TAILRACE_MESSAGES,
        /** {@code outboxevent}, with the columns that EventRouter looks for. */
        EVENT_ROUTER
    }

    private final String text;
    private final Outbox outbox;

    Contender(String text, Outbox outbox) {
        this.text = text;
        this.outbox = outbox;
    }

    /** As in reports and on the command line. */
    public String text() {
        return text;
    }

    /** Where its rows come from. */
    public Outbox outbox() {
        return outbox;
    }

    /** Where its rows go to; nowhere for who only reads. */
    public Optional<String> topic(Site site) {
        return switch (this) {
            case LIMIT_READ -> Optional.empty();
            case LIMIT_READ_PRODUCE -> Optional.of(site.limitTopic());
            case PEER_EVENTROUTER -> Optional.of(site.peerTopic());
            case TAILRACE_TABLE, TAILRACE_MESSAGE -> Optional.of(site.rawTopic());
        };
    }

    /** Whether it makes its topics itself, as it needs them. */
    public boolean makesItsTopics() {
        return isTailrace();
    }

    /** Whether each row must come once; the others may repeat some, by what they promise. */
    public boolean isExactlyOnce() {
        return isTailrace();
    }

    private boolean isTailrace() {
        return this == TAILRACE_TABLE || this == TAILRACE_MESSAGE;
    }

    /** By {@link #text()}. */
    public static Contender of(String text) {
        return Arrays.stream(values())
                .filter(one -> one.text.equals(text))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("'" + text + "' is none of " + texts()));
    }

    /** All names. */
    public static List<String> texts() {
        return Arrays.stream(values()).map(Contender::text).toList();
    }
}
