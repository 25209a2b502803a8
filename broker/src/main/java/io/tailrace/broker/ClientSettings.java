package io.tailrace.broker;

import io.tailrace.contract.config.KafkaConfig;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Settings of Kafka clients that keep the promises; whatever a user's properties say, these hold. */
public final class ClientSettings {

    private ClientSettings() {}

    /** Bytes in, bytes out, only what was committed, and never an offset that nobody chose. */
    public static Map<String, Object> consumer(KafkaConfig kafka) {
        Map<String, Object> settings = common(kafka);
        settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        return settings;
    }

    /** Idempotent, acknowledged by all; the caller adds a {@code transactional.id} where there is one. */
    public static Map<String, Object> producer(KafkaConfig kafka) {
        Map<String, Object> settings = common(kafka);
        settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        return settings;
    }

    /** For topics and groups. */
    public static Map<String, Object> admin(KafkaConfig kafka) {
        return common(kafka);
    }

    private static Map<String, Object> common(KafkaConfig kafka) {
        Map<String, Object> settings = new HashMap<>(kafka.properties());
        settings.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers());
        return settings;
    }
}
