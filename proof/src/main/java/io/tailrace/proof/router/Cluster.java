package io.tailrace.proof.router;

import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.TopicCatalog;
import io.tailrace.broker.TopicKeeper;
import io.tailrace.broker.TopicSpec;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.proof.ProofStuck;
import io.tailrace.proof.child.RouterSite;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/** What the proof does to the broker and asks of it. Not thread-safe. */
final class Cluster implements AutoCloseable {

    private static final int SMALL_BYTES = 2_500;
    private static final Duration LOOK = Duration.ofMillis(20);
    private static final Duration STANDS_STILL = Duration.ofMillis(80);
    private static final Duration CLOSE = Duration.ofSeconds(1);

    private final Admin admin;
    private final TailraceConfig config;
    private final TopicCatalog catalog;

    Cluster(TailraceConfig config) {
        this.config = config;
        this.catalog = new TopicCatalog(config.topicNames(), config.topics());
        this.admin = Admin.create(ClientSettings.admin(config.kafka()));
    }

    /** All that the router reads and writes; one destination takes small records only. */
    void createTopics() {
        List<TopicSpec> all = new ArrayList<>(catalog.router(List.of()));
        for (String segment : List.of(RouterSite.SHOP, RouterSite.SMALL, RouterSite.OLD, RouterSite.AWAY)) {
            all.add(catalog.destination(RouterSite.topic(segment)));
        }
        create(all);
        set(RouterSite.topic(RouterSite.SMALL), SMALL_BYTES);
    }

    /** That destination takes large ones too. */
    void mend() {
        set(RouterSite.topic(RouterSite.SMALL), config.topics().maxMessageBytes());
    }

    void deleteAway() {
        await(admin.deleteTopics(List.of(RouterSite.topic(RouterSite.AWAY))).all());
    }

    void createAway() {
        create(List.of(catalog.destination(RouterSite.topic(RouterSite.AWAY))));
    }

    /** How many partitions of the router's topics an instance has. */
    int owned(String instance) {
        String group = config.namespace().routerApplicationId();
        return await(admin.describeConsumerGroups(List.of(group)).all()).values().stream()
                .flatMap(description -> description.members().stream())
                .filter(member -> member.groupInstanceId()
                        .filter(id -> id.startsWith(group + "." + instance + "-"))
                        .isPresent())
                .mapToInt(member -> member.assignment().topicPartitions().size())
                .sum();
    }

    /** Returns when an instance has some partitions, or others have none. */
    void awaitOwned(String instance, String nobody, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (owned(instance) == 0 || (!nobody.isEmpty() && owned(nobody) > 0)) {
            if (System.nanoTime() - deadline > 0) {
                throw new ProofStuck(
                        "partitions have not gone to router %s within %d s".formatted(instance, patience.toSeconds()));
            }
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }

    /** Whether records stand at a destination that are not committed and do not become so: whoever sent them stands still. */
    boolean isTransactionOpen() {
        Map<TopicPartition, Long> committed = ends(IsolationLevel.READ_COMMITTED);
        List<TopicPartition> open = open(committed);
        if (open.isEmpty()) {
            return false;
        }
        LockSupport.parkNanos(STANDS_STILL.toNanos());
        Map<TopicPartition, Long> later = ends(IsolationLevel.READ_COMMITTED);
        return open(later).stream().anyMatch(each -> open.contains(each) && end(later, each) == end(committed, each));
    }

    @Override
    public void close() {
        admin.close(CLOSE);
    }

    private List<TopicPartition> open(Map<TopicPartition, Long> committed) {
        Map<TopicPartition, Long> written = ends(IsolationLevel.READ_UNCOMMITTED);
        return written.keySet().stream()
                .filter(each -> end(written, each) > end(committed, each))
                .toList();
    }

    private static long end(Map<TopicPartition, Long> ends, TopicPartition partition) {
        return ends.getOrDefault(partition, 0L);
    }

    private Map<TopicPartition, Long> ends(IsolationLevel isolation) {
        Map<TopicPartition, OffsetSpec> latest = IntStream.range(
                        0, config.topics().partitions())
                .mapToObj(partition -> new TopicPartition(RouterSite.topic(RouterSite.SHOP), partition))
                .collect(Collectors.toMap(Function.identity(), partition -> OffsetSpec.latest()));
        Map<TopicPartition, Long> ends = new HashMap<>();
        await(admin.listOffsets(latest, new ListOffsetsOptions(isolation)).all())
                .forEach((partition, end) -> ends.put(partition, end.offset()));
        return ends;
    }

    private void create(List<TopicSpec> specs) {
        new TopicKeeper(admin, config.kafka().bootstrapServers(), true).ensure(specs);
    }

    private void set(String topic, int maxMessageBytes) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        ConfigEntry entry = new ConfigEntry(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(maxMessageBytes));
        await(admin.incrementalAlterConfigs(
                        Map.of(resource, List.of(new AlterConfigOp(entry, AlterConfigOp.OpType.SET))))
                .all());
    }

    private static <T> T await(KafkaFuture<T> answer) {
        try {
            return answer.get(1, TimeUnit.MINUTES);
        } catch (ExecutionException | java.util.concurrent.TimeoutException failed) {
            throw new ProofStuck("the broker does not answer", failed);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProofStuck("interrupted while asking the broker", e);
        }
    }
}
