package io.tailrace.proof.router;

import io.tailrace.broker.ClientSettings;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.proof.ProofStuck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** A plain reader of what is committed in some topics, from their beginning, on a thread of its own. Thread-safe. */
final class Watch implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(50);
    private static final int JOIN_SECONDS = 30;

    private final Map<String, Object> settings;
    private final List<String> topics;
    private final Sightings sightings;
    /** Counted down when everything that was there when it was put here has been read. */
    private final AtomicReference<@Nullable CountDownLatch> toTheEnd = new AtomicReference<>();

    private final Thread thread = new Thread(this::run, "proof-watch");
    private volatile boolean ending;

    /** Begins to read. */
    Watch(KafkaConfig kafka, List<String> topics, Sightings sightings) {
        this.settings = ClientSettings.consumer(kafka);
        settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 10_000);
        this.topics = topics;
        this.sightings = sightings;
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns when all that is committed now has been read. */
    void readToEnd(Duration patience) {
        CountDownLatch read = new CountDownLatch(1);
        toTheEnd.set(read);
        try {
            if (!read.await(patience.toSeconds(), TimeUnit.SECONDS)) {
                throw new ProofStuck(
                        "the ends of %s are not reached within %d s".formatted(topics, patience.toSeconds()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProofStuck("interrupted while reading " + topics, e);
        }
    }

    @Override
    public void close() {
        ending = true;
        try {
            thread.join(TimeUnit.SECONDS.toMillis(JOIN_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            List<TopicPartition> partitions = topics.stream()
                    .flatMap(topic -> consumer.partitionsFor(topic).stream())
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (!ending) {
                CountDownLatch asked = toTheEnd.getAndSet(null);
                if (asked == null) {
                    poll(consumer);
                } else {
                    readToEnd(consumer);
                    asked.countDown();
                }
            }
        } catch (RuntimeException e) {
            sightings.fail(e);
        }
    }

    /** The end that a reader of committed records is told is the last stable one. */
    private void readToEnd(KafkaConsumer<byte[], byte[]> consumer) {
        Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
        while (!ending && ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            poll(consumer);
        }
    }

    private void poll(KafkaConsumer<byte[], byte[]> consumer) {
        List<Sighting> fresh = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> each : consumer.poll(POLL)) {
            fresh.add(Sighting.of(each, System.nanoTime()));
        }
        if (!fresh.isEmpty()) {
            sightings.add(fresh);
        }
    }
}
