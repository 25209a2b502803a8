package io.tailrace.router;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Writes raw topics as the engine does: in transactions. Not thread-safe. */
final class RawTopics implements AutoCloseable {

    private final KafkaProducer<byte[], byte[]> producer;
    private final Topics topics;

    RawTopics(String bootstrapServers, String namespace) {
        this.topics = new Topics(new Namespace(namespace));
        this.producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                        namespace + ".engine",
                        ProducerConfig.LINGER_MS_CONFIG,
                        0,
                        ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                        8 << 20),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        producer.initTransactions();
    }

    /** One transaction with whatever the work writes. */
    void commit(Runnable work) {
        producer.beginTransaction();
        work.run();
        producer.commitTransaction();
    }

    void event(String id, String name, @Nullable String key) {
        send(topics.rawEvents(), headers(id, name, key, Kind.EVENT).build(), key == null ? id : key, id);
    }

    void command(String id, @Nullable String key, Instant runAt) {
        command(id, key, runAt, id);
    }

    void command(String id, @Nullable String key, Instant runAt, String payload) {
        Headers headers = headers(id, "ship-order", key, Kind.COMMAND)
                .put(HeaderName.NOT_BEFORE, runAt.toEpochMilli())
                .build();
        send(topics.rawCommands(), headers, key == null ? id : key, payload);
    }

    void event(String id, String name, String key, String payload) {
        send(topics.rawEvents(), headers(id, name, key, Kind.EVENT).build(), key, payload);
    }

    private static Headers.Builder headers(String id, String name, @Nullable String key, Kind kind) {
        return Headers.builder()
                .put(HeaderName.CE_SPECVERSION, "1.0")
                .put(HeaderName.CE_ID, id)
                .put(HeaderName.CE_TYPE, name)
                .put(HeaderName.CE_SOURCE, "shop/shop")
                .put(HeaderName.CE_TIME, Instant.now().toString())
                .putIfPresent(HeaderName.CE_PARTITIONKEY, key)
                .put(HeaderName.KIND, kind.text())
                .put(HeaderName.SEQ, "1")
                .put(HeaderName.PAYLOAD, "inline");
    }

    private void send(String topic, Headers headers, String key, String payload) {
        producer.send(new ProducerRecord<>(
                topic,
                null,
                null,
                Bytes.utf8(key).array(),
                Bytes.utf8("{\"id\":\"" + payload + "\"}").array(),
                KafkaHeaders.to(headers)));
    }

    @Override
    public void close() {
        producer.close();
    }
}
