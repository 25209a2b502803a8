package io.tailrace.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TopicsConfig;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.Topics;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;

@RealParts
class TopicKeeperTest {

    private static final TopicsConfig CONFIG = new TopicsConfig(3, 1, 1, true, 1_048_576, Duration.ofDays(14));

    @Test
    void missingTopicsAreMadeAsSpecifiedEvenByManyAtOnce(Stack stack) throws Exception {
        TopicCatalog catalog = catalog(stack);
        List<TopicSpec> specs = catalog.all(List.of("billing"));
        ExecutorService parts = Executors.newFixedThreadPool(3);
        try (Admin admin = stack.admin()) {
            List<Future<?>> ensured = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                ensured.add(parts.submit(() -> keeper(admin, stack, true).ensure(specs)));
            }
            for (Future<?> one : ensured) {
                one.get();
            }
            // Whoever looks again finds nothing to do and nothing to complain of.
            keeper(admin, stack, false).ensure(specs);
        } finally {
            parts.shutdownNow();
        }
        assertThat(stack.topics())
                .containsExactlyInAnyOrderElementsOf(
                        specs.stream().map(TopicSpec::name).toList());
    }

    @Test
    void withoutAutoCreateEachMissingTopicIsNamedWithItsCommand(Stack stack) {
        TopicCatalog catalog = catalog(stack);
        try (Admin admin = stack.admin()) {
            assertThatThrownBy(() -> keeper(admin, stack, false).ensure(catalog.engine()))
                    .isInstanceOf(StartRefused.class)
                    .hasMessageContaining("topic " + catalog.rawEvents().name() + " is missing")
                    .hasMessageContaining(catalog.rawEvents().createdBy(stack.bootstrapServers()))
                    .hasMessageContaining("topic " + catalog.positions().name() + " is missing");
        }
        assertThat(stack.topics()).isEmpty();
    }

    @Test
    void aTopicOfAnotherShapeIsRefusedWithWhatMendsIt(Stack stack) {
        TopicCatalog catalog = catalog(stack);
        stack.createTopic("raw.events", 5, Map.of("retention.ms", "3600000", "cleanup.policy", "compact"));
        try (Admin admin = stack.admin()) {
            assertThatThrownBy(() -> keeper(admin, stack, true).ensure(catalog.engine()))
                    .isInstanceOf(StartRefused.class)
                    .hasMessageContaining("partitions must be 3, is 5")
                    .hasMessageContaining("cleanup.policy must be delete, is compact")
                    .hasMessageContaining("retention.ms must be 1209600000 or more, is 3600000")
                    .hasMessageContaining("--add-config retention.ms=1209600000");
        }
    }

    private static TopicCatalog catalog(Stack stack) {
        return new TopicCatalog(new Topics(new Namespace(stack.namespace())), CONFIG);
    }

    private static TopicKeeper keeper(Admin admin, Stack stack, boolean autoCreate) {
        return new TopicKeeper(admin, stack.bootstrapServers(), autoCreate);
    }
}
