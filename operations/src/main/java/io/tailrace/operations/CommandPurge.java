package io.tailrace.operations;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.operations.sweep.CleanUpTurn;
import io.tailrace.operations.sweep.DoneRows;
import io.tailrace.operations.sweep.EngineRead;
import io.tailrace.operations.sweep.EngineRead.Mark;
import io.tailrace.operations.sweep.Waiting;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes commands that are completed or cancelled before their time is over. What the engine has not read for certain stays, and so
 * does a command that is scheduled for later than the age allows. Opens a connection for each call. Thread-safe.
 */
public final class CommandPurge {

    /** A younger row may still be needed by a record of it that is under way. */
    public static final Duration LEAST_AGE = Duration.ofHours(1);

    private static final Logger LOG = LoggerFactory.getLogger(CommandPurge.class);

    private static final Duration ENGINE_PATIENCE = Duration.ofSeconds(20);

    /** For whoever is deleting now. */
    private static final Duration TURN_PATIENCE = Duration.ofSeconds(20);

    private final Database database;
    private final TableNames tables;
    private final EngineRead engine;
    private final CleanUpTurn turn;

    /** @param config with one source */
    public CommandPurge(TailraceConfig config) {
        this.database = new Database(config.source());
        this.tables = config.source().tables();
        this.engine = new EngineRead(config.slot());
        this.turn = new CleanUpTurn(tables);
    }

    /**
     * Deletes them, a thousand in a transaction, with a breath after each; while nobody else deletes.
     *
     * @param name of this name, or with {@code .*} at its end of all that begin so
     * @param age done for at least so long; {@link #LEAST_AGE} or more
     * @param dryRun only count them
     * @return rows; empty when the engine does not confirm that it has read what was written: nothing was deleted
     * @throws OperationFailed when the database cannot be reached, or the upkeep or another purge is at work for long
     */
    public Optional<Long> purge(Optional<String> name, Duration age, boolean dryRun) {
        return purge(name, age, dryRun, TURN_PATIENCE);
    }

    Optional<Long> purge(Optional<String> name, Duration age, boolean dryRun, Duration turnPatience) {
        if (age.compareTo(LEAST_AGE) < 0) {
            throw new IllegalArgumentException("an age must be %s or more, is %s".formatted(LEAST_AGE, age));
        }
        Waiting waiting = Waiting.unless(new CountDownLatch(1));
        DoneRows rows = DoneRows.ofCommands(tables, name.map(Commands::like));
        return database.call("purging commands", connection -> {
            Optional<Mark> read = engine.all(connection, ENGINE_PATIENCE, waiting);
            if (read.isEmpty()) {
                return Optional.empty();
            }
            if (dryRun) {
                return Optional.of(rows.count(connection, age, read.get(), waiting));
            }
            long deleted = turn.in(
                            connection,
                            turnPatience,
                            waiting,
                            () -> rows.delete(connection, age, read.get(), Set.of(), waiting))
                    .orElseThrow(
                            () -> new OperationFailed(
                                    "the upkeep or another purge is deleting rows just now: nothing was deleted, try again later"));
            LOG.warn("Commands that were done were deleted: rows={}", deleted);
            return Optional.of(deleted);
        });
    }
}
