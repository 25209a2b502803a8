package io.tailrace.router.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import io.tailrace.broker.Ask;
import io.tailrace.broker.ClientSettings;
import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.junit.jupiter.api.Test;

/** A static member outlives the thread it belonged to, until it is taken out of the group. */
@RealParts
class MembershipTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void theMemberOfADeadThreadLeavesTheGroupAndNoOther(Stack stack) {
        RoutesConfig noRoutes = new RoutesConfig(RoutesConfig.Default.NONE, List.of());
        TailraceConfig config = Configs.of(
                stack.namespace(), stack.bootstrapServers(), 3, noRoutes, RetryPolicy.EVENTS, Path.of("unused"));
        String topic = stack.createTopic("any", 2);
        try (Admin admin = stack.admin()) {
            join(config, topic);
            Membership membership = new Membership(admin, config);
            membership.askCoordinator();
            assertThat(members(admin, config)).containsExactly(Membership.instance(config) + "-1");
            assertThatCode(() -> membership.leave(stack.namespace() + ".router-some-id-StreamThread-2"))
                    .as("it has gone already")
                    .doesNotThrowAnyException();
            assertThat(members(admin, config)).hasSize(1);
            membership.leave(stack.namespace() + ".router-some-id-StreamThread-1");
            assertThat(members(admin, config)).isEmpty();
        }
    }

    /** As the first thread of the router, which then dies. */
    private static void join(TailraceConfig config, String topic) {
        Map<String, Object> settings = ClientSettings.consumer(config.kafka());
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, config.namespace().routerApplicationId());
        settings.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, Membership.instance(config) + "-1");
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        try (KafkaConsumer<byte[], byte[]> member = new KafkaConsumer<>(settings)) {
            member.subscribe(List.of(topic));
            await().atMost(PATIENCE).until(() -> {
                member.poll(Duration.ofMillis(100));
                return !member.groupMetadata().memberId().isEmpty();
            });
        }
    }

    private static List<String> members(Admin admin, TailraceConfig config) {
        String group = config.namespace().routerApplicationId();
        return Ask.await(admin.describeConsumerGroups(List.of(group)).all()).values().stream()
                .flatMap(described -> described.members().stream())
                .map(member -> member.groupInstanceId().orElse(""))
                .toList();
    }
}
