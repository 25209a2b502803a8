package io.tailrace.benchmarks.contender;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Rows that go to Kafka as the server sent them, without a key: whatever partition is at hand. */
final class ProducedRows implements Rows {

    private final KafkaProducer<byte[], byte[]> producer;
    private final String topic;
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    ProducedRows(Servers servers, String topic) {
        this.producer = PlainProducer.of(servers);
        this.topic = topic;
    }

    @Override
    public void take(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        message.get(bytes);
        producer.send(new ProducerRecord<>(topic, bytes), (metadata, exception) -> {
            if (exception == null) {
                acknowledged.incrementAndGet();
            } else {
                failure.compareAndSet(null, exception);
            }
        });
    }

    @Override
    public long done() {
        Exception failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("a row was not acknowledged", failed);
        }
        return acknowledged.get();
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
    }
}
