package io.tailrace.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.config.TopicsConfig;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.Topics;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopicSpecTest {

    private static final String SERVERS = "kafka:9092";

    private final TopicCatalog catalog = new TopicCatalog(
            new Topics(new Namespace("shop")), new TopicsConfig(12, 3, 2, true, 1_048_576, Duration.ofDays(14)));

    @Test
    void aTopicAsSpecifiedHasNoMismatch() {
        for (TopicSpec spec : catalog.all(List.of("billing"))) {
            assertThat(spec.compare(asSpecified(spec), SERVERS)).as(spec.name()).isEmpty();
        }
    }

    @Test
    void moreThanAskedForIsFine() {
        TopicSpec spec = catalog.rawEvents();
        Map<String, String> settings = new HashMap<>(spec.settings());
        settings.put("retention.ms", "-1");
        settings.put("max.message.bytes", "99999999");
        settings.put("min.insync.replicas", "3");
        assertThat(spec.compare(new TopicSpec.Found(12, 5, settings), SERVERS)).isEmpty();
    }

    @Test
    void everyDifferenceIsNamedWithWhatMendsIt() {
        TopicSpec spec = catalog.rawEvents();
        Map<String, String> settings = new HashMap<>(spec.settings());
        settings.put("cleanup.policy", "compact");
        settings.put("retention.ms", "86400000");
        settings.put("retention.bytes", "1000");
        settings.put("max.message.bytes", "1000");
        settings.remove("min.insync.replicas");
        List<String> messages = spec.compare(new TopicSpec.Found(6, 1, settings), SERVERS).stream()
                .map(TopicSpec.Mismatch::message)
                .toList();
        assertThat(messages).hasSize(7);
        assertThat(messages.get(0)).startsWith("topic shop.raw.events: partitions must be 12, is 6.");
        assertThat(messages)
                .anySatisfy(message -> assertThat(message)
                        .isEqualTo(
                                "topic shop.raw.events: retention.ms must be 1209600000 or more, is 86400000. Mend it with: "
                                        + "kafka-configs.sh --bootstrap-server kafka:9092 --alter --entity-type topics "
                                        + "--entity-name shop.raw.events --add-config retention.ms=1209600000"));
    }

    @Test
    void aTopicThatMustKeepAllDoesNotTakeALimit() {
        TopicSpec spec = catalog.retry("commands");
        Map<String, String> settings = new HashMap<>(spec.settings());
        settings.put("retention.ms", "999999999999");
        assertThat(spec.compare(new TopicSpec.Found(12, 3, settings), SERVERS))
                .singleElement()
                .satisfies(mismatch -> assertThat(mismatch.setting()).isEqualTo("retention.ms"));
    }

    @Test
    void whatFitsTheRawTopicFitsEveryTopicBehindIt() {
        int raw = catalog.rawEvents().maxMessageBytes();
        assertThat(catalog.router(List.of("billing")))
                .filteredOn(
                        spec -> !spec.name().contains(".raw.") && !spec.name().equals("shop.operations"))
                .allSatisfy(spec -> assertThat(spec.maxMessageBytes()).isGreaterThanOrEqualTo(raw + 64 * 1024));
    }

    @Test
    void aDeadLetterTopicIsCompactedAndCreatedSo() {
        assertThat(catalog.deadLetters("events").createdBy(SERVERS))
                .isEqualTo(
                        "kafka-topics.sh --bootstrap-server kafka:9092 --create --topic shop.events.dlq --partitions 12 "
                                + "--replication-factor 3 --config cleanup.policy=compact --config max.message.bytes=1114112 "
                                + "--config min.insync.replicas=2 --config unclean.leader.election.enable=false");
    }

    private static TopicSpec.Found asSpecified(TopicSpec spec) {
        return new TopicSpec.Found(spec.partitions(), spec.replication(), spec.settings());
    }
}
