package io.tailrace.router;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.TopicCatalog;
import io.tailrace.broker.TopicKeeper;
import io.tailrace.broker.TopicSpec;
import io.tailrace.contract.Health;
import io.tailrace.contract.Health.State;
import io.tailrace.contract.Part;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.router.decide.Decider;
import io.tailrace.router.decide.Routes;
import io.tailrace.router.lane.LaneLimits;
import io.tailrace.router.observe.RouterMetrics;
import io.tailrace.router.topology.Assembly;
import io.tailrace.router.topology.Beginning;
import io.tailrace.router.topology.DestinationWatch;
import io.tailrace.router.topology.Outages;
import io.tailrace.router.topology.RouterTopology;
import io.tailrace.router.topology.StreamsSettings;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.streams.KafkaStreams;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The router: raw topics in, destinations, due commands, waiting rows and dead letters out, one Kafka Streams topology. Any number of
 * instances share the partitions of a namespace. Thread-safe.
 */
public final class OutboxRouter implements Part {

    private static final Logger LOG = LoggerFactory.getLogger(OutboxRouter.class);

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(8);

    private static final long RETRY_START_MILLIS = 1_000;

    private final TailraceConfig config;
    private final Topics topics;
    private final RouterMetrics metrics;
    private final Clock clock;

    // All guarded by this, and assigned in the order in which they are made; closed in the reverse.
    private State state = State.NEW;
    private String detail = "";
    private @Nullable Admin admin;
    private @Nullable DestinationWatch destinations;
    private @Nullable Outages outages;
    private @Nullable KafkaStreams streams;
    private @Nullable Thread starter;

    /** Makes one; nothing is opened yet. */
    public OutboxRouter(TailraceConfig config, MeterRegistry registry, Clock clock) {
        this.config = config;
        this.topics = config.topicNames();
        this.metrics = new RouterMetrics(registry);
        this.clock = clock;
    }

    @Override
    public String name() {
        return "router";
    }

    @Override
    public void start() {
        List<String> problems = new ArrayList<>();
        Routes routes = Routes.compile(config.router().routes(), topics, List.of(), problems);
        if (!problems.isEmpty()) {
            throw new StartRefused(problems);
        }
        synchronized (this) {
            if (state != State.NEW) {
                throw new IllegalStateException("a router is started once; it is " + state);
            }
            become(State.STARTING, "");
            admin = Admin.create(ClientSettings.admin(config.kafka()));
        }
        try {
            prepare();
            run(routes);
        } catch (KafkaException outage) {
            LOG.warn("Kafka cannot be reached, the router starts when it can: {}", outage.getMessage());
            become(State.STARTING, "Kafka cannot be reached: " + outage.getMessage());
            keepTrying(routes);
        } catch (StartRefused refused) {
            become(State.FAILED, String.valueOf(refused.getMessage()));
            throw refused;
        }
    }

    @Override
    public synchronized Health health() {
        DestinationWatch watch = destinations;
        if (state == State.READY && watch != null && !watch.down().isEmpty()) {
            String down = watch.down().entrySet().stream()
                    .map(each -> each.getKey() + " is " + each.getValue().state() + ": "
                            + each.getValue().detail())
                    .collect(Collectors.joining("; "));
            return new Health(State.WAITING, "rows wait for destinations, others flow: " + down);
        }
        return new Health(state, detail);
    }

    @Override
    public void close() {
        Thread waiting;
        KafkaStreams running;
        synchronized (this) {
            waiting = starter;
            running = streams;
            if (outages != null) {
                outages.close();
            }
            become(State.STOPPED, "");
        }
        if (waiting != null) {
            waiting.interrupt();
        }
        // Outside the lock: threads that end report their state, and would wait for us.
        if (running != null && !running.close(STOP_TIMEOUT)) {
            LOG.warn(
                    "Router did not stop within {} s; its open transaction ends by its timeout",
                    STOP_TIMEOUT.toSeconds());
        }
        synchronized (this) {
            if (destinations != null) {
                destinations.close();
                destinations = null;
            }
            if (admin != null) {
                admin.close(Duration.ofSeconds(1));
                admin = null;
            }
        }
    }

    /** Topics as they must be, and an offset to go on from in each partition. */
    private void prepare() {
        Admin asked = admin();
        List<TopicSpec> specs = new TopicCatalog(topics, config.topics()).router(List.of());
        new TopicKeeper(
                        asked,
                        config.kafka().bootstrapServers(),
                        config.topics().autoCreate())
                .ensure(specs);
        beginning().ensure(List.of(RouterTopology.sources(topics)));
    }

    private synchronized void run(Routes routes) {
        if (state == State.STOPPED) {
            return;
        }
        TopicCatalog catalog = new TopicCatalog(topics, config.topics());
        Optional<Function<String, TopicSpec>> maker =
                config.topics().autoCreate() ? Optional.of(catalog::destination) : Optional.empty();
        DestinationWatch watch = new DestinationWatch(admin(), config.kafka().bootstrapServers(), maker, metrics);
        destinations = watch;
        Decider decider = new Decider(routes, config.router().retry(), watch);
        Assembly assembly = new Assembly(topics, decider, LaneLimits.DEFAULT, metrics, clock);
        Outages watcher = new Outages(
                () -> beginning().ensure(List.of(RouterTopology.sources(topics))),
                why -> become(State.FAILED, why),
                why -> become(State.WAITING, why));
        outages = watcher;
        KafkaStreams made = new KafkaStreams(RouterTopology.of(assembly), StreamsSettings.of(config));
        streams = made;
        made.setUncaughtExceptionHandler(watcher);
        made.setStateListener((now, before) -> changed(now, watcher));
        made.start();
    }

    private void changed(KafkaStreams.State now, Outages watcher) {
        switch (now) {
            case RUNNING -> {
                watcher.over();
                become(State.READY, "");
            }
            case REBALANCING -> become(State.STARTING, "partitions are being shared out, or stores restored");
            case ERROR -> become(State.FAILED, "");
            default -> {
                // The rest are steps of closing, which is ours to report.
            }
        }
    }

    private void keepTrying(Routes routes) {
        Thread thread = new Thread(
                () -> {
                    while (true) {
                        try {
                            synchronized (this) {
                                wait(RETRY_START_MILLIS);
                            }
                            prepare();
                            run(routes);
                            return;
                        } catch (KafkaException still) {
                            LOG.debug("Kafka still cannot be reached", still);
                        } catch (StartRefused refused) {
                            LOG.error("Router does not start: {}", refused.getMessage());
                            become(State.FAILED, String.valueOf(refused.getMessage()));
                            return;
                        } catch (InterruptedException stopping) {
                            return;
                        }
                    }
                },
                "tailrace-router-start");
        thread.setDaemon(true);
        synchronized (this) {
            starter = thread;
        }
        thread.start();
    }

    private Beginning beginning() {
        return new Beginning(
                admin(), config.kafka(), topics.operations(), config.namespace().routerApplicationId());
    }

    private synchronized Admin admin() {
        Admin opened = admin;
        if (opened == null) {
            throw new KafkaException("the router is closed");
        }
        return opened;
    }

    /** The one place where the state changes. What has ended stays so, and a refusal stays until it is closed. */
    private synchronized void become(State next, String why) {
        boolean hasEnded = state == State.STOPPED || (state == State.FAILED && next != State.STOPPED);
        if (hasEnded || (state == next && detail.equals(why))) {
            return;
        }
        if (state != next) {
            LOG.info("Router is {}{}", next, why.isEmpty() ? "" : ": " + why);
        }
        state = next;
        detail = why;
    }
}
