package io.tailrace.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.router.lane.LaneLimits;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import io.tailrace.testkit.guarantees.History;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Rows that are given up without a failure of their own, on a real broker. */
@RealParts
class DeadLettersOnABrokerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir(cleanup = CleanupMode.ALWAYS)
    Path state;

    @Test
    void aLaneThatIsTooLongAndABugAtATimerCostOneRowEachAndTheirKeysGoOn(Stack stack) {
        String ns = stack.namespace();
        BuggyClock clock = new BuggyClock();
        RetryPolicy slow = new RetryPolicy(PATIENCE.multipliedBy(2), PATIENCE.multipliedBy(2), 2);
        OutboxRouter router = new OutboxRouter(
                RouterChild.config(ns, stack.bootstrapServers(), state, slow, true),
                new SimpleMeterRegistry(),
                clock,
                new LaneLimits(4, 1 << 20, 10));
        router.start();
        try (router;
                RawTopics raw = new RawTopics(stack.bootstrapServers(), ns)) {
            await().atMost(PATIENCE).until(() -> router.health().isReady());
            List<History.Row> rows = new ArrayList<>();
            raw.commit(() -> writeBehind(raw, "blamed", "long", 6, rows));
            assertParked(awaitCount(stack, 1, ns + ".events.dlq").get(0), "blamed", "lane-overflow", "lane");
            awaitCount(stack, 6, ns + ".events.sales");

            router.reload(RouterChild.config(ns, stack.bootstrapServers(), state, RouterChild.RETRY, true)
                    .router());
            clock.bug = new IllegalStateException("a bug");
            raw.commit(() -> writeBehind(raw, "unlucky", "timed", 2, rows));
            ConsumerRecord<byte[], byte[]> parked = awaitCount(stack, 2, ns + ".events.dlq").stream()
                    .filter(record -> id(record).equals("unlucky"))
                    .findFirst()
                    .orElseThrow();
            assertParked(parked, "unlucky", "timer-error", "timer");
            assertThat(TopicReader.header(parked, "tailrace-error-message")).contains("a bug");
            List<ConsumerRecord<byte[], byte[]>> routed = awaitCount(stack, rows.size(), ns + ".events.sales");
            History.of(rows).compare(routed, DeadLettersOnABrokerTest::id).assertClean();
            assertThat(router.health().isReady()).isTrue();
        }
    }

    /** Rows of one key behind one without a route. */
    private static void writeBehind(RawTopics raw, String head, String key, int count, List<History.Row> rows) {
        raw.event(head, "stock.counted", key);
        for (int i = 0; i < count; i++) {
            raw.event(key + i, "sales.order-placed", key);
            rows.add(new History.Row(key + i, key));
        }
    }

    private static void assertParked(ConsumerRecord<byte[], byte[]> letter, String row, String reason, String stage) {
        assertThat(TopicReader.headers(letter))
                .containsEntry("ce_id", row)
                .containsEntry("tailrace-reason", reason)
                .containsEntry("tailrace-stage", stage)
                .containsEntry("tailrace-attempt", "1");
        assertThat(TopicReader.text(letter.key())).isEqualTo(row);
        assertThat(TopicReader.text(letter.value())).isEqualTo("{\"id\":\"" + row + "\"}");
    }

    /** Throws once, at the first event that is tried again by a timer. */
    private static final class BuggyClock extends Clock {

        private volatile @Nullable RuntimeException bug;

        @Override
        public Instant instant() {
            RuntimeException thrown = bug;
            if (thrown != null && isAskedByATimer()) {
                bug = null;
                throw thrown;
            }
            return Instant.now();
        }

        private static boolean isAskedByATimer() {
            return StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getClassName().endsWith(".EventFlow")
                                    && frame.getMethodName().equals("attempt")));
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    /** Destinations are made when the first row asks for them. */
    private static List<ConsumerRecord<byte[], byte[]>> awaitCount(Stack stack, int count, String topic) {
        await().atMost(PATIENCE).until(() -> stack.topics().contains(topic));
        return stack.reader().awaitCount(count, PATIENCE, topic);
    }

    private static String id(ConsumerRecord<byte[], byte[]> record) {
        return String.valueOf(TopicReader.header(record, "ce_id"));
    }
}
