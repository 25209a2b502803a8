package io.tailrace.proof.commands;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.DeadLetters;
import io.tailrace.operations.Replay;
import io.tailrace.operations.Selection;
import io.tailrace.proof.ChildJvms;
import io.tailrace.proof.EngineChild;
import io.tailrace.proof.ProofStuck;
import io.tailrace.proof.Resume;
import io.tailrace.proof.Servers;
import io.tailrace.proof.child.ExecutorSite;
import io.tailrace.proof.child.Job;
import io.tailrace.proof.child.Site;
import io.tailrace.router.OutboxRouter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One run: servers, an engine, a router, two executors, writers; kills and outages; a replay of all dead letters; and the judgement.
 * Everything stands in one directory, which is the caller's to remove. Single use.
 */
public final class CommandsProof {

    /** Beyond the writers of the load. */
    private static final int HAND = 100;

    private static final int BATCH_SIZE = 2_048;

    /** Commands whose lateness is measured, one due after the other. */
    private static final int MEASURED = 400;

    private static final Duration MEASURED_FROM = Duration.ofMillis(1_500);
    private static final int MEASURED_EVERY_MS = 5;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final CommandsSettings settings;
    private final Path directory;
    private final Consumer<String> progress;
    private final BooleanSupplier asked;
    private final Clock clock;
    private final long began = System.nanoTime();

    /**
     * A run that has not begun.
     *
     * @param progress takes a line now and then
     * @param asked whether somebody wants it to end early
     */
    public CommandsProof(
            CommandsSettings settings, Path directory, Consumer<String> progress, BooleanSupplier asked, Clock clock) {
        this.settings = settings;
        this.directory = directory;
        this.progress = progress;
        this.asked = asked;
        this.clock = clock;
    }

    /**
     * Runs it; some seconds for each kill.
     *
     * @throws ProofStuck when it cannot go on, or was asked to end
     */
    public CommandsVerdict run() throws IOException, SQLException {
        Files.createDirectories(directory);
        progress.accept("PostgreSQL and a broker start; data and logs are in " + directory);
        ChildJvms jvms = new ChildJvms(directory);
        try (Servers servers = Servers.start(directory, jvms, settings.patience())) {
            servers.createTopics();
            Site site = servers.site(BATCH_SIZE);
            TailraceConfig config = ExecutorSite.routerConfig(site, directory.resolve("router"));
            Ledger ledger = new Ledger(servers.jdbcUrl());
            ledger.create();
            try (OutboxRouter router = new OutboxRouter(config, new SimpleMeterRegistry(), clock);
                    Parts parts = new Parts(jvms, site, router);
                    Group group = new Group(config);
                    Executors executors = new Executors(jvms, site, settings)) {
                router.start();
                executors.start();
                tell("An engine, a router and two executors run");
                return new Run(servers, config, ledger, parts, group, executors).play();
            }
        }
    }

    private void tell(String text) {
        progress.accept("%5.0f s  %s".formatted((System.nanoTime() - began) / 1e9, text));
    }

    /** An engine with its supervisor, and a router: what is not struck. */
    private static final class Parts implements AutoCloseable {

        private final ChildJvms jvms;
        private final Site site;
        private final OutboxRouter router;
        private EngineChild engine;

        /** @param router the caller's to start and to close */
        Parts(ChildJvms jvms, Site site, OutboxRouter router) {
            this.jvms = jvms;
            this.site = site;
            this.router = router;
            this.engine = start();
        }

        /** Starts the engine again if it has halted; the router must live. */
        void keep() {
            if (engine.hasHalted()) {
                engine.close();
                engine = start();
            }
            Health health = router.health();
            if (health.state() == Health.State.FAILED) {
                throw new ProofStuck("the router has given up: " + health.detail());
            }
        }

