package io.tailrace.benchmarks.contender;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The producer of everybody but Tailrace: at least once, acknowledged by all. Batches and linger are those that Tailrace's own
 * producer has.
 */
final class PlainProducer {

    private PlainProducer() {}

    static KafkaProducer<byte[], byte[]> of(Servers servers) {
        return of(servers, Map.of());
    }

    static KafkaProducer<byte[], byte[]> of(Servers servers, Map<String, ?> more) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers.bootstrapServers());
        settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.BATCH_SIZE_CONFIG, 128 * 1024);
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 5);
        settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 32L << 20);
        settings.putAll(more);
        return new KafkaProducer<>(settings);
    }
}
