package io.tailrace.engine.source;

import java.time.Duration;
import java.util.Optional;

/**
 * What the server says of the slot at one moment, and how its clock goes.
 *
 * @param endLsn end of the log that is written
 * @param retainedBytes log from the slot's {@code restart_lsn} to the end: what it keeps on disk
 * @param unconfirmedBytes log from {@code confirmed_flush_lsn} to the end: what the engine has not let go
 * @param safeBytes {@code safe_wal_size}, what may still be written before the slot is in danger; empty when nothing limits it
 * @param walStatus {@code reserved}, {@code extended}, {@code unreserved} or {@code lost}
 * @param active whether somebody streams from it
 * @param waits whether the walsender has nothing to do: it waits for log, or for its reader to take what it has sent; false when it
 *     decodes, and when there is none
 * @param failover whether standbys keep a copy of it; empty before PostgreSQL 17
 * @param clockAhead how far the server's clock is ahead of ours; negative when it is behind
 */
public record SlotFigures(
        long endLsn,
        long retainedBytes,
        long unconfirmedBytes,
        Optional<Long> safeBytes,
        String walStatus,
        boolean active,
        boolean waits,
        Optional<Boolean> failover,
        Duration clockAhead) {

    /** Whether the server has thrown away log that was not read yet. */
    public boolean isLost() {
        return walStatus.equals("lost");
    }
}
