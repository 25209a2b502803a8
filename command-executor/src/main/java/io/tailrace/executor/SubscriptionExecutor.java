package io.tailrace.executor;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.broker.Ask;
import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.GroupBeginning;
import io.tailrace.contract.Health;
import io.tailrace.contract.Health.State;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.DeadLetterPolicy;
import io.tailrace.contract.config.ExecutorConfig;
import io.tailrace.contract.config.SubscribedTopics;
import io.tailrace.contract.config.SubscriptionConfig;
import io.tailrace.contract.config.SubscriptionConfig.From;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.executor.claim.DeliveryTable;
import io.tailrace.executor.claim.HoldTable;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.hold.Holds;
import io.tailrace.executor.intake.Feed;
import io.tailrace.executor.intake.Intake;
import io.tailrace.executor.intake.KeyQueues;
import io.tailrace.executor.metric.ExecutorMetrics;
import io.tailrace.executor.run.Around;
import io.tailrace.executor.run.EventHandling;
import io.tailrace.executor.run.HandlerRun;
import io.tailrace.executor.run.RawEvents;
import io.tailrace.executor.run.RowRunner;
import io.tailrace.executor.run.RowSecrets;
import io.tailrace.executor.run.RunGuard;
import io.tailrace.executor.run.SourceGate;
import io.tailrace.executor.run.Stamper;
import io.tailrace.executor.settle.Announcer;
import io.tailrace.executor.settle.AnswerWriter;
import io.tailrace.executor.settle.Replies;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the events of one source for one subscription: workers, connections and a consumer group of its own, so that it holds up neither
 * commands nor the other subscriptions. Thread-safe; single use.
 */
