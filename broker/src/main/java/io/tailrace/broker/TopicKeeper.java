package io.tailrace.broker;

import io.tailrace.contract.StartRefused;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the topics that are missing and verifies the rest: a part that starts on a topic of another shape would lose rows later,
 * without a word. Stateless; every part may call it at the same time for the same topics.
 */
public final class TopicKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(TopicKeeper.class);

    /** How long a topic that was just made may stay unknown to the broker that is asked. */
    private static final Duration PROPAGATION = Duration.ofSeconds(30);

    private static final Duration PROPAGATION_PAUSE = Duration.ofMillis(50);

    private final Admin admin;
    private final String bootstrapServers;
    private final boolean autoCreate;

    /**
     * Works with an admin client of the caller's, which stays the caller's to close.
     *
     * @param bootstrapServers for the commands in messages
     * @param autoCreate whether missing topics are made; otherwise they are a refusal
     */
    public TopicKeeper(Admin admin, String bootstrapServers, boolean autoCreate) {
        this.admin = Objects.requireNonNull(admin);
        this.bootstrapServers = Objects.requireNonNull(bootstrapServers);
        this.autoCreate = autoCreate;
    }

    /**
     * Returns when every topic is there and as it must be.
     *
     * @throws StartRefused naming every topic that is missing or different, with the command that mends it
     * @throws KafkaException when the cluster cannot be asked; trying again later may help
     */
    public void ensure(Collection<TopicSpec> specs) {
        ensure(specs, List.of());
    }

    /**
     * Returns when every topic is there, and it and those that others make are as they must be.
     *
     * @param madeByOthers looked at if they are there
     * @throws StartRefused naming every topic that is missing or different, with the command that mends it
     * @throws KafkaException when the cluster cannot be asked; trying again later may help
     */
    public void ensure(Collection<TopicSpec> specs, Collection<TopicSpec> madeByOthers) {
        List<TopicSpec> all = new ArrayList<>(specs);
        all.addAll(madeByOthers);
        Map<String, TopicSpec.Found> found = find(all);
        List<TopicSpec> missing =
                specs.stream().filter(spec -> !found.containsKey(spec.name())).toList();
        if (!missing.isEmpty() && !autoCreate) {
            throw new StartRefused(missing.stream()
                    .map(spec -> "topic %s is missing and topics.auto-create is off. Make it with: %s"
                            .formatted(spec.name(), spec.createdBy(bootstrapServers)))
                    .toList());
        }
        if (!missing.isEmpty()) {
            create(missing);
            found.putAll(awaitKnown(missing));
        }
        List<String> mismatches = all.stream()
                .flatMap(spec -> Optional.ofNullable(found.get(spec.name())).stream()
                        .flatMap(there -> spec.compare(there, bootstrapServers).stream()))
                .map(TopicSpec.Mismatch::message)
                .toList();
        if (!mismatches.isEmpty()) {
            throw new StartRefused(mismatches);
        }
    }

    /** The ids that the cluster gave to topics, by name: one that was deleted and made again has another. What is missing has none. */
    public Map<String, String> ids(Collection<String> names) {
        Map<String, String> ids = new HashMap<>();
        admin.describeTopics(names).topicNameValues().forEach((name, answer) -> {
            try {
                ids.put(name, Ask.await(answer).topicId().toString());
            } catch (UnknownTopicOrPartitionException missing) {
                LOG.debug("Topic {} is missing", name, missing);
            }
        });
        return ids;
    }

    private void create(List<TopicSpec> missing) {
        Map<String, KafkaFuture<Void>> results = admin.createTopics(
                        missing.stream().map(TopicSpec::toCreate).toList())
                .values();
        List<String> refused = new ArrayList<>();
        for (TopicSpec spec : missing) {
            try {
                Ask.await(Objects.requireNonNull(results.get(spec.name())));
                LOG.info(
                        "Topic made: topic={} partitions={} replication={}",
                        spec.name(),
                        spec.partitions(),
                        spec.replication());
            } catch (TopicExistsException another) {
                // Another part made it between our look and our attempt; it is verified like any other.
                LOG.debug("Topic {} was made by another part meanwhile", spec.name(), another);
            } catch (InvalidReplicationFactorException | PolicyViolationException refusal) {
                refused.add("topic %s cannot be made: %s".formatted(spec.name(), refusal.getMessage()));
            }
        }
        if (!refused.isEmpty()) {
            throw new StartRefused(refused);
        }
    }

    private Map<String, TopicSpec.Found> awaitKnown(List<TopicSpec> specs) {
        long deadline = System.nanoTime() + PROPAGATION.toNanos();
        while (true) {
            Map<String, TopicSpec.Found> found = find(specs);
            if (found.size() == specs.size()) {
                return found;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException("topics are still unknown " + PROPAGATION.toSeconds()
                        + " s after they were made: "
                        + specs.stream()
                                .map(TopicSpec::name)
                                .filter(name -> !found.containsKey(name))
                                .collect(Collectors.joining(", ")));
            }
            LockSupport.parkNanos(PROPAGATION_PAUSE.toNanos());
        }
    }

    private Map<String, TopicSpec.Found> find(Collection<TopicSpec> specs) {
        List<String> names = specs.stream().map(TopicSpec::name).toList();
        Map<String, KafkaFuture<TopicDescription>> described =
                admin.describeTopics(names).topicNameValues();
        Map<String, KafkaFuture<Config>> configured = new HashMap<>();
        admin.describeConfigs(names.stream()
                        .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                        .toList())
                .values()
                .forEach((resource, future) -> configured.put(resource.name(), future));
        Map<String, TopicSpec.Found> found = new HashMap<>();
        for (String name : names) {
            try {
                TopicDescription description = Ask.await(Objects.requireNonNull(described.get(name)));
                Config config = Ask.await(Objects.requireNonNull(configured.get(name)));
                found.put(name, found(description, config));
            } catch (UnknownTopicOrPartitionException missing) {
                LOG.debug("Topic {} is missing", name, missing);
            }
        }
        return found;
    }

    private static TopicSpec.Found found(TopicDescription description, Config config) {
        Map<String, String> settings = new HashMap<>();
        for (ConfigEntry entry : config.entries()) {
            if (entry.value() != null) {
                settings.put(entry.name(), entry.value());
            }
        }
        int replication = description.partitions().stream()
                .mapToInt(partition -> partition.replicas().size())
                .min()
                .orElse(0);
        return new TopicSpec.Found(description.partitions().size(), replication, settings);
    }
}
