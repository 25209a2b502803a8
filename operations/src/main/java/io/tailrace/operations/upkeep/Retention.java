package io.tailrace.operations.upkeep;

import io.tailrace.contract.config.RetentionConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.DeadLetter;
import io.tailrace.operations.DeadLetters;
import io.tailrace.operations.Replay;
import io.tailrace.operations.Selection;
import io.tailrace.operations.sweep.CleanUpTurn;
import io.tailrace.operations.sweep.DeadRows;
import io.tailrace.operations.sweep.DoneRows;
import io.tailrace.operations.sweep.EngineRead;
import io.tailrace.operations.sweep.EngineRead.Mark;
import io.tailrace.operations.sweep.Waiting;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Clears away what has had its time. In this order, so that a crash between two steps leaves something that the next pass finishes: a dead
 * command is given up in its row, then its letter goes, with word to those who take secrets out of rows; when it has been cancelled for as
 * long as any other, its row goes. Of a subscription the letter goes first. A row of the outbox, and what the inbox has of its event, stay
 * while a letter stands under its id. Used by one thread.
 */
final class Retention {

    private static final Duration ENGINE_PATIENCE = Duration.ofSeconds(60);

    private static final Duration TURN_PATIENCE = Duration.ofSeconds(60);

    private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

    private static final String BY = "retention";

    private final TailraceConfig config;
    private final RetentionConfig times;
    private final TableNames tables;
    private final DeadLetters letters;
    private final CleanUpTurn turn;
    private final UpkeepMetrics metrics;
    private final InstantSource clock;

    Retention(TailraceConfig config, UpkeepMetrics metrics, InstantSource clock) {
        this.config = config;
        this.times = config.retention();
        this.tables = config.source().tables();
        this.letters = new DeadLetters(config);
        this.turn = new CleanUpTurn(tables);
        this.metrics = metrics;
        this.clock = clock;
    }

    /** Clears once. */
    void pass(Connection connection, Waiting waiting) throws SQLException {
        if (!times.dead().isZero()) {
            expire(Topics.EVENTS);
            expire(Topics.COMMANDS);
            for (String subscription : config.subscriptionNames()) {
                expire(subscription);
            }
            // Those whose letter is not there: it was lost with its topic, or a crash came before the row was given up.
            long rows = new DeadRows(tables).giveUpOlderThan(connection, times.dead(), waiting);
            if (rows > 0) {
                LOG.warn("Dead commands were given up at the end of their time: source={} rows={}", source(), rows);
            }
        }
        if (!times.done().isZero()) {
            Optional<Mark> read = new EngineRead(config.slot()).all(connection, ENGINE_PATIENCE, waiting);
            if (!waiting.forTime(Duration.ZERO)) {
                return; // A stop cuts the wait short.
            }
            if (read.isEmpty()) {
                LOG.warn(
                        "Rows that are done stay for now, the engine has not confirmed that it has read them: source={}",
                        source());
                return;
            }
            Optional<Boolean> deleted = turn.in(connection, TURN_PATIENCE, waiting, () -> {
                purge(connection, read.get(), waiting);
                return true;
            });
            if (deleted.isEmpty() && waiting.forTime(Duration.ZERO)) {
                LOG.warn("Rows that are done stay for now, an operator's purge takes long: source={}", source());
            }
        }
    }

    private void purge(Connection connection, Mark read, Waiting waiting) throws SQLException {
        Set<UUID> lettersOfDeliveries = idsOfLetters(config.subscriptionNames());
        Set<UUID> lettersOfRows = idsOfLetters(List.of(Topics.EVENTS));
        lettersOfRows.addAll(lettersOfDeliveries);
        purge(connection, DoneRows.ofEvents(tables), times.done(), read, lettersOfRows, waiting);
        purge(connection, DoneRows.ofCommands(tables, Optional.empty()), times.done(), read, Set.of(), waiting);
        if (!times.dead().isZero()) {
            // A letter that is replayed must still meet the note that its event was handled.
            Duration longer = times.dead().compareTo(times.done()) > 0 ? times.dead() : times.done();
            purge(connection, DoneRows.ofDeliveries(tables), longer, read, lettersOfDeliveries, waiting);
        }
    }

    private void expire(String x) {
        Replay.Order order = new Replay.Order(UUID.randomUUID().toString(), BY, false)
                .because("dead for longer than retention.dead");
        Replay.Report report = letters.expire(x, own(), clock.instant().minus(times.dead()), order);
        long gone = report.count(Replay.Outcome.CLEARED);
        metrics.expired(x, gone);
        if (gone > 0) {
            LOG.warn(
                    "Dead letters were cleared at the end of their time: source={} of={} letters={}",
                    source(),
                    x,
                    gone);
        }
        if (report.ending() != Replay.Ending.COMPLETE) {
            LOG.info(
                    "Not all dead letters of {} were looked at, the next pass goes on: source={} {} {}",
                    x,
                    source(),
                    report.ending(),
                    report.because());
        }
    }

    private void purge(Connection connection, DoneRows rows, Duration age, Mark read, Set<UUID> kept, Waiting waiting)
            throws SQLException {
        long gone = rows.delete(connection, age, read, kept, waiting);
        metrics.purged(rows.table(), gone);
        if (gone > 0) {
            LOG.warn("Rows that were done were deleted: source={} table={} rows={}", source(), rows.table(), gone);
        }
    }

    /** Of any source: an id that is none of ours does no harm. Nor does that of an event in which only one of several subscriptions died. */
    private Set<UUID> idsOfLetters(List<String> everyX) {
        Set<UUID> ids = new HashSet<>();
        for (String x : everyX) {
            for (DeadLetters.Head head : letters.heads(x, Selection.ALL)) {
                id(head.letter()).ifPresent(ids::add);
            }
        }
        return ids;
    }

    private static Optional<UUID> id(DeadLetter letter) {
        try {
            return Optional.of(UUID.fromString(letter.rowId()));
        } catch (IllegalArgumentException notOfARow) {
            return Optional.empty();
        }
    }

    private Selection own() {
        return Selection.ALL.ofSources(Set.of(config.ceSource()));
    }

    private String source() {
        return config.source().name();
    }
}
