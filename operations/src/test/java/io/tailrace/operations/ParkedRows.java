package io.tailrace.operations;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.broker.TopicCatalog;
import io.tailrace.broker.TopicKeeper;
import io.tailrace.contract.config.ConfigReader;
import io.tailrace.contract.config.Surroundings;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/** Topics of a namespace with dead letters in them, as a router would have written them. */
final class ParkedRows {

    private static final int PARTITIONS = 4;

    private final TailraceConfig config;

    ParkedRows(TailraceConfig config) {
        this.config = config;
        try (Admin admin = Admin.create(ClientSettings.admin(config.kafka()))) {
            new TopicKeeper(admin, config.kafka().bootstrapServers(), true)
                    .ensure(new TopicCatalog(config.topicNames(), config.topics()).all(config.subscriptionNames()));
        }
    }

    static TailraceConfig config(String namespace, String bootstrapServers, String host, int port, String database) {
        return config(namespace, bootstrapServers, host, port, database, PARTITIONS);
    }

    static TailraceConfig config(
            String namespace, String bootstrapServers, String host, int port, String database, int partitions) {
        Map<String, Object> tree = Map.of(
                "namespace", namespace,
                "source",
                        Map.of(
                                "host",
                                host,
                                "port",
                                Integer.toString(port),
                                "database",
                                database,
                                "user",
                                "postgres",
                                "sslmode",
                                "disable"),
                "kafka", Map.of("bootstrap-servers", bootstrapServers),
                "topics",
                        Map.of(
                                "partitions", Integer.toString(partitions),
                                "replication", "1",
                                "min-insync-replicas", "1"));
        return ConfigReader.read(tree, Map.of(), new Surroundings() {
                    @Override
                    public Optional<String> variable(String name) {
                        return Optional.empty();
                    }

                    @Override
                    public String file(String path) {
                        throw new AssertionError(path);
                    }
                })
                .match(read -> read, problems -> {
                    throw new AssertionError(problems);
                });
    }

    /** Rows {@code 0 … count-1}, ids {@code row-<n>}, spread over keys {@code key-<n % keys>}, one after the other in the raw topic. */
    void parkEvents(int count, int keys) {
        // Backwards: the order of the dead letters is not the order of the rows.
        write(IntStream.iterate(count - 1, n -> n >= 0, n -> n - 1)
                .mapToObj(n -> record(Topics.EVENTS, "row-" + n, "key-" + n % keys, n, "inline", "{\"n\":" + n + "}"))
                .toList());
    }

    /** An event, id {@code row-<offset>}. */
    void parkRow(int offset, String key) {
        write(List.of(record(Topics.EVENTS, "row-" + offset, key, offset, "inline", "{}")));
    }

    void park(String x, String rowId, @Nullable String key, String payload, String value) {
        write(List.of(record(x, rowId, key, 0, payload, value)));
    }

    /** A letter that was written, and whose row failed last, so long ago. */
    void parkLongAgo(String x, String rowId, @Nullable String key, Duration age) {
        ProducerRecord<byte[], byte[]> letter = record(x, rowId, key, 0, "inline", "{}");
        long then = System.currentTimeMillis() - age.toMillis();
        Headers headers = KafkaHeaders.from(letter.headers()).toBuilder()
                .put(HeaderName.FAILED_AT, then)
                .build();
        write(List.of(new ProducerRecord<>(
                letter.topic(), null, then, letter.key(), letter.value(), KafkaHeaders.to(headers))));
    }

    /** The letter of a row with secrets: neither payload nor the value of the header {@code token}, but where it was read. */
    void parkReference(String rowId, String payload, int partition, long offset) {
        ProducerRecord<byte[], byte[]> letter = record(Topics.EVENTS, rowId, "k", 0, payload, "");
        Headers headers = KafkaHeaders.from(letter.headers()).toBuilder()
                .put(HeaderName.ORIGIN_TOPIC, config.topicNames().rawEvents())
                .put(HeaderName.ORIGIN_PARTITION, partition)
                .put(HeaderName.ORIGIN_OFFSET, offset)
                .add("token", null)
                .build();
        write(List.of(
                new ProducerRecord<>(letter.topic(), null, letter.key(), letter.value(), KafkaHeaders.to(headers))));
    }

