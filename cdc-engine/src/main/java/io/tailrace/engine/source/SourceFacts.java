package io.tailrace.engine.source;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a source says of itself: read at one moment, judged by {@link Preflight}.
 *
 * @param systemId of the cluster
 * @param timeline it is on
 * @param history the timelines before, oldest first
 * @param flushLsn end of the log that is safe on disk
 * @param inRecovery whether it is a standby or still recovers
 * @param walLevel setting
 * @param walSenderTimeoutMs setting, 0 = never
 * @param slot the slot of this engine, if it exists
 * @param publication the publication of this engine, if it exists
 * @param owner the row that says whose the tables are, if there is one
 * @param rowsExist whether outbox or command table hold rows; empty when this role may not look
 */
public record SourceFacts(
        String systemId,
        int timeline,
        List<TimelineSwitch> history,
        long flushLsn,
        boolean inRecovery,
        String walLevel,
        long walSenderTimeoutMs,
        Optional<Slot> slot,
        Optional<Publication> publication,
        Optional<Owner> owner,
        Optional<Boolean> rowsExist) {

    /** A timeline that ended at an LSN, because a standby was promoted or a backup restored. */
    public record TimelineSwitch(int timeline, long endLsn) {}

    /**
     * A replication slot.
     *
     * @param confirmedLsn everything before it is let go; 0 when the slot was never ready
     * @param activePid the backend that streams from it
     * @param walStatus reserved, extended, unreserved or lost
     * @param invalidation why the server has given it up, empty text when it has not
     */
    public record Slot(
            String type,
            String plugin,
            String database,
            long confirmedLsn,
            Optional<Integer> activePid,
            String walStatus,
            String invalidation) {}

    /**
     * A publication with what it publishes.
     *
     * @param id which one of those that had this name
     */
    public record Publication(
            String id,
            boolean insert,
            boolean update,
            boolean delete,
            boolean truncate,
            boolean viaRoot,
            List<Table> tables) {}

    /** A table of a publication. */
    public record Table(String schema, String name, Set<String> columns, boolean filtered) {}

    /**
     * The row of the source table.
     *
     * @param slotCreatedLsn where the slot began, if it was noted
     * @param started whether a position was ever written
     */
    public record Owner(
            String namespace, String slot, String publication, Optional<Long> slotCreatedLsn, boolean started) {}

    public SourceFacts {
        history = List.copyOf(history);
    }

    /** The same with the slot as it was seen at another moment. */
    public SourceFacts withSlot(Optional<Slot> seen) {
        return new SourceFacts(
                systemId,
                timeline,
                history,
                flushLsn,
                inRecovery,
                walLevel,
                walSenderTimeoutMs,
                seen,
                publication,
                owner,
                rowsExist);
    }
}
