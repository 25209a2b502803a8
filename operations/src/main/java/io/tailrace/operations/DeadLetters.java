package io.tailrace.operations;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.CompactedTopic;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.operations.Replay.Ending;
import io.tailrace.operations.Replay.Order;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Replay.Report;
import io.tailrace.operations.Replay.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;

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
 * <p><b>Commands.</b> The row is the authority: {@code requeue_command} is the whole act, guarded by the row's status, and the router
 * writes the tombstone when it hears of it through the WAL.
 *
 * <p>Opens a client for each call. Thread-safe.
 */
public final class DeadLetters {

    /** Rows of one transaction: small enough to be over long before its timeout, whatever the payloads. */
    static final int BATCH_ROWS = 500;

    /** A batch also ends here, so that it fits the producer's memory. */
    static final long BATCH_BYTES = 8L << 20;

    /** Longer than the transactions of those who write dead letters may stay open. */
    private static final Duration PATIENCE = Duration.ofSeconds(75);

    private static final int MAX_BLOCK_MS = 30_000;

    private final Topics topics;
    private final KafkaConfig kafka;
    private final Commands commands;
    private final int maxRequestBytes;

    public DeadLetters(TailraceConfig config) {
        this.topics = config.topicNames();
        this.kafka = Objects.requireNonNull(config.kafka());
        this.commands = new Commands(config.source());
        // A dead letter and its replay may each be as large as their topics allow.
        this.maxRequestBytes = config.topics().maxRequestBytes();
    }

    /**
     * The dead letters of {@code x} that are selected: rows of a key in order.
     *
     * @throws org.apache.kafka.common.errors.UnknownTopicOrPartitionException when {@code x} has no dead letter topic
     */
    public List<DeadLetter> list(String x, Selection selection) {
        return new CompactedTopic(kafka, topics.deadLetters(x))
                .read(PATIENCE).values().stream()
                        .map(live -> DeadLetter.of(x, live))
                        .filter(selection::takes)
                        .sorted(DeadLetter.IN_ORDER)
                        .limit(selection.limit())
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
        if (order.dryRun()) {
            return dryRun(list(x, selection), order);
        }
        return x.equals(Topics.COMMANDS) ? requeue(selection, order) : write(x, selection, order, batchRows);
    }

    private static Report dryRun(List<DeadLetter> letters, Order order) {
        List<Row> rows = letters.stream()
                .map(letter -> new Row(letter, isReplayable(letter) ? Outcome.WOULD_REPLAY : Outcome.PAYLOAD_OMITTED))
                .toList();
        return new Report(order, rows, 0, Ending.COMPLETE);
    }

    private Report requeue(Selection selection, Order order) {
        List<Row> rows = new ArrayList<>();
        for (DeadLetter letter : list(Topics.COMMANDS, selection)) {
            Outcome outcome = uuid(letter.rowId())
                    .map(id -> outcome(commands.requeue(id)))
                    .orElse(Outcome.NOT_FOUND);
            rows.add(new Row(letter, outcome));
        }
        return new Report(order, rows, 0, Ending.COMPLETE);
    }

    private static Optional<UUID> uuid(String text) {
        try {
            return Optional.of(UUID.fromString(text));
        } catch (IllegalArgumentException notAnId) {
            return Optional.empty();
        }
    }

    private static Outcome outcome(Commands.Answer answer) {
        return switch (answer) {
            case OK -> Outcome.REPLAYED;
            case RUNNING -> Outcome.RUNNING;
            case NOT_FOUND -> Outcome.NOT_FOUND;
            case NOT_DEAD, NOT_PENDING -> Outcome.NOT_DEAD;
            case DUPLICATE -> Outcome.DUPLICATE;
        };
    }

    private Report write(String x, Selection selection, Order order, int batchRows) {
        List<Row> done = new ArrayList<>();
        int selected = 0;
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings(x));
        try {
            producer.initTransactions();
            // Only now: what is read before another operator is fenced may be replayed by that one a moment later.
            List<DeadLetter> letters = list(x, selection);
            selected = letters.size();
            ReplayRecords records = new ReplayRecords(topics, order);
            for (List<DeadLetter> batch : batches(letters, batchRows)) {
                done.addAll(commit(producer, records, batch));
            }
            return new Report(order, done, 0, Ending.COMPLETE);
        } catch (KafkaException failed) {
            if (isFenced(failed)) {
                return new Report(order, done, selected - done.size(), Ending.FENCED);
            }
            throw failed;
        } finally {
            // What is committed is done and the rest is the next operator's to abort: a fenced producer that is
            // closed in order waits half a minute for an answer that cannot come.
            producer.close(Duration.ZERO);
        }
    }

    private static List<Row> commit(
            KafkaProducer<byte[], byte[]> producer, ReplayRecords records, List<DeadLetter> batch) {
        List<Row> rows = new ArrayList<>();
        producer.beginTransaction();
        for (DeadLetter letter : batch) {
            if (isReplayable(letter)) {
                for (ProducerRecord<byte[], byte[]> record : records.of(letter)) {
                    producer.send(record); // A failed send fails the commit.
                }
            }
            rows.add(new Row(letter, isReplayable(letter) ? Outcome.REPLAYED : Outcome.PAYLOAD_OMITTED));
        }
        producer.commitTransaction();
        return rows;
    }

    static List<List<DeadLetter>> batches(List<DeadLetter> letters, int rows) {
        List<List<DeadLetter>> batches = new ArrayList<>();
        List<DeadLetter> batch = new ArrayList<>();
        long bytes = 0;
        for (DeadLetter letter : letters) {
            long size = letter.value().length() + letter.headers().sizeInBytes();
            if (!batch.isEmpty() && (batch.size() == rows || bytes + size > BATCH_BYTES)) {
                batches.add(batch);
                batch = new ArrayList<>();
                bytes = 0;
            }
            batch.add(letter);
            bytes += size;
        }
        if (!batch.isEmpty()) {
            batches.add(batch);
        }
        return batches;
    }

    private static boolean isReplayable(DeadLetter letter) {
        return letter.payload() != DeadLetter.Payload.OMITTED;
    }

    private Map<String, Object> settings(String x) {
        Map<String, Object> settings = ClientSettings.producer(kafka);
        settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, topics.namespace().replayTransactionalId(x));
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MS);
        settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, maxRequestBytes);
        return settings;
    }

    private static boolean isFenced(KafkaException failed) {
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            if (cause instanceof ProducerFencedException || cause instanceof InvalidProducerEpochException) {
                return true;
            }
        }
        return false;
    }
}
