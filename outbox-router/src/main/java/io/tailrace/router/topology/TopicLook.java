package io.tailrace.router.topology;

import io.tailrace.broker.Ask;
import io.tailrace.router.decide.Destination;
import io.tailrace.router.decide.Destination.State;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** One look at topics: does each exist, may it be written, can it be, and what does it take. Stateless. */
final class TopicLook {

    /** For one answer; a broker that takes longer is as good as away. */
    private static final int PATIENCE_MILLIS = 5_000;

    private final Admin admin;
    private final String bootstrapServers;

    /** @param bootstrapServers for the commands in details */
    TopicLook(Admin admin, String bootstrapServers) {
        this.admin = admin;
        this.bootstrapServers = bootstrapServers;
    }

    /**
     * Looks. Nothing is said of what is missing but that it is.
     *
     * @throws KafkaException when the cluster does not answer
     */
    Map<String, Destination> at(Set<String> topics) {
        List<String> names = List.copyOf(topics);
        Map<String, KafkaFuture<TopicDescription>> described = admin.describeTopics(
                        names,
                        new DescribeTopicsOptions()
                                .includeAuthorizedOperations(true)
                                .timeoutMs(PATIENCE_MILLIS))
                .topicNameValues();
        Map<ConfigResource, KafkaFuture<Config>> configured = admin.describeConfigs(
                        names.stream().map(TopicLook::resource).toList(),
                        new DescribeConfigsOptions().timeoutMs(PATIENCE_MILLIS))
                .values();
        Map<String, Destination> seen = new HashMap<>();
        for (String name : names) {
            seen.put(
                    name,
                    judge(
                            name,
                            Objects.requireNonNull(described.get(name)),
                            Objects.requireNonNull(configured.get(resource(name)))));
        }
        return seen;
    }

    private Destination judge(String topic, KafkaFuture<TopicDescription> description, KafkaFuture<Config> config) {
        TopicDescription found;
        try {
            found = Ask.await(description);
        } catch (UnknownTopicOrPartitionException missing) {
            return Destination.down(State.MISSING, "topic is missing");
        } catch (InvalidTopicException refused) {
            return Destination.down(State.FORBIDDEN, String.valueOf(refused.getMessage()));
        } catch (AuthorizationException refused) {
            return forbidden(topic, "see", "Describe");
        }
        Set<AclOperation> allowed = found.authorizedOperations();
        if (allowed != null && !allowed.contains(AclOperation.WRITE)) {
            return forbidden(topic, "write", "Write");
        }
        try {
            return judge(found, Ask.await(config));
        } catch (UnknownTopicOrPartitionException gone) {
            return Destination.down(State.MISSING, "topic is missing");
        } catch (AuthorizationException refused) {
            // Without it nobody knows what size the topic takes.
            return forbidden(topic, "read the configuration of", "DescribeConfigs");
        }
    }

    private static Destination judge(TopicDescription description, Config config) {
        int wanted = number(config, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, 1);
        for (TopicPartitionInfo partition : description.partitions()) {
            // As the broker counts: it never waits for more replicas than there are.
            int least = Math.min(wanted, partition.replicas().size());
            if (partition.leader() == null || partition.isr().size() < least) {
                return Destination.down(
                        State.UNAVAILABLE,
                        "partition %d has %d replicas in sync and needs %d with a leader"
                                .formatted(
                                        partition.partition(), partition.isr().size(), least));
            }
        }
        return Destination.writable(number(config, TopicConfig.MAX_MESSAGE_BYTES_CONFIG, 0));
    }

    private Destination forbidden(String topic, String what, String operation) {
        return Destination.down(
                State.FORBIDDEN,
                ("this user may not %s it. Grant it: kafka-acls.sh --bootstrap-server %s --add --allow-principal"
                                + " User:<of the router> --operation %s --topic %s")
                        .formatted(what, bootstrapServers, operation, topic));
    }

    private static int number(Config config, String name, int otherwise) {
        var entry = config.get(name);
        return entry == null || entry.value() == null ? otherwise : Integer.parseInt(entry.value());
    }

    private static ConfigResource resource(String topic) {
        return new ConfigResource(ConfigResource.Type.TOPIC, topic);
    }
}
