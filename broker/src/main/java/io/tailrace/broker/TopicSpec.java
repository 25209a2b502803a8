package io.tailrace.broker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.TopicConfig;

/**
 * One topic as it must be. Partitions and cleanup policy must be exactly so; of replication, in-sync replicas, retention and message
 * size there may be more.
 *
 * @param name of the topic
 * @param partitions exactly so many
 * @param replication at least so many replicas
 * @param minInsyncReplicas at least so many
 * @param cleanup exactly this policy
 * @param retentionMs of a {@link Cleanup#DELETE} topic, at least so many milliseconds; {@link #FOREVER} keeps all
 * @param maxMessageBytes largest batch that the topic takes, at least so many bytes
 */
public record TopicSpec(
        String name,
        int partitions,
        int replication,
        int minInsyncReplicas,
        Cleanup cleanup,
        long retentionMs,
        int maxMessageBytes) {

    /** Kafka's word for "no limit". */
    public static final long FOREVER = -1;

    /** What the broker does with old records. */
    public enum Cleanup {
        /** Deletes them when they are older than the retention. */
        DELETE("delete"),
        /** Keeps the last one of each key. */
        COMPACT("compact");

        private final String policy;

        Cleanup(String policy) {
            this.policy = policy;
        }

        /** The value of {@code cleanup.policy}. */
        public String policy() {
            return policy;
        }
    }

    /** A topic as it is: its configuration holds at least what {@link #settings()} names. */
    record Found(int partitions, int replication, Map<String, String> settings) {}

    /** One thing that is not as it must be; {@code mendedBy} is a command, or the advice when no command can do it. */
    record Mismatch(String topic, String setting, String wanted, String found, String mendedBy) {

        String message() {
            return "topic %s: %s must be %s, is %s. %s".formatted(topic, setting, wanted, found, mendedBy);
        }
    }

    public TopicSpec {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(cleanup, "cleanup");
    }

    NewTopic toCreate() {
        return new NewTopic(name, partitions, (short) replication).configs(settings());
    }

    /** The settings that are written down on the topic itself, so that no default of the cluster can shorten its memory. */
    Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>();
        settings.put(TopicConfig.CLEANUP_POLICY_CONFIG, cleanup.policy());
        settings.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(maxMessageBytes));
        settings.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, Integer.toString(minInsyncReplicas));
        settings.put(TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG, "false");
        if (cleanup == Cleanup.DELETE) {
            settings.put(TopicConfig.RETENTION_MS_CONFIG, Long.toString(retentionMs));
            settings.put(TopicConfig.RETENTION_BYTES_CONFIG, Long.toString(FOREVER));
        }
        return settings;
    }

    /** The command that makes this topic. */
    public String createdBy(String bootstrapServers) {
        StringBuilder command = new StringBuilder(
                "kafka-topics.sh --bootstrap-server %s --create --topic %s --partitions %d --replication-factor %d"
                        .formatted(bootstrapServers, name, partitions, replication));
        settings()
                .forEach((setting, value) ->
                        command.append(" --config ").append(setting).append('=').append(value));
        return command.toString();
    }

    /** What is not as it must be, in the order in which one would mend it. */
    List<Mismatch> compare(Found found, String bootstrapServers) {
        List<Mismatch> mismatches = new ArrayList<>();
        if (found.partitions() != partitions) {
            mismatches.add(new Mismatch(
                    name,
                    "partitions",
                    Integer.toString(partitions),
                    Integer.toString(found.partitions()),
                    "The count is chosen once, because another one moves keys to other partitions and breaks their order:"
                            + " set topics.partitions back to the count of the topics that hold data, or delete this"
                            + " topic if it holds none: kafka-topics.sh --bootstrap-server %s --delete --topic %s"
                                    .formatted(bootstrapServers, name)));
        }
        if (found.replication() < replication) {
            mismatches.add(new Mismatch(
                    name,
                    "replication",
                    replication + " or more",
                    Integer.toString(found.replication()),
                    "Raise it with kafka-reassign-partitions.sh --bootstrap-server %s, or lower topics.replication"
                            .formatted(bootstrapServers)));
        }
        settings().forEach((setting, wanted) -> {
            String value = found.settings().getOrDefault(setting, "");
            if (!suffices(setting, wanted, value)) {
                mismatches.add(new Mismatch(
                        name,
                        setting,
                        wanted + (isLeast(setting) ? " or more" : ""),
                        value,
                        "Mend it with: kafka-configs.sh --bootstrap-server %s --alter --entity-type topics --entity-name %s --add-config %s=%s"
                                .formatted(bootstrapServers, name, setting, wanted)));
            }
        });
        return mismatches;
    }

    private static boolean suffices(String setting, String wanted, String found) {
        if (!isLeast(setting)) {
            return wanted.equals(found);
        }
        long least = Long.parseLong(wanted);
        long value;
        try {
            value = Long.parseLong(found);
        } catch (NumberFormatException notANumber) {
            return false;
        }
        boolean unlimited = isRetention(setting) && value == FOREVER;
        return unlimited || (!(isRetention(setting) && least == FOREVER) && value >= least);
    }

    private static boolean isLeast(String setting) {
        return isRetention(setting)
                || setting.equals(TopicConfig.MAX_MESSAGE_BYTES_CONFIG)
                || setting.equals(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
    }

    private static boolean isRetention(String setting) {
        return setting.equals(TopicConfig.RETENTION_MS_CONFIG) || setting.equals(TopicConfig.RETENTION_BYTES_CONFIG);
    }
}
