package io.tailrace.proof.count;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.record.Kind;
import io.tailrace.proof.count.Tally.Of;
import io.tailrace.proof.load.RowId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A plain consumer that reads what is committed in the raw topics, from their beginning, once. Not thread-safe. */
public final class Witness implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(100);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Tally tally;

    /** A reader that tells a tally. */
    public Witness(String bootstrapServers, List<String> topics, Tally tally) {
        this.tally = tally;
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed",
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "10000"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        List<TopicPartition> partitions = topics.stream()
                .flatMap(topic -> consumer.partitionsFor(topic).stream())
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /** Reads until a row has come; false when so much time has passed without any. */
    public boolean readUntil(RowId row, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        String wanted = row.uuid().toString();
        boolean found = false;
        while (!found && System.nanoTime() - deadline < 0) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                deadline = System.nanoTime() + patience.toNanos();
                found |= tell(record).equals(wanted);
            }
        }
        return found;
    }

    /** Reads what is there now and was not read yet. */
    public void readToEnd() {
        Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            consumer.poll(POLL).forEach(this::tell);
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("the ends of the topics are not reached: " + ends);
            }
        }
    }

    @Override
    public void close() {
        consumer.close();
    }

    private String tell(ConsumerRecord<byte[], byte[]> record) {
        String id = header(record, HeaderName.CE_ID).orElse("(without an id)");
        boolean control = header(record, HeaderName.KIND)
                .filter(Kind.CONTROL.text()::equals)
                .isPresent();
        String key = record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
        tally.read(
                id,
                control ? Of.CANCELLATION : Of.ROW,
                record.topic() + " " + key,
                record.topic() + "-" + record.partition() + "@" + record.offset());
        return id;
    }

    private static Optional<String> header(ConsumerRecord<byte[], byte[]> record, HeaderName name) {
        Header header = record.headers().lastHeader(name.key());
        return header == null || header.value() == null
                ? Optional.empty()
                : Optional.of(new String(header.value(), StandardCharsets.UTF_8));
    }
}
