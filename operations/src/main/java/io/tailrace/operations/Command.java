package io.tailrace.operations;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * A command as its row tells it. Instants are text as PostgreSQL writes them in ISO form and in UTC, because a row may hold
 * {@code infinity} and years that a Java instant prints differently.
 *
 * @param status of the row
 * @param lastError bounded and redacted by who wrote it; empty when none failed
 */
public record Command(
        UUID id,
        String name,
        Optional<String> orderingKey,
        Status status,
        Timing timing,
        Delivery delivery,
        Optional<String> dedupKey,
        String lastError) {

    /** The states of a command. */
    public enum Status {
        PENDING,
        COMPLETED,
        DEAD,
        CANCELLED;

        /** In lower case, as operators write it. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Its instants. */
    public record Timing(
            String createdAt,
            String runAt,
            Optional<String> notBefore,
            Optional<String> firstFailedAt,
            Optional<String> failedAt,
            Optional<String> completedAt) {}

    /**
     * How far it came.
     *
     * @param attempts used so far
     * @param turn the fence
     * @param place {@code <epoch>:<offset>} of a row that waits or died
     * @param reason why it is dead
     * @param hold the name that holds it back
     */
    public record Delivery(
            int attempts, int turn, Optional<String> place, Optional<String> reason, Optional<String> hold) {}

    public Command {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(status, "status");
    }
}