final class SubscriptionExecutor implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionExecutor.class);

    /** How long a routed topic may be there before it is read. */
    private static final Duration LOOK_EVERY = Duration.ofSeconds(3);

    private static final Duration BEFORE_NEXT_TRY = Duration.ofSeconds(1);

    private final TailraceConfig config;
    private final SubscriptionConfig subscription;
    private final Handlers handlers;
    private final Clock clock;
    private final ExecutorMetrics metrics;
    private final KeyQueues queues;
    private final RunGuard guard = new RunGuard();
    private final CountDownLatch stopping = new CountDownLatch(1);

    /** Closed in reverse. Guarded by this, as are those below. */
    private final OpenParts opened = new OpenParts();

    private @Nullable SourceGate gate;
    private @Nullable AnswerWriter writer;
    private @Nullable Intake intake;
    private Health own = new Health(State.STARTING, "");
    private volatile long stopAt;

    /** What is read now; its own topic among it. */
    private volatile List<String> topics = List.of();

    /** Opens nothing yet. */
    SubscriptionExecutor(
            TailraceConfig config,
            SubscriptionConfig subscription,
            Handlers handlers,
            MeterRegistry registry,
            Clock clock) {
        this.config = config.with(asExecutor(config.executor(), subscription));
        this.subscription = subscription;
        this.handlers = handlers;
        this.clock = clock;
        this.metrics =
                new ExecutorMetrics(registry, config.source().name(), subscription.name(), subscription.workers());
        this.queues = new KeyQueues(subscription.workers());
    }

    private static ExecutorConfig asExecutor(ExecutorConfig common, SubscriptionConfig subscription) {
        return new ExecutorConfig(
                        subscription.workers(),
                        subscription.retry(),
                        Map.of(),
                        common.handlerTimeout(),
                        subscription.missing().onMissingHandler(),
                        common.stopTimeout(),
                        subscription.missing().switchedOff())
                .with(DeadLetterPolicy.of(subscription.onDeadLetter()));
    }

    /** @throws StartRefused when the database cannot be worked on as it is */
    synchronized void open() {
        Duration limit = Pool.transactionLimit(config.executor());
        DeliveryTable table =
                new DeliveryTable(subscription.name(), config.source().tables(), limit);
        HikariDataSource connections = opened.add(Pool.open(config, limit));
        Announcer announcer = opened.add(new Announcer(connections, table));
        Duration session = Intake.session(config);
        AnswerWriter answers =
                opened.add(new AnswerWriter(config, config.topicNames().retry(subscription.name()), metrics, session));
        opened.add(guard);
        opened.add(queues);
        SourceGate source = opened.add(new SourceGate(config.source().name(), connections, table, queues, metrics));
        EventHandling events = new EventHandling(
                subscription.name(),
                handlers.events(),
                new RawEvents(config.kafka(), config.topicNames().rawEvents()));
        Stamper stamper = new Stamper(
                table, new Replies(answers, announcer, metrics, session), events, metrics, config.executor()::haltsKey);
        HandlerRun run = new HandlerRun(
                guard,
                config.source(),
                config.outbox().mode(),
                config.executor().handlerTimeout(),
                Around.events(subscription.name(), handlers),
                metrics::ran);
        Holds holds = opened.add(new Holds(
                connections,
                new HoldTable(config.source().tables(), subscription.name()),
                events::knows,
                config.executor(),
                metrics,
                "Events of " + subscription.name()));
        RowRunner.Rules rules = new RowRunner.Rules(
                config.executor(),
                RowSecrets.ofEvents(config),
                clock,
                () -> ThreadLocalRandom.current().nextDouble(),
                holds);
        RowRunner runner = new RowRunner(Pool.connections(connections), table, source, stamper, run, events, rules);
        metrics.running(queues::running);
        metrics.outlasting(guard::outlasting);
        gate = source;
        writer = answers;
        source.open();
        holds.open();
        queues.start(runner);
    }

    /** Begins to look for the topics of its events, and to read them. */
    void join() {
        Thread follower = new Thread(this::followTopics, "tailrace-subscription-" + subscription.name());
        follower.setDaemon(true);
        follower.start();
    }

    synchronized Health health() {
        SourceGate source = gate;
        Intake reader = intake;
        if (own.state() != State.READY || source == null || reader == null) {
            return named(own);
        }
        return named(OpenParts.health(source, reader, guard));
    }

    private Health named(Health health) {
        return health.isReady()
                ? health
                : new Health(health.state(), "subscription %s: %s".formatted(subscription.name(), health.detail()));
    }

    /** Nothing begins any more; what runs may end by the stop timeout. Returns at once. */
    void stop() {
        synchronized (this) {
            if (stopping.getCount() == 0) {
                return;
            }
            stopping.countDown();
            stopAt = System.nanoTime() + config.executor().stopTimeout().toNanos();
        }
        queues.stop();
    }

    @Override
    public void close() {
        stop();
        Duration left = Duration.ofNanos(Math.max(0, stopAt - System.nanoTime()));
        OpenParts.drain(queues, guard, left, subscription.name());
        AnswerWriter answers;
        synchronized (this) {
            answers = writer;
            own = new Health(State.STOPPED, "");
        }
        if (answers != null) {
            // Before the intake leaves: what is acknowledged now still passes with its last commit.
            answers.close();
        }
        synchronized (this) {
            opened.close();
        }
    }

    /** Routed topics come when their first event does. */
    private void followTopics() {
        SubscribedTopics wanted = SubscribedTopics.of(
                subscription.events(), config.router().routes(), config.topicNames(), config.subscriptionNames());
        try (Admin admin = Admin.create(ClientSettings.admin(config.kafka()))) {
            Duration wait = Duration.ZERO;
            while (!stopping.await(wait.toMillis(), TimeUnit.MILLISECONDS)) {
                wait = look(admin, wanted) ? LOOK_EVERY : BEFORE_NEXT_TRY;
            }
        } catch (StartRefused refused) {
            LOG.error("Subscription {} does not go on: {}", subscription.name(), refused.getMessage());
            become(State.FAILED, String.valueOf(refused.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException bug) {
            LOG.error("Bug in subscription {}, new topics are not seen any more", subscription.name(), bug);
            become(State.FAILED, bug.toString());
        }
    }

    private boolean look(Admin admin, SubscribedTopics wanted) {
        try {
            List<String> routed = Ask.await(admin.listTopics().names()).stream()
                    .filter(wanted::has)
                    .sorted()
                    .toList();
            List<String> all = new ArrayList<>(routed);
            all.add(config.topicNames().redelivery(subscription.name()));
            if (!all.equals(topics)) {
                begin(admin, routed);
                LOG.info("Subscription {} reads {}", subscription.name(), all);
                topics = List.copyOf(all);
                read();
            }
            return true;
        } catch (KafkaException later) {
            LOG.debug("Topics of {} are looked at later", subscription.name(), later);
            if (topics.isEmpty()) {
                become(State.WAITING, "Kafka does not answer: " + later.getMessage());
            }
            return false;
        }
    }

    private void begin(Admin admin, List<String> routed) {
        Feed feed = feed();
        String operations = config.topicNames().operations();
        Intake reader;
        synchronized (this) {
            reader = intake;
        }
        GroupBeginning beginning = reader == null
                ? new GroupBeginning(admin, config.kafka(), operations, feed.group())
                : new GroupBeginning(admin, config.kafka(), operations, feed.group(), reader::commitFirst);
        String redelivery = config.topicNames().redelivery(subscription.name());
        // Its own topic comes last: as long as that is not begun, the others are those of a subscription that has never
        // run.
        boolean atTheEnd = subscription.from() == From.LATEST && !beginning.hasBegun(redelivery);
        beginning.ensure(routed, atTheEnd);
        beginning.ensure(List.of(redelivery));
    }

    private Feed feed() {
        return Feed.ofSubscription(config, subscription, () -> topics);
    }

    private synchronized void read() {
        if (intake == null && stopping.getCount() > 0) {
            Intake reader = opened.add(new Intake(config, feed(), queues, metrics));
            reader.start();
            intake = reader;
            own = new Health(State.READY, "");
        }
    }

    private synchronized void become(State state, String detail) {
        if (own.state() != State.STOPPED) {
            own = new Health(state, detail);
        }
    }
}
