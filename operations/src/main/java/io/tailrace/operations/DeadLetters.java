package io.tailrace.operations;

import io.tailrace.broker.CompactedTopic;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.operations.LetterTransactions.Plan;
import io.tailrace.operations.LetterTransactions.Step;
import io.tailrace.operations.Replay.Ending;
import io.tailrace.operations.Replay.Newer;
import io.tailrace.operations.Replay.Order;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Replay.Report;
import io.tailrace.operations.Replay.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;

/**
 * The dead letters of a namespace: what is parked, why, and the way back.
 *
 * <p><b>Events and subscriptions.</b> The live set of the compacted topic is the set of dead letters. A replay writes, in one Kafka
 * transaction per batch, the replay records to the retry topic and the tombstones to the dead letter topic. All replays of one
 * topic share one transactional id, and the live set is read only <em>after</em> {@code initTransactions()}: by then the
 * transactions of every operator before have ended and none of them can commit another. So
 * <ul>
 *   <li>killed before a commit: the batch is aborted, its rows are still dead letters, the next run replays them;
 *   <li>killed after a commit: its rows have tombstones, the next run does not see them;
 *   <li>two operators: the second fences the first, whose open batch is aborted, and sees the tombstones of the batches before.
 * </ul>
 *
 * <p>A letter that holds no payload because its row is too large is a claim check: the payload is read from the outbox, within the same
 * transaction, when it fits by now. The row is only read; the letter alone says whether it was replayed.
 *
 * <p><b>Commands.</b> The row is the authority: {@code requeue_command} is the whole act, guarded by the row's status, and the router
 * writes the tombstone when it hears of it through the WAL. Only when nothing is left to requeue is the tombstone written here, like that of
 * an event.
 *
 * <p>Opens a client for each call. Thread-safe.
 */
public final class DeadLetters {

    /** Rows of one transaction: small enough to be over long before its timeout, whatever the payloads. */
    static final int BATCH_ROWS = 500;

    /** Longer than the transactions of those who write dead letters may stay open. */
    private static final Duration PATIENCE = Duration.ofSeconds(75);

    private final TailraceConfig config;
    private final Topics topics;
    private final KafkaConfig kafka;
    private final LetterTransactions transactions;
    private final LettersBySource commands;
    private final Skips skips;
    private final Discards discards;

    public DeadLetters(TailraceConfig config) {
        this.config = config;
        this.topics = config.topicNames();
        this.kafka = Objects.requireNonNull(config.kafka());
        this.transactions = new LetterTransactions(config);
        DeliveryRows deliveries = new DeliveryRows(config);
        this.commands =
                new LettersBySource(config, transactions, rows -> list(Topics.COMMANDS, Selection.ofRows(rows)));
        this.skips = new Skips(config, transactions, commands, deliveries, this::list);
        this.discards = new Discards(config, transactions, commands, deliveries, this::list);
    }

    /**
     * The dead letters of {@code x} that are selected: rows of a key in order.
     *
     * @throws org.apache.kafka.common.errors.UnknownTopicOrPartitionException when {@code x} has no dead letter topic
     */
    public List<DeadLetter> list(String x, Selection selection) {
        return selected(all(x), selection);
    }

    private List<DeadLetter> all(String x) {
        return new CompactedTopic(kafka, topics.deadLetters(x))
                .read(PATIENCE).values().stream()
                        .map(live -> DeadLetter.of(x, live))
                        .toList();
    }

    private static List<DeadLetter> selected(List<DeadLetter> all, Selection selection) {
        return all.stream()
                .filter(selection::takes)
                .sorted(DeadLetter.IN_ORDER)
                .limit(selection.limit())
                .toList();
    }

    /**
     * A dead letter without its payload.
     *
     * @param letter its value is empty
     * @param payloadBytes what the value takes in the topic
     */
    public record Head(DeadLetter letter, int payloadBytes) {}

