package io.tailrace.engine.recover;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.engine.publish.PositionTopic;
import io.tailrace.engine.publish.PositionTopic.Written;
import io.tailrace.engine.publish.RawProducer;
import io.tailrace.engine.publish.RawSettings;
import io.tailrace.engine.source.Comparison;
import io.tailrace.engine.source.Lease;
import io.tailrace.engine.source.Lsn;
import io.tailrace.engine.source.NewSlot;
import io.tailrace.engine.source.Position;
import io.tailrace.engine.source.Preflight;
import io.tailrace.engine.source.Preflight.Problem;
import io.tailrace.engine.source.Preflight.Start;
import io.tailrace.engine.source.Source;
import io.tailrace.engine.source.SourceConnections;
import io.tailrace.engine.source.SourceFacts;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a source whose engine refuses back to where an engine can start. The order of the steps is what makes it safe to kill it at
 * any of them and to run it again:
 *
 * <pre>
 * step                                          killed after it                  the next run
 * 1 the lease is taken                          nothing has changed              the same again
 * 2 the producer is fenced                      nothing more is written by       the same again
 *                                               whoever held the lease before
 * 3 the raw topics are read to their end        nothing has changed              the same again
 * 4 "a position existed" is noted               a start finds none: refused      the same again
 * 5 the slot is dropped, a new one is made      slot begins behind the           makes it anew, later; what committed in
 *                                               position, or has none: refused   between is in the table and not in the topics
 * 6 rows are published, chunk by chunk          the same; some rows are there    finds them in the topics, publishes the rest
 * 7 the position is written where the slot      done: the engine starts          nothing lacks; a new slot all the same
 *   of step 5 begins
 * </pre>
 *
 * <p>Nothing is doubled: the topics are read when nobody else can write to them any more, and what is written in step 6 is found there by
 * the next run. Nothing is lost: what committed before the slot begins is in its snapshot, the rest comes out of the slot.
 *
 * <p>Not thread-safe; one run for each.
 */
public final class Recovery {

    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    /** An engine that is refused, started again and refused again holds the lease for a moment each time. */
    private static final Duration LEASE_PATIENCE = Duration.ofSeconds(10);

    private static final Duration LEASE_PAUSE = Duration.ofMillis(200);

    /**
     * How long before the last position a row may have been written, by another clock, whose transaction committed after it.
     */
    private static final Duration LONGEST_TRANSACTION = Duration.ofDays(1);

    private static final String STOOD_TOO_LONG =
            "The last position was written at %s, and %s keeps records for %d days: of rows written shortly before, nobody can tell"
                    + " whether they were published and forgotten, or never published. Say since when rows are to be published if the"
                    + " topic lacks them: --since INSTANT. The time of that position doubles none that was captured before; a day"
                    + " earlier also takes rows of a transaction that was open then";

    private final TailraceConfig config;
    private final SourceConnections connections;
    private final Preflight preflight;
    private final Source source;
    private final Topics topics;
    private final RawTopics rawTopics;
    private final Clock clock;
    private final Consumer<String> progress;
    private final int chunkRows;

    /**
     * Of one source.
     *
     * @param preflight what the engine expects
     * @param progress hears, in words, what is under way
     */
    public Recovery(
            TailraceConfig config,
            SourceConnections connections,
            Preflight preflight,
            Clock clock,
            Consumer<String> progress) {
        this(config, connections, preflight, clock, progress, Republisher.CHUNK_ROWS);
    }

    Recovery(
            TailraceConfig config,
            SourceConnections connections,
            Preflight preflight,
            Clock clock,
            Consumer<String> progress,
            int chunkRows) {
        this.config = Objects.requireNonNull(config);
        this.connections = Objects.requireNonNull(connections);
        this.preflight = Objects.requireNonNull(preflight);
        this.source = new Source(connections, preflight);
        this.topics = config.topicNames();
        this.rawTopics = new RawTopics(config);
        this.clock = Objects.requireNonNull(clock);
        this.progress = Objects.requireNonNull(progress);
        this.chunkRows = chunkRows;
    }

