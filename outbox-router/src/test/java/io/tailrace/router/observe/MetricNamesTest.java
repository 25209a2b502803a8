package io.tailrace.router.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Reason;
import io.tailrace.testkit.GuideMetrics;
import io.tailrace.testkit.MutableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The router's metrics and the table in the operations guide, name by name. */
class MetricNamesTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final MutableClock clock = MutableClock.at(Instant.parse("2026-01-01T00:00:00Z"));

    @Test
    void theGuideNamesExactlyTheMetricsThatThereAre() throws Exception {
        var router = new RouterMetrics(registry, clock);
        var letters = new LiveLetters(registry, clock, "events");
        var pending = new PendingRows(registry, clock, Map.of("shop/shop", "shop"));
        assertThat(new Object[] {router, letters, pending}).doesNotContainNull();
        router.topicsDown(Map.of("shop.events.dlq", "missing"));
        Set<String> there = GuideMetrics.of(registry);
        GuideMetrics guide = GuideMetrics.named("tailrace_(?:router|dead|pending|oldest)_[a-z_]+");

        assertThat(guide.inTables()).as("the table").isEqualTo(there);
        assertThat(guide.everywhere()).as("everywhere").isEqualTo(there);
        assertThat(GuideMetrics.meters(registry))
                .allSatisfy(
                        id -> assertThat(id.getDescription()).as(id.getName()).isNotBlank());
    }

    @Test
    void theLiveSetIsCountedByReasonAndTheOldestIsKnown() {
        LiveLetters letters = new LiveLetters(registry, clock, "events");
        assertThat(gauge("tailrace.dead.letters", "reason", "no-route")).isNaN();
        letters.known();
        assertThat(gauge("tailrace.dead.letters", "reason", "no-route")).isZero();
        assertThat(gauge("tailrace.oldest.dead.letter.age", "x", "events")).isZero();

        letters.parked(Bytes.utf8("a"), Reason.NO_ROUTE, clock.millis());
        clock.advance(Duration.ofSeconds(10));
        letters.parked(Bytes.utf8("b"), Reason.NO_ROUTE, clock.millis());
        clock.advance(Duration.ofSeconds(10));
        assertThat(gauge("tailrace.dead.letters", "reason", "no-route")).isEqualTo(2);
        assertThat(gauge("tailrace.oldest.dead.letter.age", "x", "events")).isEqualTo(20);

        // It died again, of something else.
        letters.parked(Bytes.utf8("a"), Reason.TOO_LARGE, clock.millis());
        assertThat(gauge("tailrace.dead.letters", "reason", "no-route")).isEqualTo(1);
        assertThat(gauge("tailrace.dead.letters", "reason", "too-large")).isEqualTo(1);
        assertThat(gauge("tailrace.oldest.dead.letter.age", "x", "events")).isEqualTo(10);

        letters.released(Bytes.utf8("a"));
        letters.released(Bytes.utf8("a"));
        letters.released(Bytes.utf8("b"));
        assertThat(gauge("tailrace.dead.letters", "reason", "too-large")).isZero();
        assertThat(gauge("tailrace.oldest.dead.letter.age", "x", "events")).isZero();
    }

    @Test
    void whatWaitsGrowsOlderAlsoWhileNobodyCanLook() {
        PendingRows pending = new PendingRows(registry, clock, Map.of("shop/shop", "shop", "shop/books", "books"));
        assertThat(gauge("tailrace.pending.rows", "source", "shop")).isNaN();
        pending.saw(Map.of("shop/shop", new PendingRows.Backlog(3, clock.millis())));
        clock.advance(Duration.ofSeconds(5));
        assertThat(gauge("tailrace.pending.rows", "source", "shop")).isEqualTo(3);
        assertThat(gauge("tailrace.oldest.pending.age", "source", "shop")).isEqualTo(5);
        assertThat(gauge("tailrace.oldest.pending.age", "source", "books")).isZero();

        pending.sawNothing();
        clock.advance(Duration.ofSeconds(60));
        assertThat(gauge("tailrace.oldest.pending.age", "source", "shop")).isEqualTo(65);
        assertThat(gauge("tailrace.oldest.pending.age", "source", "books")).isNaN();

        pending.saw(Map.of());
        assertThat(gauge("tailrace.oldest.pending.age", "source", "shop")).isZero();
        assertThat(gauge("tailrace.pending.rows", "source", "shop")).isZero();
    }

    private double gauge(String name, String tag, String value) {
        return registry.get(name).tag(tag, value).gauge().value();
    }
}