    /** As {@link #list}, without payloads: what it takes in memory does not depend on them. */
    public List<Head> heads(String x, Selection selection) {
        Map<String, Integer> sizes = new HashMap<>();
        List<DeadLetter> letters = new ArrayList<>();
        new CompactedTopic(kafka, topics.deadLetters(x))
                .readHeads(PATIENCE)
                .values()
                .forEach(live -> {
                    DeadLetter letter = DeadLetter.of(x, live);
                    sizes.put(letter.rowId(), live.valueBytes());
                    letters.add(letter);
                });
        return selected(letters, selection).stream()
                .map(letter -> new Head(letter, sizes.getOrDefault(letter.rowId(), 0)))
                .toList();
    }

    /**
     * A page of {@link #heads}.
     *
     * @param next where the next one begins; empty when this is the last
     */
    public record Page(List<Head> heads, Optional<String> next) {}

    /**
     * Some of the dead letters that are selected, in order and without payloads.
     *
     * @param after {@link Page#next} of the page before, also when the letter at its end has gone since; empty for the first
     * @param size at most so many, 1 or more
     * @throws IllegalArgumentException when {@code after} is of no page
     */
    public Page page(String x, Selection selection, Optional<String> after, int size) {
        return PageMark.page(heads(x, selection), after.map(PageMark::parse), size);
    }

    /**
     * Takes letters away whose time is over, each as {@link #discard} would: a command that is dead is cancelled first, a delivery after
     * that. A letter at which a key stops, or may stop as far as can be seen, stays, and so does one whose row is pending, or in none of these
     * databases.
     *
     * @param before failed last, and written, before that
     * @throws KafkaException when Kafka cannot be reached or refuses; batches committed before it are done
     * @throws OperationFailed when the database of the commands cannot be reached
     */
    public Report expire(String x, Selection selection, Instant before, Order order) {
        return discards.expire(
                x, rows -> expired(x, rows.isEmpty() ? selection : Selection.ofRows(rows), before), order);
    }

    private List<DeadLetter> expired(String x, Selection selection, Instant before) {
        return heads(x, selection).stream()
                .map(Head::letter)
                .filter(letter -> letter.lastMomentMs() < before.toEpochMilli())
                .toList();
    }

    /** One dead letter. */
    public Optional<DeadLetter> find(String x, String rowId) {
        return new CompactedTopic(kafka, topics.deadLetters(x))
                .read(Bytes.utf8(rowId), PATIENCE)
                .map(live -> DeadLetter.of(x, live));
    }

    /**
     * Brings the selected rows back, each with a full new budget.
     *
     * @throws KafkaException when Kafka cannot be reached or refuses; batches committed before it are done
     * @throws OperationFailed when the database of the commands cannot be reached
     */
    public Report replay(String x, Selection selection, Order order) {
        return replay(x, selection, order, BATCH_ROWS);
    }

    Report replay(String x, Selection selection, Order order, int batchRows) {
        if (x.equals(Topics.COMMANDS)) {
            List<DeadLetter> letters = list(x, selection);
            return order.dryRun() ? commands.dryRun(letters, order) : commands.replay(letters, order, batchRows);
        }
        try (ClaimChecks checks = new ClaimChecks(config)) {
            return replay(x, selection, order, batchRows, checks);
        }
    }

    private Report replay(String x, Selection selection, Order order, int batchRows, ClaimChecks checks) {
        Map<String, Newer> newer = new HashMap<>();
        if (order.dryRun()) {
            List<Row> rows = checks.look(live(x, selection, newer)).stream()
                    .map(letter -> judged(letter, checks, order, newerThan(letter, newer)))
                    .toList();
            return new Report(order, rows, 0, Ending.COMPLETE);
        }
        ReplayRecords records = new ReplayRecords(config, order);
        return transactions.run(x, order, batchRows, () -> checks.look(live(x, selection, newer)), new Plan() {
            @Override
            public List<Step> of(List<DeadLetter> batch) {
                return batch.stream()
                        .map(letter ->
                                step(letter, checks, records, judged(letter, checks, order, newerThan(letter, newer))))
                        .toList();
            }

            @Override
            public long weight(DeadLetter letter) {
                return checks.weight(letter);
            }
        });
    }