    /**
     * Does it.
     *
     * @throws StartRefused when an engine runs, when something stands in the way that recovery does not mend, or when there is
     *     nothing to accept
     * @throws SQLException when the database fails; to be run again
     * @throws org.apache.kafka.common.KafkaException when Kafka fails; to be run again
     */
    public Report run(Order order) throws SQLException {
        try (Lease lease = lease()) {
            judge(preflight.ground(source.facts()));
            if (order.dryRun()) {
                return dryRun(order, standing(rawTopics.ids()));
            }
            Map<String, String> ids = rawTopics.ensured();
            lease.confirm();
            if (!source.freeSlot()) {
                throw new StartRefused(
                        "Slot %s is still in use by a backend that does not end. Look at it: SELECT * FROM pg_stat_replication"
                                .formatted(config.slot()));
            }
            PositionTopic positions = positions();
            try (RawProducer producer = new RawProducer(
                    config.kafka(),
                    config.namespace().engineTransactionalId(config.slot()),
                    config.topics().maxMessageBytes(),
                    positions)) {
                producer.begin();
                Standing standing = standing(ids);
                return order.way() == Order.Way.FROM_TABLE
                        ? fromTable(order, standing, lease, producer)
                        : acceptGap(order, standing, lease, producer);
            }
        }
    }

    private Report dryRun(Order order, Standing standing) throws SQLException {
        try (Comparison comparison = Comparison.open(connections, preflight)) {
            RawMemory memory = remembered(comparison);
            comparison.lookAt(Optional.empty(), reach(order, standing, memory));
            return new Outcome(order, standing, standing.facts().flushLsn(), epochs(standing, memory))
                    .compared(new Report.Compared(
                            memory.events(), memory.commands(), comparison.events(), comparison.commands()))
                    .report();
        }
    }

    private Report fromTable(Order order, Standing standing, Lease lease, RawProducer producer) throws SQLException {
        try (Comparison comparison = Comparison.open(connections, preflight)) {
            RawMemory memory = remembered(comparison);
            Epochs epochs = epochs(standing, memory);
            long beginsAt;
            try (NewSlot slot = newSlot(lease)) {
                progress.accept("comparing the tables with them");
                comparison.lookAt(Optional.of(slot), reach(order, standing, memory));
                beginsAt = slot.beginsAt();
            }
            Report.Compared compared =
                    new Report.Compared(memory.events(), memory.commands(), comparison.events(), comparison.commands());
            progress.accept("they lack %,d outbox rows and %,d command rows: publishing"
                    .formatted(compared.events().lacking(), compared.commands().lacking()));
            Outcome outcome = new Outcome(order, standing, beginsAt, epochs).compared(compared);
            Republisher republisher =
                    new Republisher(producer, RawSettings.of(config, epochs.now()), chunkRows, progress);
            comparison.lacking(republisher);
            // Behind the rows that they may be about.
            comparison.acts(republisher);
            republisher.finish();
            outcome.published(republisher);
            return ended(outcome, producer);
        }
    }

    private Report acceptGap(Order order, Standing standing, Lease lease, RawProducer producer) throws SQLException {
        if (standing.refusals().isEmpty()) {
            throw new StartRefused(
                    "There is no gap to accept: slot %s and its position fit, an engine would start."
                                    .formatted(config.slot())
                            + " If rows passed while the publication was changed, see: tailrace engine recover --from-table --dry-run");
        }
        Epochs epochs;
        // Only the topics can tell the epoch when the position is gone.
        if (standing.last().isPresent()) {
            epochs = epochs(standing, new RawMemory(config, RawMemory.Ids.NOBODY, progress));
        } else {
            RawMemory memory = new RawMemory(config, RawMemory.Ids.NOBODY, progress);
            memory.read();
            epochs = epochs(standing, memory);
        }
        try (NewSlot slot = newSlot(lease)) {
            return ended(new Outcome(order, standing, slot.beginsAt(), epochs), producer);
        }
    }

