package io.tailrace.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tailrace.contract.Health;
import io.tailrace.embedded.EmbeddedBroker;
import io.tailrace.testkit.TopicReader;
import io.tailrace.testkit.guarantees.History;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Two brokers: one has the rows, the other the coordinators of groups and transactions, and goes away. */
class CoordinatorLostTest {

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private static final String NS = "coordinated";

    @TempDir(cleanup = CleanupMode.ALWAYS)
    Path state;

    @Test
    void whileTheCoordinatorsAreAwayNothingIsUsedAndAllGoesOnWhenTheyAreBack() throws Exception {
        List<History.Row> rows = new ArrayList<>();
        try (EmbeddedBroker ofRows = EmbeddedBroker.builder().start()) {
            String servers = ofRows.bootstrapServers();
            // What is made now is on the first broker.
            createDestination(servers);
            try (OutboxRouter router = RouterChild.router(NS, servers, state)) {
                router.start();
                awaitReady(router);
                write(servers, rows);
                awaitDelivered(servers, rows);
            }
            try (EmbeddedBroker ofCoordinators =
                    EmbeddedBroker.builder().joining(ofRows).start()) {
                moveCoordinators(servers);
                try (OutboxRouter router = RouterChild.router(NS, servers, state)) {
                    router.start();
                    awaitReady(router);
                    write(servers, rows);
                    awaitDelivered(servers, rows);

                    ofCoordinators.stop();
                    write(servers, rows);
                    await().atMost(PATIENCE)
                            .until(() ->
                                    router.health().detail().contains("the coordinator of group " + NS + ".router"));
                    assertThat(router.health().state()).isEqualTo(Health.State.WAITING);
                    await().pollDelay(RouterChild.RETRY.cap()).atMost(PATIENCE).until(() -> true);
                    ofCoordinators.start();

                    write(servers, rows);
                    awaitDelivered(servers, rows);
                    awaitReady(router);
                    TopicReader reader = TopicReader.on(servers);
                    assertThat(reader.read(NS + ".events.dlq", NS + ".events.retry"))
                            .isEmpty();
                }
            }
        }
    }

    private static void write(String servers, List<History.Row> rows) {
        try (RawTopics raw = RawTopics.plain(servers, NS)) {
            for (int i = 0; i < 100; i++) {
                String id = "e" + rows.size();
                raw.event(id, "sales.order-placed", "k" + i % 10);
                rows.add(new History.Row(id, "k" + i % 10));
            }
        }
    }

    private static void createDestination(String servers) throws Exception {
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers))) {
            admin.createTopics(List.of(new NewTopic(NS + ".events.sales", 3, (short) 1)))
                    .all()
                    .get();
            await().atMost(PATIENCE)
                    .until(() -> admin.listTopics().names().get().contains(NS + ".events.sales"));
        }
    }

    private static void awaitDelivered(String servers, List<History.Row> rows) {
        String topic = NS + ".events.sales";
        TopicReader reader = TopicReader.on(servers);
        History.of(rows)
                .compare(
                        reader.awaitCount(rows.size(), PATIENCE, topic),
                        record -> String.valueOf(TopicReader.header(record, "ce_id")))
                .assertClean();
    }

    private static void moveCoordinators(String servers) throws Exception {
        List<String> topics = List.of("__consumer_offsets", "__transaction_state");
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers))) {
            Map<TopicPartition, Optional<NewPartitionReassignment>> moves = new HashMap<>();
            for (TopicPartition each : partitions(admin, topics, 0)) {
                moves.put(each, Optional.of(new NewPartitionReassignment(List.of(2))));
            }
            admin.alterPartitionReassignments(moves).all().get();
            await().atMost(PATIENCE)
                    .until(() -> partitions(admin, topics, 2).size() == moves.size()
                            && admin.listPartitionReassignments()
                                    .reassignments()
                                    .get()
                                    .isEmpty());
        }
    }

    /** Those that a broker leads; 0 stands for all. */
    private static List<TopicPartition> partitions(Admin admin, List<String> topics, int leader) throws Exception {
        List<TopicPartition> found = new ArrayList<>();
        admin.describeTopics(topics).allTopicNames().get().forEach((topic, description) -> {
            for (TopicPartitionInfo each : description.partitions()) {
                if (leader == 0 || (each.leader() != null && each.leader().id() == leader)) {
                    found.add(new TopicPartition(topic, each.partition()));
                }
            }
        });
        return found;
    }

    private static void awaitReady(OutboxRouter router) {
        await().atMost(PATIENCE).until(() -> router.health().isReady());
    }
}
