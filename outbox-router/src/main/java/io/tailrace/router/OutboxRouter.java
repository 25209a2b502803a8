package io.tailrace.router;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.GroupBeginning;
import io.tailrace.broker.TopicCatalog;
import io.tailrace.broker.TopicKeeper;
import io.tailrace.broker.TopicSpec;
import io.tailrace.contract.Health;
import io.tailrace.contract.Health.State;
import io.tailrace.contract.Part;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.RouterConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.name.Topics;
import io.tailrace.router.deadletter.LetterForm;
import io.tailrace.router.decide.Decider;
import io.tailrace.router.decide.LiveRoutes;
import io.tailrace.router.decide.Routes;
import io.tailrace.router.decode.Door;
import io.tailrace.router.lane.LaneLimits;
import io.tailrace.router.observe.LiveLetters;
import io.tailrace.router.observe.PendingRows;
import io.tailrace.router.observe.RouterMetrics;
import io.tailrace.router.redact.Redaction;
import io.tailrace.router.topology.Assembly;
import io.tailrace.router.topology.DeadLetterCensus;
import io.tailrace.router.topology.DestinationWatch;
import io.tailrace.router.topology.DestinationWatch.Watched;
import io.tailrace.router.topology.IntakeGate;
import io.tailrace.router.topology.Membership;
import io.tailrace.router.topology.PendingWatch;
import io.tailrace.router.topology.RouterTopology;
import io.tailrace.router.topology.RowRules;
import io.tailrace.router.topology.RunningTopology;
import io.tailrace.router.topology.Trimmer;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The router: raw topics in; destinations, due commands, waiting rows and dead letters out; one Kafka Streams topology. Any number of
 * instances share the partitions of a namespace. Thread-safe.
 */
public final class OutboxRouter implements Part {

    private static final Logger LOG = LoggerFactory.getLogger(OutboxRouter.class);

    private static final Duration START_AGAIN_AFTER = Duration.ofSeconds(1);

    private final TailraceConfig config;
    private final Topics topics;
    private final RouterMetrics metrics;
    /** By topic. */
    private final Map<String, LiveLetters> letters = new LinkedHashMap<>();

    private final PendingRows pending;
    private final Clock clock;
    private final LaneLimits limits;
    private final RouterState state = new RouterState();
    private final CountDownLatch closing = new CountDownLatch(1);

    /** How to close what was opened, the last first. Guarded by itself: a close may come while a start is under way. */
    private final Deque<Runnable> opened = new ArrayDeque<>();

    /** Destinations that rows of a running router wait for. */
    private volatile Supplier<Optional<String>> troubles = Optional::empty;

    /** After a change of routes: nobody may ask any more for what is down. */
    private volatile Runnable forgetDestinations = () -> {};

    private volatile @Nullable LiveRoutes live;

    /** Shut while nothing can go on. */
    private final IntakeGate gate;

    /** Makes one; nothing is opened yet. */
    public OutboxRouter(TailraceConfig config, MeterRegistry registry, Clock clock) {
        this(config, registry, clock, LaneLimits.DEFAULT);
    }

    /** @param limits which nobody is asked for: that of a hundred thousand rows is no matter of taste */
    OutboxRouter(TailraceConfig config, MeterRegistry registry, Clock clock, LaneLimits limits) {
        this.limits = limits;
        this.config = config;
        this.topics = config.topicNames();
        this.metrics = new RouterMetrics(registry, clock);
        for (String x : everyX(config)) {
            letters.put(topics.deadLetters(x), new LiveLetters(registry, clock, x));
        }
        Map<String, String> sources = new LinkedHashMap<>();
        config.eachSource()
                .forEach(one -> sources.put(one.ceSource(), one.source().name()));
        this.pending = new PendingRows(registry, clock, sources);
        this.gate = new IntakeGate(metrics);
        this.clock = clock;
    }

    /** Events, commands, and the subscriptions. */
    private static List<String> everyX(TailraceConfig config) {
        return Stream.concat(Stream.of(Topics.EVENTS, Topics.COMMANDS), config.subscriptionNames().stream())
                .toList();
    }

    @Override
    public String name() {
        return "router";
    }

    @Override
    public void start() {
        LiveRoutes routes = new LiveRoutes(compile(config.router()));
        live = routes;
        state.begin();
        Admin admin =
                open(Admin.create(ClientSettings.admin(config.kafka())), each -> each.close(Duration.ofSeconds(1)));
        try {
            startOn(admin, routes);
        } catch (KafkaException outage) {
            LOG.warn("Kafka cannot be reached, the router starts when it can: {}", outage.getMessage());
            state.become(State.STARTING, "Kafka cannot be reached: " + outage.getMessage());
            Thread starter = new Thread(() -> startWhenPossible(admin, routes), "tailrace-router-start");
            starter.setDaemon(true);
            starter.start();
        }
    }

    /**
     * Goes on with other routes: for rows that come, and for rows that wait when their wait is over. What the router has begun it ends by
     * the routes it began with. Before the start it does nothing.
     *
     * @param changed of which only routes and retry policy are taken
     * @throws StartRefused with all problems if they cannot be used; those that there are stay
     */
    public void reload(RouterConfig changed) {
        Routes next = compile(changed);
        LiveRoutes now = live;
        if (now != null) {
            now.become(next);
            forgetDestinations.run();
        }
    }

    private Routes compile(RouterConfig from) {
        List<String> problems = new ArrayList<>();
        Routes routes = Routes.compile(from.routes(), from.retry(), topics, config.subscriptionNames(), problems);
        if (!problems.isEmpty()) {
            throw new StartRefused(problems);
        }
        return routes;
    }

