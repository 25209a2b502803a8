package io.tailrace.engine.publish;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.record.Bytes;
import io.tailrace.engine.capture.RawRecord;
import io.tailrace.engine.source.Position;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The transactional producer of one run. Used by one thread at a time, but for {@link #close}, which any thread may call and which
 * ends what is under way.
 */
public final class RawProducer implements AutoCloseable {

    /** Compressed bytes can be more than plain ones, by little. */
    private static final int COMPRESSION_MARGIN_SHIFT = 7;

    /** A stop must not wait for a broker that is down. */
    private static final Duration ABORT_PATIENCE = Duration.ofMillis(500);

    private final KafkaProducer<byte[], byte[]> producer;
    private final PositionTopic positions;
    private boolean open;

    /**
     * A producer that has not begun.
     *
     * @param transactionalId of the slot: whoever takes it fences the one before
     * @param maxMessageBytes of the raw topics
     */
    public RawProducer(KafkaConfig kafka, String transactionalId, int maxMessageBytes, PositionTopic positions) {
        this.positions = Objects.requireNonNull(positions);
        Map<String, Object> settings = ClientSettings.producer(kafka);
        settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
        settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, maxMessageBytes);
        // The partition follows from the key, everywhere in the same way.
        settings.remove(ProducerConfig.PARTITIONER_CLASS_CONFIG);
        settings.put(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG, false);
        settings.putIfAbsent(ProducerConfig.BATCH_SIZE_CONFIG, 128 * 1024);
        settings.putIfAbsent(ProducerConfig.BUFFER_MEMORY_CONFIG, Math.max(32L << 20, 2L * maxMessageBytes));
        // For full batches. Nothing waits for it: a commit sends all there is.
        settings.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, 100);
        // An outage is waited out by beginning anew, not within a batch: a stop must not take longer than one attempt.
        settings.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, 60_000);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 30_000);
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 10_000);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 30_000);
        this.producer = new KafkaProducer<>(settings);
    }

    /** The largest record that is safe to send: one that the broker refuses would come again for ever. */
    public static int largestRecord(KafkaConfig kafka, int maxMessageBytes) {
        String compression = kafka.properties().getOrDefault(ProducerConfig.COMPRESSION_TYPE_CONFIG, "none");
        return compression.equals("none")
                ? maxMessageBytes
                : maxMessageBytes - (maxMessageBytes >> COMPRESSION_MARGIN_SHIFT);
    }

    /** Fences whoever had the transactional id and ends what it left open, one way or the other. */
    public void begin() {
        producer.initTransactions();
    }

    /** Writes a record in the transaction that is open, or opens one. Failures show at the commit at the latest. */
    public void send(RawRecord record) {
        open();
        Bytes value = record.value();
        producer.send(new ProducerRecord<>(
                record.topic(),
                null,
                record.key().array(),
                value == null ? null : value.array(),
                KafkaHeaders.to(record.headers())));
    }

    /** Writes a position in the transaction that is open, or opens one. */
    void send(Position position) {
        open();
        producer.send(positions.record(position));
    }

    /** Commits what was sent. When it returns, the position and all that was sent before are committed. Any failure ends the run. */
    void commit() {
        producer.commitTransaction();
        open = false;
    }

    /** Writes a position and commits the transaction. Any failure ends the run. */
    public void commit(Position position) {
        send(position);
        commit();
    }

    /** Writes records that the next run must find to go on behind them: they lead to no position yet. */
    public void commit(List<RawRecord> records) {
        open();
        records.forEach(this::send);
        commit();
    }

    /** Writes a position that no row leads to, and the note that says who wanted it so. */
    public void commit(Position position, ProducerRecord<byte[], byte[]> note) {
        open();
        producer.send(note);
        commit(position);
    }

    private void open() {
        if (!open) {
            producer.beginTransaction();
            open = true;
        }
    }

    /** Ends it. What is open is aborted at once if the broker answers, else by the next holder of the transactional id. */
    @Override
    public void close() {
        producer.close(ABORT_PATIENCE);
    }
}