    private Report ended(Outcome outcome, RawProducer producer) {
        Position position = outcome.position();
        producer.commit(position, outcome.note(topics.operations(), clock.instant()));
        LOG.warn(
                "Recovered by {}: slot={} gap={}..{} events={} commands={} position={}",
                outcome.order().way().text(),
                config.slot(),
                outcome.gapFrom(),
                Lsn.text(outcome.gapTo()),
                outcome.events(),
                outcome.commands(),
                position.text());
        return outcome.report();
    }

    /** From here on a start finds a slot that begins behind the position, or no position although there was one: it is refused. */
    private NewSlot newSlot(Lease lease) throws SQLException {
        source.markStarted();
        lease.confirm();
        return NewSlot.replace(connections, config.slot(), progress);
    }

    private RawMemory remembered(Comparison comparison) throws SQLException {
        RawMemory memory = new RawMemory(config, RawMemory.Ids.to(comparison), progress);
        memory.read();
        comparison.sawAll();
        progress.accept("the raw topics hold %,d records of outbox rows and %,d of command rows"
                .formatted(memory.events(), memory.commands()));
        return memory;
    }

    private Standing standing(Map<String, String> topicIds) throws SQLException {
        Optional<Written> last =
                topicIds.containsKey(topics.positions()) ? positions().lastWritten() : Optional.empty();
        SourceFacts facts = source.facts();
        String events = topicIds.getOrDefault(topics.rawEvents(), "");
        String commands = topicIds.getOrDefault(topics.rawCommands(), "");
        List<String> refusals = new ArrayList<>();
        preflight.problems(facts).forEach(problem -> refusals.add(problem.text()));
        if (preflight.start(facts, last.map(Written::position), events, commands) instanceof Start.Refused refused) {
            refused.problems().forEach(problem -> refusals.add(problem.text()));
        }
        return new Standing(config.slot(), facts, last, events, commands, refusals);
    }

    /** How far back rows and records can be compared: before that, records may have been deleted by retention. */
    private Optional<Instant> reach(Order order, Standing standing, RawMemory memory) {
        if (order.since().isPresent()) {
            return order.since();
        }
        Optional<Instant> remembered = memory.remembersSince(topics.rawEvents(), clock.instant());
        // What was committed after the last position was captured by nobody, whatever the topic has forgotten: one that
        // few keys go to makes it forgetful as a whole. A row tells when it was written, which may be long before that.
        Optional<Instant> captured = standing.last()
                .map(Written::timestampMs)
                .map(Instant::ofEpochMilli)
                .map(written -> written.minus(LONGEST_TRANSACTION));
        Instant kept = clock.instant().minus(config.topics().rawRetention());
        if (remembered.isPresent() && captured.filter(kept::isAfter).isPresent()) {
            throw new StartRefused(STOOD_TOO_LONG.formatted(
                    captured.get().plus(LONGEST_TRANSACTION),
                    topics.rawEvents(),
                    config.topics().rawRetention().toDays()));
        }
        return remembered.map(since -> captured.filter(since::isAfter).orElse(since));
    }

    private static Epochs epochs(Standing standing, RawMemory memory) {
        int before =
                standing.position().map(Position::epoch).orElse(Math.max(Position.FIRST_EPOCH, memory.highestEpoch()));
        return new Epochs(before, standing.topicsWereRemade() ? before + 1 : before);
    }

    private PositionTopic positions() {
        return new PositionTopic(config.kafka(), topics.positions(), config.slot());
    }

    private Lease lease() throws SQLException {
        long deadline = System.nanoTime() + LEASE_PATIENCE.toNanos();
        try (Lease.Candidate candidate = new Lease.Candidate(connections, config.slot())) {
            while (true) {
                Optional<Lease> lease = candidate.tryTake();
                if (lease.isPresent()) {
                    return lease.get();
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new StartRefused(
                            "An engine runs for slot %s (%s). Stop every engine of this slot, those that stand by too: they would take over"
                                    .formatted(
                                            config.slot(),
                                            Lease.holder(connections, config.slot())
                                                    .orElse("its lease is held")));
                }
                LockSupport.parkNanos(LEASE_PAUSE.toNanos());
            }
        }
    }

    private static void judge(List<Problem> problems) {
        if (!problems.isEmpty()) {
            throw new StartRefused(problems.stream().map(Problem::text).toList());
        }
    }
}
