package io.tailrace.operations;

import io.tailrace.broker.ClientSettings;
import io.tailrace.contract.config.TailraceConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/** Notes of what is done elsewhere, to the operations topic; a note that is written is there before what it tells of. Single use. */
final class OperationNotes implements AutoCloseable {

    private static final int MAX_BLOCK_MS = 30_000;

    private final TailraceConfig config;
    private @Nullable KafkaProducer<byte[], byte[]> producer;

    OperationNotes(TailraceConfig config) {
        this.config = config;
    }

    /**
     * Writes them all, and waits for it. Without any nothing is opened.
     *
     * @throws KafkaException when one cannot be written
     */
    void write(List<ProducerRecord<byte[], byte[]>> notes) {
        if (notes.isEmpty()) {
            return;
        }
        KafkaProducer<byte[], byte[]> open = producer == null ? open() : producer;
        producer = open;
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        notes.forEach(note -> sent.add(open.send(note)));
        try {
            for (Future<RecordMetadata> each : sent) {
                each.get();
            }
        } catch (ExecutionException failed) {
            throw new KafkaException("who asks could not be noted in the operations topic", failed.getCause());
        } catch (InterruptedException stopping) {
            throw new InterruptException(stopping);
        }
    }

    @Override
    public void close() {
        if (producer != null) {
            producer.close(Duration.ZERO);
        }
    }

    private KafkaProducer<byte[], byte[]> open() {
        Map<String, Object> settings = ClientSettings.producer(Objects.requireNonNull(config.kafka()));
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MS);
        return new KafkaProducer<>(settings);
    }
}
