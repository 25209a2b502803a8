package io.tailrace.engine;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.engine.publish.PositionTopic;
import io.tailrace.engine.publish.RawProducer;
import io.tailrace.engine.source.Preflight;
import io.tailrace.engine.source.Preflight.Problem;
import io.tailrace.engine.source.Source;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a standby does instead of a start: the steps of it that only look, and none that touches slot, transactional id or topics. So a
 * standby that could not take over says so while there is time, and one that can has loaded and compiled most of what a takeover runs.
 * Used by the supervisor alone. Each runs on a thread of its own: brokers that do not answer hold it up for a minute and a half, and
 * the lease may become free meanwhile. Then it runs on beside the takeover, and touches nothing of it.
 */
final class Rehearsal {

    private static final Logger LOG = LoggerFactory.getLogger(Rehearsal.class);

    /** After one that failed. */
    private static final Duration PAUSE = Duration.ofSeconds(30);

    private static final int MAX_OBSTACLE_BYTES = 400;

    private final TailraceConfig config;
    private final Source source;
    private final Preflight preflight;

    private volatile boolean passed;
    private volatile long next = System.nanoTime();
    private @Nullable CompletableFuture<String> underWay;

    Rehearsal(TailraceConfig config, Source source, Preflight preflight) {
        this.config = Objects.requireNonNull(config);
        this.source = Objects.requireNonNull(source);
        this.preflight = Objects.requireNonNull(preflight);
    }

    /**
     * Begins one if none has passed yet and the last one is long enough ago.
     *
     * @return of one that has ended since the last call, what would stand in the way of a takeover, an empty text when nothing would;
     *     else nothing
     */
    Optional<String> look() {
        CompletableFuture<String> last = underWay;
        if (last != null && last.isDone()) {
            underWay = null;
            return Optional.of(last.join());
        }
        if (last == null && !passed && System.nanoTime() - next >= 0) {
            underWay = CompletableFuture.supplyAsync(this::run, task -> {
                Thread thread = new Thread(task, "tailrace-rehearsal-" + config.slot());
                thread.setDaemon(true);
                thread.start();
            });
        }
        return Optional.empty();
    }

    private String run() {
        long began = System.nanoTime();
        try {
            String problems = preflight.problems(source.facts()).stream()
                    .map(Problem::text)
                    .collect(Collectors.joining("; "));
            if (problems.isEmpty()) {
                EngineRun.ensureTopics(config, false);
                PositionTopic positions =
                        new PositionTopic(config.kafka(), config.topicNames().positions(), config.slot());
                var unused = positions.last();
                // It is not begun, so it fences nobody.
                new RawProducer(
                                config.kafka(),
                                config.namespace().engineTransactionalId(config.slot()),
                                config.topics().maxMessageBytes(),
                                positions)
                        .close();
                passed = true;
                LOG.info(
                        "Ready to take over: slot={} tookMs={}",
                        config.slot(),
                        Duration.ofNanos(System.nanoTime() - began).toMillis());
                return "";
            }
            return obstacle(problems);
        } catch (SQLException e) {
            return obstacle("the database: " + e.getMessage());
        } catch (StartRefused | KafkaException e) {
            return obstacle(e.toString());
        }
    }

    private String obstacle(String text) {
        next = System.nanoTime() + PAUSE.toNanos();
        return ErrorTrail.bounded(text, MAX_OBSTACLE_BYTES);
    }
}
