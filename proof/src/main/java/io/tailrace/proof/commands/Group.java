package io.tailrace.proof.commands;

import io.tailrace.broker.ClientSettings;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.proof.ProofStuck;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.TopicPartition;

/** What the broker says of the executors. Not thread-safe. */
final class Group implements AutoCloseable {

    private static final Duration CLOSE = Duration.ofSeconds(1);

    private final Admin admin;
    private final TailraceConfig config;
    private final String group;

    Group(TailraceConfig config) {
        this.config = config;
        this.group = config.namespace()
                .executorGroup(Topics.COMMANDS, config.source().name());
        this.admin = Admin.create(ClientSettings.admin(config.kafka()));
    }

    /** How many partitions of what is due belong to another executor than the same ones of what is due again: the same keys. */
    int splits() {
        Map<TopicPartition, String> owners = new HashMap<>();
        try {
            ConsumerGroupDescription described = admin.describeConsumerGroups(List.of(group))
                    .all()
                    .get(1, TimeUnit.MINUTES)
                    .get(group);
            if (described == null) {
                return 0;
            }
            for (MemberDescription member : described.members()) {
                member.assignment().topicPartitions().forEach(partition -> owners.put(partition, member.consumerId()));
            }
        } catch (ExecutionException | TimeoutException failed) {
            throw new ProofStuck("the broker does not answer", failed);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProofStuck("interrupted while asking the broker", e);
        }
        Topics topics = config.topicNames();
        String again = topics.redelivery(Topics.COMMANDS);
        return (int) IntStream.range(0, config.topics().partitions())
                .filter(each -> {
                    String direct = owners.get(new TopicPartition(topics.commands(), each));
                    String second = owners.get(new TopicPartition(again, each));
                    return direct != null && second != null && !direct.equals(second);
                })
                .count();
    }

    @Override
    public void close() {
        admin.close(CLOSE);
    }
}
