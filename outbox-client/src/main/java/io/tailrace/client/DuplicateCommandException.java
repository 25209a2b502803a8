package io.tailrace.client;

import java.util.UUID;

/** Nothing was scheduled, because a command is pending under the same dedup key. The caller's transaction is unharmed. */
public final class DuplicateCommandException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final UUID pending;
    private final boolean running;

    DuplicateCommandException(String dedupKey, UUID pending, boolean running) {
        super("command %s is pending under dedup_key '%s'%s"
                .formatted(pending, dedupKey, running ? " and is being run now, so it cannot be replaced" : ""));
        this.pending = pending;
        this.running = running;
    }

    /** The id of the command that is pending. */
    public UUID pending() {
        return pending;
    }

    /** Whether a worker has it now. */
    public boolean running() {
        return running;
    }
}
