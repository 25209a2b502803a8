package io.tailrace.client;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Origin;
import io.tailrace.contract.record.OutboxMode;

/**
 * What an application holds, one for each database: {@link #outbox()}, {@link #commands()} and {@link #inbox()}. Has no connection of
 * its own and nothing to close. Thread-safe.
 */
public final class TailraceClient {

    private final Outbox outbox;
    private final Commands commands;
    private final Inbox inbox;

    private TailraceClient(TableNames tables, OutboxMode mode, OriginProvider provider) {
        Origins origins = new Origins(provider);
        this.outbox = new Outbox(tables, mode, origins);
        this.commands = new Commands(tables, origins);
        this.inbox = new Inbox(tables);
    }

    /** For tables of the usual names, and rows on behalf of nobody in particular. */
    public static TailraceClient create() {
        return builder().build();
    }

    /** To say more. */
    public static Builder builder() {
        return new Builder();
    }

    /** Publishes events. */
    public Outbox outbox() {
        return outbox;
    }

    /** Schedules commands. */
    public Commands commands() {
        return commands;
    }

    /** Handles events once. */
    public Inbox inbox() {
        return inbox;
    }

    /** Not thread-safe. */
    public static final class Builder {

        private TableNames tables = TableNames.DEFAULT;
        private OutboxMode outboxMode = OutboxMode.TABLE;
        private OriginProvider origin = () -> Origin.NONE;

        private Builder() {}

        /** Where the tables stand, if not under the usual names. */
        public Builder tables(TableNames names) {
            this.tables = names;
            return this;
        }

        /**
         * What events are in the database. As messages they are cheaper to carry and leave nothing behind, but can be neither queried
         * nor published again. Commands are rows in any case.
         */
        public Builder outboxMode(OutboxMode mode) {
            this.outboxMode = mode;
            return this;
        }

        /** Fills the origin of every row. */
        public Builder origin(OriginProvider provider) {
            this.origin = provider;
            return this;
        }

        /** The client. */
        public TailraceClient build() {
            return new TailraceClient(tables, outboxMode, origin);
        }
    }
}
