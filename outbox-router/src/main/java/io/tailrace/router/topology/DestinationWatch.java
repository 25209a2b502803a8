package io.tailrace.router.topology;

import io.tailrace.broker.Ask;
import io.tailrace.broker.TopicKeeper;
import io.tailrace.broker.TopicSpec;
import io.tailrace.contract.StartRefused;
import io.tailrace.router.decide.Destination;
import io.tailrace.router.decide.Destination.State;
import io.tailrace.router.decide.Destinations;
import io.tailrace.router.observe.RouterMetrics;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the topics that events go to, on a thread of its own, so that a stream thread asks memory and never the network. A
 * topic is looked at when it is first asked for and from then on every second: what was deleted or forbidden under way is known
 * before many rows are sent into the void. Answers from any thread.
 */
public final class DestinationWatch implements Destinations, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DestinationWatch.class);

    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    /** For one answer; a broker that takes longer is as good as away. */
    private static final int PATIENCE_MILLIS = 5_000;

    private final Admin admin;
    private final Optional<Function<String, TopicSpec>> maker;
    private final TopicKeeper keeper;
    private final RouterMetrics metrics;
    private final Map<String, Destination> known = new ConcurrentHashMap<>();
    /** Permits are questions that wait; one look answers all of them. */
    private final Semaphore questions = new Semaphore(0);

    private final Thread thread = new Thread(this::run, "tailrace-router-destinations");
    private volatile boolean closed;
    /** Why the last look saw nothing; empty when it did. */
    private volatile String unreachable = "";

    /**
     * Starts to watch.
     *
     * @param admin the caller's, to be closed after this
     * @param keeper makes topics, if there is a maker
     * @param maker how a missing topic is to be made; empty if it is not
     */
    public DestinationWatch(
            Admin admin, TopicKeeper keeper, Optional<Function<String, TopicSpec>> maker, RouterMetrics metrics) {
        this.admin = admin;
        this.keeper = keeper;
        this.maker = maker;
        this.metrics = metrics;
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public Destination of(String topic) {
        Destination seen = known.get(topic);
        if (seen != null) {
            return seen;
        }
        known.putIfAbsent(topic, Destination.UNKNOWN);
        questions.release();
        return Destination.UNKNOWN;
    }

    /** What rows wait for, in one line that names the culprits; empty when nothing holds them up. */
    public Optional<String> trouble() {
        String outage = unreachable;
        if (!outage.isEmpty()) {
            return Optional.of("Kafka does not answer: " + outage);
        }
        String down = known.entrySet().stream()
                .filter(each -> isDown(each.getValue()))
                .map(each -> "%s is %s: %s"
                        .formatted(
                                each.getKey(),
                                each.getValue().state(),
                                each.getValue().detail()))
                .sorted()
                .collect(Collectors.joining("; "));
        return down.isEmpty() ? Optional.empty() : Optional.of("rows wait for destinations, others flow: " + down);
    }

    /** Those that are down and still wanted are asked for again; nobody is held up by the others any more. */
    public void forgetThoseDown() {
        known.values().removeIf(DestinationWatch::isDown);
    }

    @Override
    public void close() {
        closed = true;
        questions.release();
        thread.interrupt();
    }

    private void run() {
        while (!closed) {
            try {
                questions.tryAcquire(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
                questions.drainPermits();
                look(known.keySet());
                unreachable = "";
            } catch (InterruptedException stopping) {
                return;
            } catch (KafkaException outage) {
                // What was seen last stands: an outage of the broker is nobody's destination being down.
                if (unreachable.isEmpty() && !closed) {
                    LOG.warn("Kafka does not answer, what was last seen of the destinations stands", outage);
                }
                unreachable = String.valueOf(outage.getMessage());
            }
        }
    }

    private void look(Set<String> topics) {
        if (topics.isEmpty()) {
            metrics.destinationsDown(0);
            Ask.await(admin.describeCluster(new DescribeClusterOptions().timeoutMs(PATIENCE_MILLIS))
                    .clusterId());
            return;
        }
        DescribeTopicsOptions whole =
                new DescribeTopicsOptions().includeAuthorizedOperations(true).timeoutMs(PATIENCE_MILLIS);
        Map<String, KafkaFuture<TopicDescription>> described =
                admin.describeTopics(List.copyOf(topics), whole).topicNameValues();
        Map<ConfigResource, KafkaFuture<Config>> configured = admin.describeConfigs(
                        resources(topics), new DescribeConfigsOptions().timeoutMs(PATIENCE_MILLIS))
                .values();
        described.forEach((topic, description) -> {
            KafkaFuture<Config> config = configured.get(resource(topic));
            if (config != null) {
                saw(topic, judge(topic, description, config));
            }
        });
        metrics.destinationsDown(
                (int) known.values().stream().filter(DestinationWatch::isDown).count());
    }

    private Destination judge(
            String topic, KafkaFuture<TopicDescription> description, KafkaFuture<Config> configuration) {
        try {
            return judge(Ask.await(description), Ask.await(configuration));
        } catch (UnknownTopicOrPartitionException missing) {
            return maker.map(make -> make(topic, make))
                    .orElseGet(() -> Destination.down(
                            State.MISSING, "topic is missing and topics.auto-create is off: create it"));
        } catch (AuthorizationException | InvalidTopicException refused) {
            return Destination.down(State.FORBIDDEN, String.valueOf(refused.getMessage()));
        }
    }

    private static Destination judge(TopicDescription description, Config config) {
        Set<AclOperation> allowed = description.authorizedOperations();
        if (allowed != null && !allowed.contains(AclOperation.WRITE)) {
            return Destination.down(State.FORBIDDEN, "this user may not write it: grant WRITE on the topic");
        }
        int least = number(config, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, 1);
        for (TopicPartitionInfo partition : description.partitions()) {
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

    private Destination make(String topic, Function<String, TopicSpec> how) {
        try {
            keeper.ensure(List.of(how.apply(topic)));
            // The next look sees it whole; so does the question that it answers.
            questions.release();
            return Destination.UNKNOWN;
        } catch (StartRefused refused) {
            return Destination.down(State.MISSING, String.valueOf(refused.getMessage()));
        } catch (InvalidTopicException refused) {
            // Kafka takes a.b and a_b for one name in its metrics, and has one of them only.
            return Destination.down(State.FORBIDDEN, String.valueOf(refused.getMessage()));
        } catch (AuthorizationException forbidden) {
            return Destination.down(State.MISSING, "topic is missing and this user may not create it");
        }
    }

    /** Says so once when a destination goes down, and once when it is back. */
    private void saw(String topic, Destination seen) {
        // Not put: one that was forgotten under way stays so.
        Destination before = known.replace(topic, seen);
        boolean wasDown = before != null && isDown(before);
        if (isDown(seen) && !wasDown) {
            LOG.warn(
                    "Destination down: topic={} state={}; its rows wait without using an attempt, others flow: {}",
                    topic,
                    seen.state(),
                    seen.detail());
        }
        if (wasDown && !isDown(seen)) {
            LOG.info("Destination back: topic={}; its rows go on when their wait is over", topic);
        }
    }

    private static boolean isDown(Destination destination) {
        return destination.state() != State.WRITABLE && destination.state() != State.UNKNOWN;
    }

    private static int number(Config config, String name, int otherwise) {
        var entry = config.get(name);
        return entry == null || entry.value() == null ? otherwise : Integer.parseInt(entry.value());
    }

    private static Collection<ConfigResource> resources(Set<String> topics) {
        return topics.stream().map(DestinationWatch::resource).toList();
    }

    private static ConfigResource resource(String topic) {
        return new ConfigResource(ConfigResource.Type.TOPIC, topic);
    }
}
