package io.tailrace.testing;

import io.tailrace.contract.record.Reason;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * One run of one command.
 *
 * @param id of the command
 * @param name as it stands in the row
 * @param key the ordering key
 * @param attempt 1 for the first
 * @param outcome what became of the command
 * @param error why it did not go well, for people: class and message
 * @param reason why it is dead
 * @param againAt when it is due again, if it waits
 */
public record Run(
        UUID id,
        String name,
        Optional<String> key,
        int attempt,
        Outcome outcome,
        Optional<String> error,
        Optional<Reason> reason,
        Optional<Instant> againAt)
        implements Named {

    /** What became of a command. */
    public enum Outcome {
        /** Done: what its handler wrote is there. */
        COMPLETED,
        /** An attempt was used, and it waits for the next one. */
        FAILED,
        /** It is not tried again. */
        DEAD,
        /** Put off by its handler. */
        SNOOZED,
        /** What it depends on is down; it waits, and no attempt was used. */
        UNAVAILABLE
    }

    @Override
    public String toString() {
        return name + " " + outcome + key.map(k -> " key=" + k).orElse("") + " attempt=" + attempt
                + reason.map(why -> " reason=" + why.text()).orElse("")
                + error.map(text -> " error=" + text).orElse("")
                + againAt.map(at -> " againAt=" + at).orElse("") + " id=" + id;
    }
}
