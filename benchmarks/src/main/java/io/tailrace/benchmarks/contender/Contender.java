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
    TAILRACE_MESSAGE("tailrace-message", Outbox.TAILRACE_MESSAGES),
    /** Copies raw records in transactions and looks at nothing: nobody who reads, writes and commits with these clients can be faster. */
    LIMIT_COPY("limit-copy", Outbox.TAILRACE),
    /** Tailrace's router alone: from the raw topic to the destination, with the copy on the audit feed that it makes by default. */
    TAILRACE_ROUTER("tailrace-router", Outbox.TAILRACE),
    /** The same without the audit feed. */
    TAILRACE_ROUTER_UNAUDITED("tailrace-router-unaudited", Outbox.TAILRACE),
    /** Tailrace whole: engine and router in one JVM, from the outbox table to the destination. */
    TAILRACE_WHOLE("tailrace-whole", Outbox.TAILRACE),
    /** db-scheduler, which locks and fetches what is due in batches: what a user of Java would pick instead for commands. */
    PEER_DB_SCHEDULER("peer-db-scheduler", Outbox.COMMANDS),
    /** A plain poller: SELECT FOR UPDATE SKIP LOCKED, work, mark as done, commit. */
    PEER_SKIP_LOCKED("peer-skip-locked", Outbox.COMMANDS),
    /** Tailrace whole for commands: engine, router and executor in one JVM, from the inserted row to the effect of its handler. */
    TAILRACE_COMMANDS("tailrace-commands", Outbox.COMMANDS);

    /** Who brings committed rows to Kafka. */
    public static final List<Contender> CAPTURE =
            List.of(LIMIT_READ, LIMIT_READ_PRODUCE, PEER_EVENTROUTER, TAILRACE_TABLE, TAILRACE_MESSAGE);

    /** Who brings a backlog to where events go. */
    public static final List<Contender> ROUTE =
            List.of(LIMIT_COPY, PEER_EVENTROUTER, TAILRACE_ROUTER, TAILRACE_ROUTER_UNAUDITED);

    /** Who brings a committed row all the way. */
    public static final List<Contender> LATENCY = List.of(PEER_EVENTROUTER, TAILRACE_WHOLE);

    /** Who runs commands. */
    public static final List<Contender> COMMANDS = List.of(PEER_DB_SCHEDULER, PEER_SKIP_LOCKED, TAILRACE_COMMANDS);

    /** What rows are before they are carried. */
    public enum Outbox {
        /** {@code tailrace.outbox}. */
        TAILRACE,
        /** Messages that {@code tailrace.emit} writes; no table. */
        TAILRACE_MESSAGES,
        /** {@code outboxevent}, with the columns that EventRouter looks for. */
        EVENT_ROUTER,
        /** {@code tailrace.internal_command} and, in the same database, the tables of its peers and what handlers write. */
        COMMANDS
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
            case LIMIT_READ, PEER_DB_SCHEDULER, PEER_SKIP_LOCKED, TAILRACE_COMMANDS -> Optional.empty();
            case LIMIT_READ_PRODUCE, LIMIT_COPY -> Optional.of(site.limitTopic());
            case PEER_EVENTROUTER -> Optional.of(site.peerTopic());
            case TAILRACE_TABLE, TAILRACE_MESSAGE -> Optional.of(site.rawTopic());
            case TAILRACE_ROUTER, TAILRACE_ROUTER_UNAUDITED, TAILRACE_WHOLE -> Optional.of(site.routedTopic());
        };
    }

    /** The topics that it finds when it comes to these sites: where its rows go, unless it makes them itself. */
    public List<String> wantedTopics(Site... sites) {
        boolean makesThem = this == TAILRACE_TABLE || this == TAILRACE_MESSAGE;
        return makesThem
                ? List.of()
                : Arrays.stream(sites).flatMap(site -> topic(site).stream()).toList();
    }

    /** Whether its rows wait in the raw topic, and not in the log. */
    public boolean readsRaw() {
        return this == LIMIT_COPY || this == TAILRACE_ROUTER || this == TAILRACE_ROUTER_UNAUDITED;
    }

    /** Whether each row must come once; the others may repeat some, by what they promise. */
    public boolean isExactlyOnce() {
        return isTailrace() || this == LIMIT_COPY;
    }

    /** Whether it is Tailrace or a part of it. */
    public boolean isTailrace() {
        return switch (this) {
            case LIMIT_READ, LIMIT_READ_PRODUCE, LIMIT_COPY, PEER_EVENTROUTER, PEER_DB_SCHEDULER, PEER_SKIP_LOCKED ->
                false;
            case TAILRACE_TABLE,
                    TAILRACE_MESSAGE,
                    TAILRACE_ROUTER,
                    TAILRACE_ROUTER_UNAUDITED,
                    TAILRACE_WHOLE,
                    TAILRACE_COMMANDS -> true;
        };
    }

    /** Whether it runs commands. */
    public boolean runsCommands() {
        return outbox == Outbox.COMMANDS;
    }

    /** By {@link #text()}. */
    public static Contender of(String text) {
        return Arrays.stream(values())
                .filter(one -> one.text.equals(text))
                .findAny()
                .orElseThrow(
                        () -> new IllegalArgumentException("'" + text + "' is none of " + texts(List.of(values()))));
    }

    /** Their names. */
    public static List<String> texts(List<Contender> contenders) {
        return contenders.stream().map(Contender::text).toList();
    }
}
