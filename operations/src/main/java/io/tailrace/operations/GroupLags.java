package io.tailrace.operations;

import io.tailrace.broker.Ask;
import io.tailrace.broker.ClientSettings;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.Status.Lag;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** How far the groups of router and executor are behind the topics they read. */
final class GroupLags {

    private final KafkaConfig kafka;

    /** By reader. */
    private final Map<String, String> groups = new LinkedHashMap<>();

    GroupLags(TailraceConfig config, KafkaConfig kafka) {
        this.kafka = kafka;
        for (SourceConfig source : config.sources()) {
            String reader = config.sources().size() == 1 ? "executor" : "executor of " + source.name();
            groups.put(reader, config.namespace().executorGroup(Topics.COMMANDS, source.name()));
            config.subscriptionNames()
                    .forEach(subscription -> groups.put(
                            "%s of %s".formatted(reader, subscription),
                            config.namespace().executorGroup(subscription, source.name())));
        }
        groups.put("router", config.namespace().routerApplicationId());
    }

    List<Lag> read() {
        List<Lag> lags = new ArrayList<>();
        try (Admin admin = Admin.create(ClientSettings.admin(kafka))) {
            for (Map.Entry<String, String> group : groups.entrySet()) {
                byTopic(admin, group.getValue())
                        .forEach((topic, records) -> lags.add(new Lag(group.getKey(), topic, records)));
            }
        }
        return lags;
    }

    private static Map<String, Long> byTopic(Admin admin, String group) {
        Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
        Ask.await(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
                .forEach((partition, offset) -> {
                    if (offset != null) {
                        committed.put(partition, offset);
                    }
                });
        Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
        committed.keySet().forEach(partition -> wanted.put(partition, OffsetSpec.latest()));
        Map<TopicPartition, ListOffsetsResultInfo> ends =
                Ask.await(admin.listOffsets(wanted).all());
        Map<String, Long> lags = new TreeMap<>();
        committed.forEach((partition, offset) -> {
            ListOffsetsResultInfo end = ends.get(partition);
            long behind = end == null ? 0 : Math.max(0, end.offset() - offset.offset());
            lags.merge(partition.topic(), behind, Long::sum);
        });
        return lags;
    }
}