        private EngineChild start() {
            return EngineChild.start(jvms, Resume.TAILRACE, "engine", site);
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    /** What plays on a stage that stands. */
    private final class Run {

        private final Servers servers;
        private final TailraceConfig config;
        private final Ledger ledger;
        private final Parts parts;
        private final Group group;
        private final Executors executors;
        private final DeadLetters letters;
        private final Outages outages;
        /** Rows that were replayed, once for each time. */
        private final List<String> replayed = new ArrayList<>();

        private final List<String> unfinished = new ArrayList<>();
        private final Map<CommandsKillPoint, Integer> kills = new EnumMap<>(CommandsKillPoint.class);
        private int replays;
        private int splits;

        Run(Servers servers, TailraceConfig config, Ledger ledger, Parts parts, Group group, Executors executors) {
            this.servers = servers;
            this.config = config;
            this.ledger = ledger;
            this.parts = parts;
            this.group = group;
            this.executors = executors;
            this.letters = new DeadLetters(config);
            this.outages = new Outages(servers, ledger);
            for (CommandsKillPoint point : CommandsKillPoint.values()) {
                kills.put(point, 0);
            }
        }

        CommandsVerdict play() throws SQLException {
            Map<String, Integer> excused = new HashMap<>();
            long rolledBack;
            try (Load load = new Load(servers.jdbcUrl(), settings.seed()).start()) {
                Strikes strikes = new Strikes(executors, load, ledger, settings);
                strike(strikes, load);
                load.close();
                load.requireHealthy();
                excused.putAll(strikes.sleptOver());
                rolledBack = load.rolledBack();
            }
            tell("All kills are over; what waits ends");
            awaitDone();
            awaitLetters();
            ledger.mend();
            replay();
            awaitDone();
            tell("Now the lateness while nothing is killed");
            Set<String> measured = measure();
            awaitLetters();
            executors.slowRuns().forEach(id -> excused.merge(id, 1, Integer::sum));
            ledger.diedOf().forEach(id -> excused.merge(id, 1, Integer::sum));
            tell("Everything is counted");
            Evidence.Seen seen = new Evidence.Seen(
                    rolledBack, outages.throughBroker(), outages.throughDatabase(), splits, unfinished);
            return judge(excused, measured, seen);
        }

        /** Kills and outages while commands flow. */
        private void strike(Strikes strikes, Load load) throws SQLException {
            for (int i = 1; i <= settings.kills(); i++) {
                CommandsKillPoint point = strikes.strike();
                kills.merge(point, 1, Integer::sum);
                tell("%d of %d kills, the last one at %s".formatted(i, settings.kills(), point.key()));
                splits += group.splits();
                if (i == (settings.kills() + 1) / 2) {
                    outage(load);
                }
                load.requireHealthy();
                parts.keep();
                if (asked.getAsBoolean()) {
                    throw new ProofStuck(
                            "asked to end after %d of %d kills; nothing is proved".formatted(i, settings.kills()));
                }
            }
        }

        private void outage(Load load) throws SQLException {
            outages.ofBroker(load);
            tell("The broker was away");
            parts.keep();
            outages.ofDatabase(load);
            tell("The database was away");
            parts.keep();
            // The next kills find them on their way; poison dies again.
            replay();
        }

        /** Sends all dead letters on their way again, as the command line does. */
        private void replay() {
            Replay.Report report = letters.replay(
                    Topics.COMMANDS,
                    Selection.ALL,
                    new Replay.Order("replay-" + ++replays, "tailrace prove commands", false));
            List<String> rows = report.rows().stream()
                    .filter(row -> row.outcome() == Replay.Outcome.REPLAYED)
                    .map(row -> row.letter().rowId())
                    .toList();
            replayed.addAll(rows);
            if (report.ending() != Replay.Ending.COMPLETE || report.remaining() > 0) {
                unfinished.add("A replay ended as %s, %d rows were not reached: %s"
                        .formatted(report.ending(), report.remaining(), report.because()));
            }
            tell("%d dead letters are replayed".formatted(rows.size()));
        }

        /** What has not ended is counted as missing: that is a finding, and not the end of the run. */
        private void awaitDone() throws SQLException {
            long deadline = System.nanoTime() + settings.patience().toNanos();
            while (!ledger.awaitDone(Duration.ofSeconds(2))) {
                parts.keep();
                if (System.nanoTime() - deadline > 0) {
                    progress.accept("Not all commands have come to an end within %d s; %d wait"
                            .formatted(settings.patience().toSeconds(), ledger.pending()));
                    return;
                }
            }
        }

        /** The dead letter comes after the death. */
        private void awaitLetters() throws SQLException {
            long deadline = System.nanoTime() + settings.patience().toNanos();
            while (letters.list(Topics.COMMANDS, Selection.ALL).size() < ledger.dead()) {
                if (System.nanoTime() - deadline > 0) {
                    progress.accept("Not all dead commands have a dead letter");
                    return;
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }

        private Set<String> measure() throws SQLException {
            Set<String> ids = new HashSet<>();
            Scheduler scheduler = new Scheduler(HAND);
            try (Connection connection = DriverManager.getConnection(servers.jdbcUrl())) {
                connection.setAutoCommit(false);
                for (int i = 0; i < MEASURED; i++) {
                    Duration delay = MEASURED_FROM.plusMillis((long) i * MEASURED_EVERY_MS);
                    ids.add(scheduler
                            .schedule(connection, i % 2 == 0 ? "calm/" + i : null, delay, Job.WELL)
                            .toString());
                }
                connection.commit();
            }
            awaitDone();
            return ids;
        }

        private CommandsVerdict judge(Map<String, Integer> excused, Set<String> measured, Evidence.Seen seen)
                throws SQLException {
            Written written =
                    Written.read(Objects.requireNonNull(config.kafka()), config.topicNames(), settings.patience());
            Judge judge = new Judge(ledger.read(), written, replayed);
            return new CommandsVerdict(
                    settings,
                    kills,
                    judge.effects(),
                    judge.early(),
                    judge.burned(excused),
                    new CommandsVerdict.Lateness(
                            judge.latenessP99Ms(measured), judge.latenessP99Ms(judge.withoutFault())),
                    judge.evidence(seen));
        }
    }
}
