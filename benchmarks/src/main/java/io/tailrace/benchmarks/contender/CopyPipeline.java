package io.tailrace.benchmarks.contender;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * The limit of a router: one thread that reads the raw topic and writes key, value and headers as they are to another, offsets and rows
 * in one transaction. It decides nothing and remembers nothing.
 */
final class CopyPipeline implements Pipeline {

    private static final long COMMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Servers servers;
    private final Site site;
    private final Thread thread = new Thread(this::run, "limit-copy");
    private volatile boolean stopping;
    private volatile long committed;
    private volatile @Nullable RuntimeException failure;

    CopyPipeline(Servers servers, Site site) {
        this.servers = servers;
        this.site = site;
    }

    @Override
    public void start() {
        thread.start();
    }

    @Override
    public long delivered() {
        RuntimeException failed = failure;
        if (failed != null) {
            throw new IllegalStateException("the copy has ended", failed);
        }
        return committed;
    }

    @Override
    public void close() {
        stopping = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer();
                KafkaProducer<byte[], byte[]> producer =
                        PlainProducer.of(servers, Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, group()))) {
            producer.initTransactions();
            copy(consumer, producer);
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    // One thread writes, so that reading and writing the count need not be one step.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    private void copy(KafkaConsumer<byte[], byte[]> consumer, KafkaProducer<byte[], byte[]> producer) {
        int open = 0;
        long began = 0;
        while (!stopping) {
            for (ConsumerRecord<byte[], byte[]> row : consumer.poll(Duration.ofMillis(10))) {
                if (open++ == 0) {
                    began = System.nanoTime();
                    producer.beginTransaction();
                }
                producer.send(
                        new ProducerRecord<>(site.limitTopic(), null, null, row.key(), row.value(), row.headers()));
            }
            if (open > 0 && System.nanoTime() - began >= COMMIT_NANOS) {
                Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
                consumer.assignment()
                        .forEach(partition ->
                                offsets.put(partition, new OffsetAndMetadata(consumer.position(partition))));
                producer.sendOffsetsToTransaction(offsets, new ConsumerGroupMetadata(group()));
                producer.commitTransaction();
                committed += open;
                open = 0;
            }
        }
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        Map<String, Object> settings = new HashMap<>();
        settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, servers.bootstrapServers());
        settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1_000);
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings);
        List<TopicPartition> partitions = consumer.partitionsFor(site.rawTopic()).stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        return consumer;
    }

    private String group() {
        return site.database() + ".copy";
    }
}
