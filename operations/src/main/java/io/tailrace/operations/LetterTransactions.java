package io.tailrace.operations;

import io.tailrace.broker.ClientSettings;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.Replay.Ending;
import io.tailrace.operations.Replay.Order;
import io.tailrace.operations.Replay.Report;
import io.tailrace.operations.Replay.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All that takes letters out of a dead letter topic: batch by batch, one operator at a time. Who begins fences those before. One whose batch
 * the broker tore begins anew unless another began meanwhile; one of the two ends, and nothing is done twice.
 */
final class LetterTransactions {

    /** A batch also ends here, so that it fits the producer's memory. */
    private static final long BATCH_BYTES = 8L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(LetterTransactions.class);

    private static final int MAX_BLOCK_MS = 30_000;

    private static final int MOST_TRIES = 3;

    private final Topics topics;
    private final KafkaConfig kafka;
    private final int maxRequestBytes;

    LetterTransactions(TailraceConfig config) {
        this.topics = config.topicNames();
        this.kafka = Objects.requireNonNull(config.kafka());
        // A dead letter and its replay may each be as large as their topics allow.
        this.maxRequestBytes = config.topics().maxRequestBytes();
    }

    /** What is done about one letter: nothing is written when there are no records. */
    record Step(Row row, List<ProducerRecord<byte[], byte[]>> records) {}

    /** Says what is done about the letters of a batch, a step for each. */
    interface Plan {
        List<Step> of(List<DeadLetter> batch);

        /** Bytes that a letter and its records take in memory. */
        default long weight(DeadLetter letter) {
            return LetterTransactions.weight(letter);
        }
    }

    /** @param live reads the letters that are meant; called when no other operator can take one of them any more */
    Report run(String x, Order order, int batchRows, Supplier<List<DeadLetter>> live, Plan plan) {
        List<Row> done = new ArrayList<>();
        for (int attempt = 1; ; attempt++) {
            int before = done.size();
            AtomicInteger selected = new AtomicInteger();
            try {
                return tryOnce(x, order, batchRows, counted(live, selected), plan, done);
            } catch (KafkaException | OperationFailed failed) {
                if (attempt == MOST_TRIES || !isTorn(failed)) {
                    return Report.failed(order, done, Math.max(0, selected.get() - (done.size() - before)), failed);
                }
                LOG.warn("A batch of {} was refused and begins anew: rows done so far={}", x, done.size(), failed);
            }
        }
    }

    private static Supplier<List<DeadLetter>> counted(Supplier<List<DeadLetter>> live, AtomicInteger selected) {
        return () -> {
            List<DeadLetter> letters = live.get();
            selected.set(letters.size());
            return letters;
        };
    }

    private Report tryOnce(
            String x, Order order, int batchRows, Supplier<List<DeadLetter>> live, Plan plan, List<Row> done) {
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings(x));
        try {
            Admin admin = Admin.create(ClientSettings.admin(kafka));
            try {
                Tenure tenure = new Tenure(admin, topics.namespace().replayTransactionalId(x));
                return under(tenure, producer, order, batchRows, live, plan, done);
            } finally {
                admin.close(Duration.ZERO);
            }
        } finally {
            // What is committed is done and the rest is the next operator's to abort: a fenced producer that is
            // closed in order waits half a minute for an answer that cannot come.
            producer.close(Duration.ZERO);
        }
    }

    private static Report under(
            Tenure tenure,
            KafkaProducer<byte[], byte[]> producer,
            Order order,
            int batchRows,
            Supplier<List<DeadLetter>> live,
            Plan plan,
            List<Row> done) {
        int before = done.size();
        int selected = 0;
        try {
            producer.initTransactions();
            tenure.begins();
            // Only now: what is read before another operator is fenced may be replayed by that one a moment later.
            List<DeadLetter> letters = live.get();
            selected = letters.size();
            for (List<DeadLetter> batch : batches(letters, batchRows, plan::weight)) {
                done.addAll(commit(producer, plan.of(batch)));
                tenure.committed();
            }
            return new Report(order, done, 0, Ending.COMPLETE);
        } catch (KafkaException failed) {
            if (isFenced(failed) || (!isCausedBy(failed, RetriableException.class) && tenure.isOver())) {
                return new Report(order, done, selected - (done.size() - before), Ending.FENCED);
            }
            throw failed;
        }
    }

    private static List<Row> commit(KafkaProducer<byte[], byte[]> producer, List<Step> steps) {
        producer.beginTransaction();
        for (Step step : steps) {
            for (ProducerRecord<byte[], byte[]> record : step.records()) {
                producer.send(record); // A failed send fails the commit.
            }
        }
        producer.commitTransaction();
        return steps.stream().map(Step::row).toList();
    }

    static List<List<DeadLetter>> batches(List<DeadLetter> letters, int rows) {
        return batches(letters, rows, LetterTransactions::weight);
    }

    private static long weight(DeadLetter letter) {
        return letter.value().length() + letter.headers().sizeInBytes();
    }

    private static List<List<DeadLetter>> batches(
            List<DeadLetter> letters, int rows, ToLongFunction<DeadLetter> weight) {
        List<List<DeadLetter>> batches = new ArrayList<>();
        List<DeadLetter> batch = new ArrayList<>();
        long bytes = 0;
        for (DeadLetter letter : letters) {
            long size = weight.applyAsLong(letter);
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

    private Map<String, Object> settings(String x) {
        Map<String, Object> settings = ClientSettings.producer(kafka);
        settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, topics.namespace().replayTransactionalId(x));
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MS);
        settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, maxRequestBytes);
        // A batch, or the one record that is larger than any.
        settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, Math.max(4 * BATCH_BYTES, 2L * maxRequestBytes));
        return settings;
    }

    private static boolean isFenced(KafkaException failed) {
        return isCausedBy(failed, ProducerFencedException.class)
                || isCausedBy(failed, InvalidProducerEpochException.class);
    }

    /** The broker lost count of a healthy transaction, as it does under load on partitions that are new; another one will do. */
    private static boolean isTorn(RuntimeException failed) {
        return isCausedBy(failed, InvalidTxnStateException.class)
                || isCausedBy(failed, OutOfOrderSequenceException.class);
    }

    private static boolean isCausedBy(Throwable failed, Class<? extends KafkaException> type) {
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }
}