    /**
     * Takes letters away for good. A command that is dead is cancelled first, so that nothing can requeue it any more; one that is pending
     * keeps its letter. A delivery that is dead is cancelled when its letter has gone. If a key stops at the row, it goes on. A letter whose row is
     * in no database of the configuration stays: {@link Outcome#NOT_FOUND}.
     *
     * @param selection names rows; those that have no letter are not in the report
     * @throws KafkaException when Kafka cannot be reached or refuses; batches committed before it are done
     * @throws OperationFailed when the database of the rows cannot be reached
     */
    public Report discard(String x, Selection selection, Order order) {
        return discards.discard(x, naming(selection, "discard"), order);
    }

    /** The same of these rows. */
    public Report discard(String x, Set<String> rowIds, Order order) {
        return discard(x, Selection.ofRows(rowIds), order);
    }

    /**
     * Lets keys go on that stop at a dead letter ({@code halt-key}). The letters stay, and can be replayed later, behind what has gone on.
     * If a row is no more the head of its key by then, nothing happens: its table says so of a command, the router's log of any other. Nothing
     * is written either about a row that is in no database of the configuration: {@link Outcome#NOT_FOUND}.
     *
     * @param selection names rows; those that have no letter are not in the report
     * @throws KafkaException when Kafka cannot be reached or refuses; batches committed before it are done
     * @throws OperationFailed when the database of the rows cannot be reached
     */
    public Report skip(String x, Selection selection, Order order) {
        return skips.skip(x, naming(selection, "skip"), order);
    }

    /** The same of these rows. */
    public Report skip(String x, Set<String> rowIds, Order order) {
        return skip(x, Selection.ofRows(rowIds), order);
    }

    /** {@link #skip(String, Set, Order)} of events. */
    public Report skip(Set<String> rowIds, Order order) {
        return skip(Topics.EVENTS, rowIds, order);
    }

    private static Selection naming(Selection selection, String act) {
        if (selection.rowIds().isEmpty()) {
            throw new IllegalArgumentException("name the rows to " + act + ": none would select all");
        }
        return selection;
    }

    /** Those of these letters, all of one {@code x}, at which a key stops. While a database cannot be reached, it is not complete. */
    public Halts halts(List<DeadLetter> letters) {
        return new HaltedKeys(config).look(letters);
    }

    /** The letters that are meant, and of each how many newer rows went before it. */
    private List<DeadLetter> live(String x, Selection selection, Map<String, Newer> newer) {
        List<DeadLetter> all = all(x);
        List<DeadLetter> meant = selected(all, selection);
        newer.clear();
        newer.putAll(new NewerRows(config)
                .look(meant, all.stream().map(DeadLetter::rowId).collect(Collectors.toSet())));
        // What a subscription has handled since stands in its inbox, which is not looked at.
        meant.stream()
                .filter(letter ->
                        letter.isOfSubscription() && letter.orderingKey().isPresent())
                .forEach(letter -> newer.put(letter.rowId(), new Newer(0, false)));
        return meant;
    }

    private static Newer newerThan(DeadLetter letter, Map<String, Newer> newer) {
        return newer.getOrDefault(letter.rowId(), Newer.NONE);
    }

    private static Row judged(DeadLetter letter, ClaimChecks checks, Order order, Newer newer) {
        return judged(letter, checks).judgedBy(newer, order);
    }

    private static Row judged(DeadLetter letter, ClaimChecks checks) {
        if (letter.isMalformedRow()) {
            return Row.malformed(letter);
        }
        return letter.needsItsRow() ? checks.judged(letter) : new Row(letter, Outcome.WOULD_REPLAY);
    }

    private static Step step(DeadLetter letter, ClaimChecks checks, ReplayRecords records, Row row) {
        if (row.outcome() != Outcome.WOULD_REPLAY) {
            return new Step(row, List.of());
        }
        Optional<DeadLetter> whole = letter.needsItsRow() ? checks.redeemed(letter) : Optional.of(letter);
        return whole.map(each -> new Step(new Row(letter, Outcome.REPLAYED, "", row.newer()), records.of(each)))
                .orElseGet(() -> new Step(
                        new Row(letter, Outcome.PAYLOAD_OMITTED, "its row changed while it was looked at"), List.of()));
    }
}
