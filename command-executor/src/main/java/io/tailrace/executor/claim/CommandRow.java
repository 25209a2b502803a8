package io.tailrace.executor.claim;

import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
import io.tailrace.contract.record.Place;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A command as it stands in its table, read under its lock: what a handler is given comes from here and never from a record.
 *
 * @param name command name
 * @param orderingKey may be absent
 * @param payload bytes as the row holds them; absent when null, or not read because the verdict does not need it
 * @param contentType of the payload
 * @param headersJson the row's own headers, a JSON object of strings
 * @param origin on whose behalf
 * @param progress how far it came
 * @param lagMillis from due until claimed
 */
public record CommandRow(
        String name,
        @Nullable String orderingKey,
        @Nullable Bytes payload,
        String contentType,
        @Nullable String headersJson,
        Origin origin,
        Progress progress,
        long lagMillis) {

    /**
     * What the executor wrote on the row.
     *
     * @param status {@code PENDING}, {@code COMPLETED}, {@code DEAD} or {@code CANCELLED}
     * @param turn rises at every stamp
     * @param attempts used
     * @param maxAttempts of this row, empty for the policy's
     * @param place given once, at the first stamp
     * @param notBeforeMillis since 1970
     * @param firstFailedMillis since 1970
     * @param failedMillis since 1970
     * @param reason of the last death
     * @param error of the last failure
     */
    public record Progress(
            String status,
            int turn,
            int attempts,
            OptionalInt maxAttempts,
            @Nullable Place place,
            @Nullable Long notBeforeMillis,
            @Nullable Long firstFailedMillis,
            @Nullable Long failedMillis,
            @Nullable String reason,
            @Nullable String error) {}

    /** Stamped dead. */
    public boolean isDead() {
        return progress.status().equals("DEAD");
    }
}
