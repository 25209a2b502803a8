package io.tailrace.executor.claim;

import io.tailrace.contract.record.Place;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a stamp wrote on a row, as the row has it now.
 *
 * @param id of the row
 * @param turn the new one
 * @param attempts used
 * @param place of the row
 * @param waitMillis until it is due again
 * @param notBeforeMillis since 1970, absent when it waits for another row or is dead
 * @param firstFailedMillis since 1970
 * @param failedMillis since 1970
 */
public record Stamp(
        UUID id,
        int turn,
        int attempts,
        Place place,
        long waitMillis,
        @Nullable Long notBeforeMillis,
        @Nullable Long firstFailedMillis,
        @Nullable Long failedMillis) {}