    /** The record of a row as it was captured, in partition 0. */
    void capture(String rowId, String payload, String token) {
        ProducerRecord<byte[], byte[]> row = record(Topics.EVENTS, rowId, "k", 0, "inline", payload);
        Headers headers = KafkaHeaders.from(row.headers()).toBuilder()
                .add("token", Bytes.utf8(token))
                .build();
        write(List.of(new ProducerRecord<>(
                config.topicNames().rawEvents(), 0, row.key(), row.value(), KafkaHeaders.to(headers))));
    }

    /** A row that was too large for the engine to send; when not even its headers fitted, the letter has fewer of them. */
    void parkTooLarge(String rowId, boolean isBare) {
        ProducerRecord<byte[], byte[]> letter = record(Topics.EVENTS, rowId, "k", 0, "omitted", "");
        Headers.Builder headers = KafkaHeaders.from(letter.headers()).toBuilder()
                .put(HeaderName.REASON, "too-large")
                .put(HeaderName.STAGE, "capture");
        if (isBare) {
            headers.remove(HeaderName.CONTENT_TYPE);
        }
        write(List.of(new ProducerRecord<>(
                letter.topic(), null, letter.key(), letter.value(), KafkaHeaders.to(headers.build()))));
    }

    /** A row that the engine could not read; of a command an executor has written the stage. */
    void parkMalformed(String x, String rowId, String stage) {
        ProducerRecord<byte[], byte[]> letter = record(x, rowId, "k", 0, "inline", "{}");
        Headers headers = KafkaHeaders.from(letter.headers()).toBuilder()
                .put(HeaderName.REASON, "malformed")
                .put(HeaderName.STAGE, stage)
                .build();
        write(List.of(
                new ProducerRecord<>(letter.topic(), null, letter.key(), letter.value(), KafkaHeaders.to(headers))));
    }

    private void write(List<ProducerRecord<byte[], byte[]>> records) {
        Map<String, Object> settings = ClientSettings.producer(config.kafka());
        // A partition that was made a moment ago may refuse the first batch and take the second; the first is then out
        // of order for ever.
        settings.put("max.in.flight.requests.per.connection", 1);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings)) {
            List<Future<RecordMetadata>> sent =
                    records.stream().map(producer::send).toList();
            for (Future<RecordMetadata> each : sent) {
                each.get();
            }
        } catch (ExecutionException | InterruptedException failed) {
            throw new AssertionError(failed);
        }
    }

    private ProducerRecord<byte[], byte[]> record(
            String x, String rowId, @Nullable String key, int offset, String payload, String value) {
        Headers headers = Headers.builder()
                .put(HeaderName.CE_ID, rowId)
                .put(HeaderName.CE_TYPE, "sales.order-placed")
                .put(HeaderName.CE_SOURCE, config.ceSource())
                .putIfPresent(HeaderName.CE_PARTITIONKEY, key)
                .put(HeaderName.CONTENT_TYPE, "application/json")
                .add("colour", Bytes.utf8("blue"))
                .put(HeaderName.KIND, "dead")
                .put(HeaderName.SEQ, "1:" + offset)
                .put(HeaderName.PLACE, "1:" + offset)
                .put(HeaderName.ATTEMPT, 2)
                .put(HeaderName.REASON, "no-route")
                .put(HeaderName.ERROR_MESSAGE, "no route takes it")
                .put(HeaderName.ERROR_STACK, "at somewhere")
                .put(HeaderName.FIRST_FAILED_AT, 1_700_000_000_000L)
                .put(HeaderName.PAYLOAD, payload)
                .build();
        return new ProducerRecord<>(
                config.topicNames().deadLetters(x),
                null,
                Bytes.utf8(rowId).array(),
                Bytes.utf8(value).array(),
                KafkaHeaders.to(headers));
    }
}
