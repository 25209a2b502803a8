package io.tailrace.router.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.KafkaHeaders;
import io.tailrace.broker.TopicCatalog;
import io.tailrace.broker.TopicKeeper;
import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.router.observe.LiveLetters;
import io.tailrace.router.observe.PendingRows;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the metrics tell of topics, on a real broker. */
@RealParts
class TopicMetricsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private TailraceConfig config;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private Admin admin;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private KafkaProducer<byte[], byte[]> producer;

    @BeforeEach
    void topics(Stack stack) {
        RoutesConfig routes = new RoutesConfig(RoutesConfig.Default.CONTEXT, List.of());
        config = Configs.of(
                stack.namespace(), stack.bootstrapServers(), 2, routes, RetryPolicy.EVENTS, Path.of("unused"));
        admin = stack.admin();
        producer = new KafkaProducer<>(ClientSettings.producer(config.kafka()));
        new TopicKeeper(admin, config.kafka().bootstrapServers(), true)
                .ensure(new TopicCatalog(config.topicNames(), config.topics()).all(List.of()));
    }

    @AfterEach
    void close() {
        producer.close();
        admin.close();
    }

    @Test
    void deadLettersAreCountedWhoeverWritesThemOrTakesThemAway() {
        letter("a", "no-route");
        letter("b", "no-route");
        letter("c", "too-large");
        LiveLetters letters = new LiveLetters(registry, Clock.systemUTC(), Topics.EVENTS);
        String topic = config.topicNames().deadLetters(Topics.EVENTS);
        DeadLetterCensus census = new DeadLetterCensus(config.kafka(), Map.of(topic, letters));
        try (census) {
            await().atMost(PATIENCE).until(() -> dead("no-route") == 2 && dead("too-large") == 1);
            letter("a", null);
            letter("b", "timer-error");
            await().atMost(PATIENCE).until(() -> dead("no-route") == 0 && dead("timer-error") == 1);
        }
    }

    @Test
    void rowsBehindTheCommittedOffsetsArePendingForTheirSource() throws Exception {
        Topics topics = config.topicNames();
        passed(0);
        PendingRows pending =
                new PendingRows(registry, Clock.systemUTC(), Map.of("shop/shop", "shop", "shop/books", "books"));
        PendingWatch watch = new PendingWatch(
                admin,
                config.kafka(),
                config.namespace().routerApplicationId(),
                Set.of(topics.rawEvents(), topics.rawCommands()),
                pending,
                Duration.ofMillis(200));
        try (watch) {
            await().atMost(PATIENCE).until(() -> rows("shop") == 0);
            assertThat(age("shop")).isZero();
            byte[] key = Bytes.utf8("k").array();
            Instant committed = Instant.now().minusSeconds(100);
            for (int n = 0; n < 2_500; n++) {
                Headers row = Rig.raw("e" + n, "sales.order", "k", Kind.EVENT)
                        .with(HeaderName.CE_TIME, committed.plusMillis(n).toString());
                producer.send(new ProducerRecord<>(topics.rawEvents(), 0, key, new byte[1], KafkaHeaders.to(row)));
            }
            producer.flush();
            // An estimate: it reads the first thousand.
            await().atMost(PATIENCE).until(() -> Math.abs(rows("shop") - 2_500) < 5);
            assertThat(age("shop")).isBetween(100.0, 200.0);
            assertThat(rows("books")).isZero();

            passed(2_498);
            await().atMost(PATIENCE).until(() -> rows("shop") == 2);
            passed(2_500);
            await().atMost(PATIENCE).until(() -> rows("shop") == 0);
            assertThat(age("shop")).isZero();
        }
    }

    private double dead(String reason) {
        return gauge("tailrace.dead.letters", "reason", reason);
    }

    private double rows(String source) {
        return gauge("tailrace.pending.rows", "source", source);
    }

    private double age(String source) {
        return gauge("tailrace.oldest.pending.age", "source", source);
    }

    private double gauge(String name, String tag, String value) {
        return registry.get(name).tag(tag, value).gauge().value();
    }

    private void letter(String id, @Nullable String reason) {
        Headers headers =
                Headers.builder().putIfPresent(HeaderName.REASON, reason).build();
        producer.send(new ProducerRecord<>(
                config.topicNames().deadLetters(Topics.EVENTS),
                null,
                Bytes.utf8(id).array(),
                reason == null ? null : new byte[0],
                KafkaHeaders.to(headers)));
        producer.flush();
    }

    private void passed(long offset) throws Exception {
        TopicPartition partition = new TopicPartition(config.topicNames().rawEvents(), 0);
        admin.alterConsumerGroupOffsets(
                        config.namespace().routerApplicationId(), Map.of(partition, new OffsetAndMetadata(offset)))
                .all()
                .get();
    }
}
