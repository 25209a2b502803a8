package io.tailrace.client;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Origin;

/**
 * What an application holds, one for each database: {@link #outbox()}, {@link #commands()} and {@link #inbox()}. Has no connection of
 * its own and nothing to close. Thread-safe.
 */
public final class TailraceClient {

    private final Outbox outbox;
    private final Commands commands;
    private final Inbox inbox;

    private TailraceClient(TableNames tables, OriginProvider provider) {
        Origins origins = new Origins(provider);
        this.outbox = new Outbox(tables, origins);
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
        private OriginProvider origin = () -> Origin.NONE;

        private Builder() {}

        /** Where the tables stand, if not under the usual names. */
        public Builder tables(TableNames names) {
            this.tables = names;
            return this;
        }

        /** Fills the origin of every row. */
        public Builder origin(OriginProvider provider) {
            this.origin = provider;
            return this;
        }

        /** The client. */
        public TailraceClient build() {
            return new TailraceClient(tables, origin);
        }
    }
}
