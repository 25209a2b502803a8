package io.tailrace.executor;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.broker.ClientSettings;
import io.tailrace.broker.GroupBeginning;
import io.tailrace.broker.TopicCatalog;
import io.tailrace.broker.TopicKeeper;
import io.tailrace.contract.Health;
import io.tailrace.contract.Health.State;
import io.tailrace.contract.Part;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.executor.claim.CommandTable;
import io.tailrace.executor.claim.HoldTable;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.hold.Holds;
import io.tailrace.executor.intake.Intake;
import io.tailrace.executor.intake.KeyQueues;
import io.tailrace.executor.metric.ExecutorMetrics;
import io.tailrace.executor.run.Around;
import io.tailrace.executor.run.CommandHandling;
import io.tailrace.executor.run.HandlerRun;
import io.tailrace.executor.run.Handling;
import io.tailrace.executor.run.RowRunner;
import io.tailrace.executor.run.RowSecrets;
import io.tailrace.executor.run.RunGuard;
import io.tailrace.executor.run.SourceGate;
import io.tailrace.executor.run.Stamper;
import io.tailrace.executor.scrub.Scrubber;
import io.tailrace.executor.settle.Announcer;
import io.tailrace.executor.settle.AnswerWriter;
import io.tailrace.executor.settle.Replies;
import io.tailrace.executor.webhook.Webhooks;
import java.time.Clock;
import java.time.Duration;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the commands of one source that are due, and handles its events for the subscriptions that there are handlers for. Any number of them share the work as members of one consumer group. Thread-safe; single
 * use.
 *
 * <p>Needs the tables in its database and the topics of its namespace; an outage of either is waited out and uses no attempt.
 */
public final class CommandExecutor implements Part {

    private static final Logger LOG = LoggerFactory.getLogger(CommandExecutor.class);

    /** What {@link #start} waits for a refusal by Kafka before it goes on in the background. */
    private static final Duration FIRST_WORD = Duration.ofSeconds(10);

    private static final Duration BEFORE_NEXT_TRY = Duration.ofSeconds(1);

    private final TailraceConfig config;
    private final Clock clock;
    private final MeterRegistry registry;
    private final ExecutorMetrics metrics;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final CountDownLatch kafkaKnown = new CountDownLatch(1);

    /** Closed in reverse. Guarded by this, as are the parts. */
    private final OpenParts opened = new OpenParts();

    private @Nullable HikariDataSource pool;
    private @Nullable SourceGate gate;
    private @Nullable Intake intake;
    private @Nullable KeyQueues queues;
    private @Nullable RunGuard guard;
    private @Nullable AnswerWriter writer;
    private @Nullable Subscriptions subscriptions;
    private Handlers handlers;
    private Health own = new Health(State.NEW, "");

    /** Whether {@link #start} has yet to return. */
    private boolean awaited = true;

    /**
     * Opens nothing yet.
     *
     * @param config with one source
     * @param handlers what runs; a command whose name is not among them is treated as {@code executor.on-missing-handler} says
     * @param clock of this machine, for snoozes only: what is due is for the clock of the database to say
     */
    public CommandExecutor(TailraceConfig config, Handlers handlers, MeterRegistry registry, Clock clock) {
        this.config = config;
        this.handlers = handlers;
        this.clock = clock;
        this.registry = registry;
        this.metrics = new ExecutorMetrics(
                registry, config.source().name(), config.executor().workers());
    }

    @Override
    public String name() {
        return "executor";
    }

    @Override
    public void start() {
        synchronized (this) {
            if (own.state() != State.NEW) {
                throw new IllegalStateException("an executor is started once; make another one");
            }
            own = new Health(State.STARTING, "");
            try {
                open();
            } catch (RuntimeException | Error e) {
                opened.close();
                own = new Health(State.FAILED, String.valueOf(e.getMessage()));
                throw e;
            }
        }
        awaitFirstWord();
    }

    @Override
    public synchronized Health health() {
        SourceGate source = gate;
        Intake reader = intake;
        RunGuard runs = guard;
        if (own.state() != State.READY || source == null || reader == null || runs == null) {
            return own;
        }
        Health commands = OpenParts.health(source, reader, runs);
        Subscriptions events = subscriptions;
        return commands.isReady() && events != null ? events.health() : commands;
    }

    @Override
    public void close() {
        stopping.countDown();
        kafkaKnown.countDown();
        KeyQueues working;
        RunGuard running;
        AnswerWriter answers;
        Subscriptions events;
        boolean worked;
        synchronized (this) {
            if (own.state() == State.STOPPED) {
                return;
            }
            worked = intake != null;
            own = new Health(State.STOPPED, "");
            working = queues;
            running = guard;
            answers = writer;
            events = subscriptions;
        }
        if (events != null) {
            events.stop();
        }
        if (working != null && running != null) {
            working.stop();
            OpenParts.drain(working, running, config.executor().stopTimeout(), "commands");
        }
        if (answers != null) {
            // Before the intake leaves: what is acknowledged now still passes with its last commit.
            answers.close();
        }
        synchronized (this) {
            opened.close();
        }
        if (worked) {
            LOG.info("Executor stopped: source={}", config.source().name());
        }
    }

