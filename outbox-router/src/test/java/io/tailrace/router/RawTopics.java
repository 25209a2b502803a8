package io.tailrace.router;

import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Reason;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Writes raw topics as the engine does: in transactions, unless told otherwise. Not thread-safe. */
final class RawTopics implements AutoCloseable {

    private final KafkaProducer<byte[], byte[]> producer;
    private final Topics topics;

    RawTopics(String bootstrapServers, String namespace) {
        this(bootstrapServers, namespace, Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, namespace + ".engine"));
        producer.initTransactions();
    }

    private RawTopics(String bootstrapServers, String namespace, Map<String, Object> more) {
        this.topics = new Topics(new Namespace(namespace));
        Map<String, Object> settings = new HashMap<>(more);
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 8 << 20);
        this.producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Without transactions: what needs no coordinator. */
    static RawTopics plain(String bootstrapServers, String namespace) {
        return new RawTopics(bootstrapServers, namespace, Map.of());
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

    /** The answer of an executor to a command that is dead. */
    void dead(String id, String key, int turn, String place) {
        Headers headers = headers(id, "ship-order", key, Kind.DEAD)
                .put(HeaderName.SEQ, place)
                .put(HeaderName.PLACE, place)
                .put(HeaderName.TURN, turn)
                .put(HeaderName.REASON, Reason.RETRIES_EXHAUSTED.text())
                .build();
        send(topics.retry(Topics.COMMANDS), headers, key, id);
    }

    /** Word of an operator who has requeued it. */
    void requeued(String id, String key, int turn, String place) {
        Headers headers = headers(id, "ship-order", key, Kind.CONTROL)
                .put(HeaderName.CONTROL, "requeue")
                .put(HeaderName.PLACE, place)
                .put(HeaderName.TURN, turn)
                .build();
        send(topics.rawCommands(), headers, key, id);
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
