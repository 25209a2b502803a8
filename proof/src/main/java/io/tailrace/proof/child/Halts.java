package io.tailrace.proof.child;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.record.Kind;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Where an executor can be stopped between its database and Kafka. The product has nothing for that and needs nothing: Kafka's own clients
 * tell of every record, before it is handed on and before whoever sent it learns that it is safe. Thread-safe.
 */
public final class Halts implements ProducerInterceptor<byte[], byte[]>, ConsumerInterceptor<byte[], byte[]> {

    /** The steps at which an executor can be made to stand still. */
    public enum Step {
        /** Rows that are due have been read; none of them is claimed. */
        BEFORE_CLAIM,
        /** The handler has had its effect, which is not committed. */
        IN_HANDLER,
        /** The row is stamped: it waits; the retry topic has nothing of it. */
        BEFORE_RETRY_RECORD,
        /** A row that was released by its lane is done; the lane does not know. */
        BEFORE_DONE,
        /** The answer of a row is safe in Kafka; its offset has not passed. */
        BEFORE_OFFSET
    }

    /** Kafka makes these objects. */
    private static final AtomicReference<@Nullable Parent> PARENT = new AtomicReference<>();

    /** Made by Kafka, one for each client. */
    public Halts() {}

    /** Who is told, from now on. */
    static void tell(Parent parent) {
        PARENT.set(parent);
    }

    @Override
    public void configure(Map<String, ?> settings) {}

    @Override
    public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition each : records.partitions()) {
            if (records.records(each).stream().anyMatch(record -> isDue(record.headers()))) {
                passes(Step.BEFORE_CLAIM);
                break;
            }
        }
        return records;
    }

    @Override
    public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
        kind(record.headers()).ifPresent(kind -> {
            if (kind == Kind.FAILED) {
                passes(Step.BEFORE_RETRY_RECORD);
            } else if (kind == Kind.DONE) {
                passes(Step.BEFORE_DONE);
            }
        });
        return record;
    }

    @Override
    public void onAcknowledgement(RecordMetadata written, @Nullable Exception failure, Headers headers) {
        if (failure == null && kind(headers).isPresent()) {
            passes(Step.BEFORE_OFFSET);
        }
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

    @Override
    public void close() {}

    private static boolean isDue(Headers headers) {
        return kind(headers)
                .filter(kind -> kind == Kind.COMMAND || kind == Kind.REDELIVERY)
                .isPresent();
    }

    private static Optional<Kind> kind(Headers headers) {
        return KafkaHeaders.from(headers).kind();
    }

    private static void passes(Step step) {
        Parent parent = PARENT.get();
        if (parent != null) {
            parent.passes(step);
        }
    }
}
