package io.tailrace.router.topology;

import io.tailrace.broker.TopicKeeper;
import io.tailrace.broker.TopicSpec;
import io.tailrace.contract.StartRefused;
import io.tailrace.router.decide.Destination;
import io.tailrace.router.decide.Destination.State;
import io.tailrace.router.decide.Destinations;
import io.tailrace.router.decide.FailureClass;
import io.tailrace.router.observe.RouterMetrics;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the topics that the router writes, on a thread of its own, so that a stream thread asks memory and never the network.
 * Destinations are looked at when they are first asked for and from then on every second: what was deleted or forbidden under way is
 * known before many rows are sent into the void, and only its own rows wait. Topics of Tailrace's own are looked at from the start:
 * while one of them cannot be written, or Kafka does not answer, the intake is shut. Answers from any thread.
 */
public final class DestinationWatch implements Destinations, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DestinationWatch.class);

    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    /**
     * What is watched, and how what is missing is made.
     *
     * @param own without which no row can go on; they are not made again: what was in them is gone, and somebody should know
     * @param maker of destinations; empty if they are not made
     * @param bootstrapServers for the commands in messages
     */
    public record Watched(
            Collection<TopicSpec> own, Optional<Function<String, TopicSpec>> maker, String bootstrapServers) {}

    private final TopicLook look;
    private final Map<String, TopicSpec> own;
    private final String bootstrapServers;
    private final Optional<Function<String, TopicSpec>> maker;
    private final TopicKeeper keeper;
    private final Membership membership;
    private final IntakeGate gate;
    private final RouterMetrics metrics;
    /** Destinations that were asked for. */
    private final Map<String, Destination> known = new ConcurrentHashMap<>();
    /** Permits are questions that wait; one look answers all of them. */
    private final Semaphore questions = new Semaphore(0);

    private final Thread thread = new Thread(this::run, "tailrace-router-destinations");
    private volatile boolean closed;

    /**
     * Starts to watch.
     *
     * @param admin the caller's, to be closed after this
     * @param keeper makes topics, if there is a maker
     * @param membership of the group, whose coordinator is asked too
     * @param gate shut while nothing can go on
     */
    public DestinationWatch(
            Admin admin,
            Watched watched,
            TopicKeeper keeper,
            Membership membership,
            IntakeGate gate,
            RouterMetrics metrics) {
        this.look = new TopicLook(admin, watched.bootstrapServers());
        this.own = watched.own().stream().collect(Collectors.toUnmodifiableMap(TopicSpec::name, spec -> spec));
        this.bootstrapServers = watched.bootstrapServers();
        this.maker = watched.maker();
        this.keeper = keeper;
        this.membership = membership;
        this.gate = gate;
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

    /** Destinations that rows wait for, in one line that names the culprits; empty when nothing holds them up. */
    public Optional<String> trouble() {
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
                look();
            } catch (InterruptedException stopping) {
                return;
            } catch (KafkaException outage) {
                // What was seen last stands: an outage of the broker is nobody's destination being down.
                if (!closed) {
                    gate.shut("Kafka does not answer: " + outage.getMessage());
                }
            } catch (RuntimeException bug) {
                // Without this thread the gate would stay as it is for ever.
                LOG.error("Look at topics failed, it is made again", bug);
            }
        }
    }

    private void look() {
        Set<String> topics = new HashSet<>(own.keySet());
        topics.addAll(known.keySet());
        Map<String, Destination> seen = look.at(topics);
        Map<String, String> ownDown = new TreeMap<>();
        Map<String, String> down = new TreeMap<>();
        seen.forEach((topic, state) -> {
            TopicSpec spec = own.get(topic);
            Destination now = spec == null ? madeIfMissing(topic, state) : state;
            if (spec != null && FailureClass.ofOwn(now.state()).isPresent()) {
                ownDown.put(topic, described(topic, now, spec));
            }
            if (spec == null) {
                saw(topic, now);
            }
            if (isDown(now)) {
                down.put(topic, now.state().name().toLowerCase(Locale.ROOT));
            }
        });
        metrics.destinationsDown(down.size() - ownDown.size());
        metrics.topicsDown(down);
        membership.askCoordinator();
        if (ownDown.isEmpty()) {
            gate.open();
        } else {
            gate.shut("a topic of Tailrace's own cannot be written: " + String.join("; ", ownDown.values()));
        }
    }

    private String described(String topic, Destination seen, TopicSpec spec) {
        String mendedBy = seen.state() == State.MISSING ? ". Make it again: " + spec.createdBy(bootstrapServers) : "";
        return "%s is %s: %s%s".formatted(topic, seen.state(), seen.detail(), mendedBy);
    }

    private Destination madeIfMissing(String topic, Destination seen) {
        if (seen.state() != State.MISSING) {
            return seen;
        }
        return maker.map(make -> make(topic, make))
                .orElseGet(() ->
                        Destination.down(State.MISSING, "topic is missing and topics.auto-create is off: create it"));
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
        } catch (KafkaException failed) {
            if (failed instanceof RetriableException) {
                throw failed;
            }
            return Destination.down(State.MISSING, "topic cannot be made: " + failed.getMessage());
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
}