    private void open() {
        Duration limit = Pool.transactionLimit(config.executor());
        handlers = Webhooks.added(handlers, config.executor().webhooks(), clock);
        Subscriptions events = opened.add(Subscriptions.of(config, handlers, registry, clock));
        CommandTable table = new CommandTable(config.source().tables(), limit);
        HikariDataSource connections = opened.add(Pool.open(config, limit));
        pool = connections;
        Announcer announcer = opened.add(new Announcer(connections, table));
        Duration session = Intake.session(config);
        AnswerWriter answers =
                opened.add(new AnswerWriter(config, config.topicNames().retry(Topics.COMMANDS), metrics, session));
        RunGuard runs = opened.add(new RunGuard());
        KeyQueues rows = opened.add(new KeyQueues(config.executor().workers()));
        SourceGate source = opened.add(new SourceGate(config.source().name(), connections, table, rows, metrics));
        Handling commands = new CommandHandling(handlers);
        Stamper stamper = new Stamper(
                table,
                new Replies(answers, announcer, metrics, session),
                commands,
                metrics,
                config.executor()::haltsKey);
        HandlerRun run = new HandlerRun(
                runs,
                config.source(),
                config.outbox().mode(),
                config.executor().handlerTimeout(),
                Around.commands(handlers),
                metrics::ran);
        Holds holds = opened.add(new Holds(
                connections,
                new HoldTable(config.source().tables()),
                commands::knows,
                config.executor(),
                metrics,
                "Commands"));
        RowRunner.Rules rules = new RowRunner.Rules(
                config.executor(),
                new RowSecrets(config, metrics),
                clock,
                () -> ThreadLocalRandom.current().nextDouble(),
                holds);
        RowRunner runner = new RowRunner(Pool.connections(connections), table, source, stamper, run, commands, rules);
        metrics.running(rows::running);
        metrics.outlasting(runs::outlasting);
        source.open();
        holds.open();
        events.open();
        this.subscriptions = events;
        rows.start(runner);
        this.gate = source;
        this.queues = rows;
        this.guard = runs;
        this.writer = answers;
        Thread starter = new Thread(() -> joinWhenTopicsAndOffsetsStand(rows), "tailrace-executor-starter");
        starter.setDaemon(true);
        starter.start();
    }

    private void joinWhenTopicsAndOffsetsStand(KeyQueues rows) {
        boolean told = false;
        while (stopping.getCount() > 0) {
            try (Admin admin = Admin.create(ClientSettings.admin(config.kafka()))) {
                new TopicKeeper(
                                admin,
                                config.kafka().bootstrapServers(),
                                config.topics().autoCreate())
                        .ensure(new TopicCatalog(config.topicNames(), config.topics())
                                .executor(config.subscriptionNames()));
                new GroupBeginning(admin, config.kafka(), config.topicNames().operations(), Intake.group(config))
                        .ensure(Intake.topics(config));
                join(rows);
                return;
            } catch (StartRefused refused) {
                giveUp(String.valueOf(refused.getMessage()));
                return;
            } catch (KafkaException unreachable) {
                if (!told) {
                    LOG.warn("Kafka does not answer, it is asked until it does: {}", unreachable.toString());
                    told = true;
                }
                become(State.WAITING, "Kafka does not answer: " + unreachable.getMessage());
                pause();
            } finally {
                kafkaKnown.countDown();
            }
        }
    }

    private synchronized void join(KeyQueues rows) {
        if (own.state() == State.STOPPED) {
            return;
        }
        LOG.info(
                "Handlers: {}; source={}",
                handlers.names().isEmpty() ? "none" : String.join(", ", new TreeSet<>(handlers.names())),
                config.source().name());
        scrub();
        Intake reader = opened.add(new Intake(config, rows, metrics));
        reader.start();
        intake = reader;
        Subscriptions events = subscriptions;
        if (events != null) {
            events.join();
        }
        own = new Health(State.READY, "");
    }

    /** Only where there is something to take out of rows. */
    private void scrub() {
        HikariDataSource connections = pool;
        if (connections != null && config.redact().scrubs()) {
            opened.add(new Scrubber(config, connections, metrics, clock)).start();
        }
    }

    private synchronized void become(State state, String detail) {
        if (own.state() != State.STOPPED) {
            own = new Health(state, detail);
        }
    }

    /** Said in the log only if there is nobody else to say it to. */
    private synchronized void giveUp(String refusal) {
        if (!awaited) {
            LOG.error("Executor does not start: source={} {}", config.source().name(), refusal);
        }
        become(State.FAILED, refusal);
    }

    /** A refusal should meet whoever starts it, not whoever reads the log later. */
    private void awaitFirstWord() {
        try {
            if (!kafkaKnown.await(FIRST_WORD.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.info("Kafka has not answered yet, the start goes on in the background");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Health now;
        synchronized (this) {
            awaited = false;
            now = health();
        }
        if (now.state() == State.FAILED) {
            close();
            throw new StartRefused(now.detail());
        }
    }

    private void pause() {
        try {
            stopping.await(BEFORE_NEXT_TRY.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
