package io.tailrace.contract.config;

import java.util.Map;
import java.util.Objects;

/**
 * The Kafka cluster.
 *
 * @param bootstrapServers comma-separated {@code host:port}
 * @param properties passed to every client as they are (security settings, mostly); values may be secret and are never printed
 */
public record KafkaConfig(String bootstrapServers, Map<String, String> properties) {

    public KafkaConfig {
        Objects.requireNonNull(bootstrapServers, "bootstrapServers");
        properties = Map.copyOf(properties);
    }

    @Override
    public String toString() {
        return "KafkaConfig[bootstrapServers=" + bootstrapServers + ", properties=" + properties.keySet() + "]";
    }
}
