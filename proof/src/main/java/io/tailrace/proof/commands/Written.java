package io.tailrace.proof.commands;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Place;
import io.tailrace.proof.ProofStuck;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * What is committed in Kafka in the end.
 *
 * @param places of commands, by their ids: where they stand among those that became due
 * @param deaths of how many deaths of a command, by its id, there was ever a dead letter. One that is written again, because whoever
 *     told of the death could not know that it was heard, takes the place of the first and is the same
 * @param letters ids of the commands that have a dead letter now
 */
record Written(Map<String, Place> places, Map<String, Integer> deaths, Set<String> letters) {

    private static final Duration POLL = Duration.ofMillis(100);

    static Written read(KafkaConfig kafka, Topics topics, Duration patience) {
        Map<String, Place> places = new HashMap<>();
        Map<String, Set<Long>> turns = new HashMap<>();
        Set<String> letters = new HashSet<>();
        String deadLetters = topics.deadLetters(Topics.COMMANDS);
        forEach(kafka, List.of(topics.commands(), deadLetters), patience, record -> {
            Headers headers = KafkaHeaders.from(record.headers());
            if (!record.topic().equals(deadLetters)) {
                headers.text(HeaderName.CE_ID).ifPresent(id -> places.putIfAbsent(id, new Place(0, record.offset())));
                return;
            }
            String id = Bytes.of(record.key()).utf8();
            if (record.value() == null) {
                letters.remove(id);
            } else {
                letters.add(id);
                turns.computeIfAbsent(id, each -> new HashSet<>())
                        .add(headers.number(HeaderName.TURN).orElse(-1));
            }
        });
        Map<String, Integer> deaths = new HashMap<>();
        turns.forEach((id, each) -> deaths.put(id, each.size()));
        return new Written(places, deaths, letters);
    }

    private static void forEach(
            KafkaConfig kafka, List<String> topics, Duration patience, Consumer<ConsumerRecord<byte[], byte[]>> taker) {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(ClientSettings.consumer(kafka))) {
            List<TopicPartition> partitions = topics.stream()
                    .flatMap(topic -> consumer.partitionsFor(topic).stream())
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long deadline = System.nanoTime() + patience.toNanos();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                if (System.nanoTime() - deadline > 0) {
                    throw new ProofStuck("the ends of the topics are not reached: " + ends);
                }
                consumer.poll(POLL).forEach(taker);
            }
        }
    }
}