    @Override
    public Health health() {
        Health health = state.health();
        boolean isUnderWay = health.isReady() || health.state() == State.STARTING || health.state() == State.WAITING;
        if (!isUnderWay) {
            return health;
        }
        // What the watch saw names the culprit better than what a thread died of.
        Optional<String> trouble = gate.reason().or(health.state() == State.STARTING ? Optional::empty : troubles);
        return trouble.map(what -> new Health(State.WAITING, what)).orElse(health);
    }

    @Override
    public void close() {
        state.become(State.STOPPED, "");
        closing.countDown();
        while (true) {
            Runnable last;
            synchronized (opened) {
                last = opened.pollLast();
            }
            if (last == null) {
                return;
            }
            // Outside the lock, and each whatever became of the one before: a stream thread that ends reports to us.
            try {
                last.run();
            } catch (KafkaException failed) {
                LOG.warn("Closed with an error", failed);
            }
        }
    }

    private void startOn(Admin admin, LiveRoutes routes) {
        try {
            List<TopicSpec> specs = new TopicCatalog(topics, config.topics()).router(config.subscriptionNames());
            // Changelogs are made by Streams, once: what was raised since does not reach them.
            keeper(admin).ensure(specs, RouterTopology.changelogs(config));
            beginning(admin).run();
            run(admin, routes);
        } catch (StartRefused refused) {
            state.become(State.FAILED, String.valueOf(refused.getMessage()));
            throw refused;
        }
    }

    private void startWhenPossible(Admin admin, LiveRoutes routes) {
        try {
            while (!closing.await(START_AGAIN_AFTER.toMillis(), TimeUnit.MILLISECONDS)) {
                try {
                    startOn(admin, routes);
                    return;
                } catch (KafkaException still) {
                    LOG.debug("Kafka still cannot be reached", still);
                }
            }
        } catch (StartRefused refused) {
            LOG.error("Router does not start: {}", refused.getMessage());
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(Admin admin, LiveRoutes routes) {
        TopicCatalog catalog = new TopicCatalog(topics, config.topics());
        Optional<Function<String, TopicSpec>> maker =
                config.topics().autoCreate() ? Optional.of(catalog::destination) : Optional.empty();
        Watched watched = new Watched(
                catalog.routerWrites(config.subscriptionNames()),
                maker,
                config.kafka().bootstrapServers());
        Membership membership = new Membership(admin, config);
        DestinationWatch destinations = open(
                new DestinationWatch(admin, watched, keeper(admin), membership, gate, metrics),
                DestinationWatch::close);
        troubles = destinations::trouble;
        forgetDestinations = destinations::forgetThoseDown;
        Decider decider = new Decider(routes, destinations);
        // What comes in goes out with more headers than it came with.
        Door door = new Door(config.topics().maxCarriedBytes() - HeaderName.MAX_DELIVERY_BYTES);
        RowRules rules = new RowRules(door, limits, redaction(), letterForm());
        Assembly assembly = new Assembly(topics, config.subscriptionNames(), decider, rules, metrics, clock);
        watch(admin);
        open(new Trimmer(admin, RouterTopology.trimmed(config), Trimmer.KEPT, clock).start(), Trimmer::close);
        open(
                new RunningTopology(assembly, config, gate, membership, wouldStart(admin), state::become),
                RunningTopology::close);
    }

    /** Refuses what a start would: rows that were passed over, and topics that have another shape by now. */
    private Runnable wouldStart(Admin admin) {
        Set<String> sources = Set.of(RouterTopology.sources(topics, config.subscriptionNames()));
        List<TopicSpec> read = new TopicCatalog(topics, config.topics())
                .router(config.subscriptionNames()).stream()
                        .filter(spec -> sources.contains(spec.name()))
                        .toList();
        Runnable beginning = beginning(admin);
        return () -> {
            keeper(admin).ensure(List.of(), read);
            beginning.run();
        };
    }

    /** What the metrics tell of topics. */
    private void watch(Admin admin) {
        open(new DeadLetterCensus(config.kafka(), letters), DeadLetterCensus::close);
        Set<String> raw = Set.of(topics.rawEvents(), topics.rawCommands());
        String group = config.namespace().routerApplicationId();
        open(new PendingWatch(admin, config.kafka(), group, raw, pending), PendingWatch::close);
    }

    private Redaction redaction() {
        return new Redaction(
                config.redact().secrets(),
                topics,
                config.topics().maxCarriedBytes(),
                config.redact().scrubs(),
                config.subscriptions());
    }

    private LetterForm letterForm() {
        return new LetterForm(config.topics().maxCarriedBytes(), config.router().streamsErrorHeaders());
    }

    private Runnable beginning(Admin admin) {
        GroupBeginning beginning = new GroupBeginning(
                admin, config.kafka(), topics.operations(), config.namespace().routerApplicationId());
        return () -> beginning.ensure(List.of(RouterTopology.sources(topics, config.subscriptionNames())));
    }

    private TopicKeeper keeper(Admin admin) {
        return new TopicKeeper(
                admin, config.kafka().bootstrapServers(), config.topics().autoCreate());
    }

    /** Remembers how to close it; if the close has come and gone, closes it here and now. */
    private <T> T open(T resource, Consumer<T> close) {
        synchronized (opened) {
            if (closing.getCount() > 0) {
                opened.addLast(() -> close.accept(resource));
                return resource;
            }
        }
        close.accept(resource);
        throw new KafkaException("the router was closed while it started");
    }
}
