package io.tailrace.proof.router;

import io.tailrace.contract.config.KafkaConfig;
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
import io.tailrace.proof.child.Site;
import io.tailrace.proof.history.Findings;
import io.tailrace.proof.router.Sightings.Of;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One run: servers, an engine, two routers, writers; kills and outages; poison; a replay of all dead letters; and the judgement.
 * Everything stands in one directory, which is the caller's to remove. Single use.
 */
public final class RouterProof {

    /** Beyond the writers of the load. */
    private static final int HAND = 100;

    private static final int BATCH_SIZE = 2_048;

    /** After the last row: whoever sends it again has done so by then. */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A router looks at the size that a destination takes every second. */
    private static final long UNTIL_NOTICED_NANOS = TimeUnit.MILLISECONDS.toNanos(2_500);

    /** Kills beyond those asked for, to hit the points that were missed. */
    private static final int MOST_MISSES = 5;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final RouterSettings settings;
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
    public RouterProof(
            RouterSettings settings, Path directory, Consumer<String> progress, BooleanSupplier asked, Clock clock) {
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
    public RouterVerdict run() throws IOException, SQLException {
        Files.createDirectories(directory);
        progress.accept("PostgreSQL and a broker start; data and logs are in " + directory);
        ChildJvms jvms = new ChildJvms(directory);
        try (Servers servers = Servers.start(directory, jvms, settings.patience())) {
            servers.createTopics();
            Site site = servers.site(BATCH_SIZE);
            TailraceConfig config = site.config();
            try (Cluster cluster = new Cluster(config);
                    EngineChild engine = EngineChild.start(jvms, Resume.TAILRACE, "engine", site);
                    Pair pair = new Pair(jvms, site, directory, settings);
                    Hand hand = new Hand(servers.jdbcUrl(), HAND)) {
                Objects.requireNonNull(engine);
                cluster.createTopics();
                pair.start();
                try (Work work = Work.start(servers.jdbcUrl(), config, clock)) {
                    tell("Two routers and an executor run");
                    return new Run(servers, config, cluster, pair, hand, work).play();
                }
            }
        }
    }

    private void tell(String text) {
        progress.accept("%5.0f s  %s".formatted((System.nanoTime() - began) / 1e9, text));
    }

    /** What plays on a stage that stands. */
    private final class Run {

        private final Servers servers;
        private final TailraceConfig config;
        private final KafkaConfig kafka;
        private final Cluster cluster;
        private final Pair pair;
        private final Hand hand;
        private final Work work;
        private final Sightings sightings;
        private final DeadLetters letters;
        /** Rows that were replayed, once for each time. */
        private final Map<String, List<String>> replayed = new HashMap<>();

        private int replays;
        private final List<String> unfinished = new ArrayList<>();
        private final Map<RouterKillPoint, Integer> kills = new EnumMap<>(RouterKillPoint.class);

        Run(Servers servers, TailraceConfig config, Cluster cluster, Pair pair, Hand hand, Work work) {
            this.servers = servers;
            this.config = config;
            this.kafka = Objects.requireNonNull(config.kafka());
            this.cluster = cluster;
            this.pair = pair;
            this.hand = hand;
            this.work = work;
            this.letters = new DeadLetters(config);
            this.sightings = new Sightings(new Names(config.topicNames()));
            for (RouterKillPoint point : RouterKillPoint.values()) {
                kills.put(point, 0);
            }
        }

        RouterVerdict play() throws SQLException {
            Outages outages = new Outages(cluster, servers, pair, sightings, settings.patience());
            Strikes strikes = new Strikes(pair, cluster, hand, sightings, settings, clock);
            try (Watch watch = new Watch(kafka, new Names(config.topicNames()).read(), sightings)) {
                outages.begin(hand, kafka);
                tell("A destination is deleted, and stays away");
                kill(strikes, outages);
                try (Watch away = outages.end(kafka)) {
                    awaitEnds();
                    tell("All kills are over, the destination is back; now the hot key");
                    Latency latency = new HotKey(hand, sightings, settings.patience()).measure();
                    mendAndReplay(Topics.EVENTS);
                    mendAndReplay(Topics.COMMANDS);
                    awaitEnds();
                    LockSupport.parkNanos(QUIET_NANOS);
                    away.readToEnd(settings.patience());
                    watch.readToEnd(settings.patience());
                    tell("Everything is counted");
                    return judge(strikes.excused(), latency);
                }
            }
        }

        private void kill(Strikes strikes, Outages outages) throws SQLException {
            try (Load load = new Load(servers.jdbcUrl(), settings.seed()).start()) {
                for (int i = 1; i <= settings.kills() || (hasMissed() && i <= settings.kills() + MOST_MISSES); i++) {
                    RouterKillPoint point = strikes.strike();
                    kills.merge(point, 1, Integer::sum);
                    tell("%d of %d kills, the last one at %s".formatted(i, settings.kills(), point.key()));
                    if (i == (settings.kills() + 1) / 2) {
                        outages.stopBroker();
                        tell("The broker has stood still");
                        // The next kill finds them on their way. Large ones get through, others die again.
                        cluster.mend();
                        replay(Topics.EVENTS);
                    }
                    load.requireHealthy();
                    if (asked.getAsBoolean()) {
                        throw new ProofStuck(
                                "asked to end after %d of %d kills; nothing is proved".formatted(i, settings.kills()));
                    }
                }
                load.close();
                load.requireHealthy();
            }
        }

        /** Whether there were enough kills for each point to be hit, and yet one was not: a busy machine lets some slip. */
        private boolean hasMissed() {
            return !settings.isControl() && settings.kills() >= kills.size() && kills.containsValue(0);
        }

        /** Sends all dead letters on their way again, as the command line does; the rows. */
        private List<Replay.Row> replay(String x) {
            Replay.Report report = letters.replay(
                    x, Selection.ALL, new Replay.Order("replay-" + ++replays, "tailrace prove router", false));
            List<Replay.Row> rows = report.rows().stream()
                    .filter(row -> row.outcome() == Replay.Outcome.REPLAYED)
                    .toList();
            List<String> all = replayed.computeIfAbsent(x, of -> new ArrayList<>());
            rows.forEach(row -> all.add(row.letter().rowId()));
            if (report.ending() != Replay.Ending.COMPLETE || report.remaining() > 0) {
                unfinished.add("A replay of %s ended as %s, %d rows were not reached: %s"
                        .formatted(x, report.ending(), report.remaining(), report.because()));
            }
            tell("%d %s are replayed".formatted(rows.size(), x));
            return rows;
        }

        /** The last replay, once what they died of is mended. */
        private void mendAndReplay(String x) {
            if (x.equals(Topics.EVENTS)) {
                cluster.mend();
                pair.deploy(pair.routes().asMended());
                LockSupport.parkNanos(UNTIL_NOTICED_NANOS);
            } else {
                work.mend();
            }
            List<Replay.Row> rows = replay(x);
            List<String> mended = rows.stream()
                    .filter(row -> !row.letter().name().equals(Names.NO_NAME))
                    .map(row -> row.letter().rowId())
                    .toList();
            long deadline = System.nanoTime() + settings.patience().toNanos();
            boolean inTime = sightings.await(Of.DELIVERED, mended, settings.patience());
            // What nothing can mend comes back.
            int hopeless = rows.size() - mended.size();
            while (letters.list(x, Selection.ALL).size() < hopeless && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
            if (!inTime) {
                progress.accept("Not all that was replayed is delivered within %d s"
                        .formatted(settings.patience().toSeconds()));
            }
        }

        /** What has not ended is counted as missing: that is a finding, and not the end of the run. */
        private void awaitEnds() throws SQLException {
            List<String> ids = Stored.read(servers.jdbcUrl()).mustEnd();
            if (!sightings.awaitEnds(ids, settings.patience()) || !work.awaitDone(settings.patience())) {
                progress.accept("Not all rows have come to an end within %d s; %d are nowhere"
                        .formatted(
                                settings.patience().toSeconds(),
                                sightings.withoutEnd(ids).size()));
            }
        }

        private RouterVerdict judge(Set<String> excused, Latency latency) throws SQLException {
            Judge judge = new Judge(Stored.read(servers.jdbcUrl()), sightings.all(), config.topicNames());
            List<String> events = replayed.getOrDefault(Topics.EVENTS, List.of());
            List<String> commands = replayed.getOrDefault(Topics.COMMANDS, List.of());
            List<String> effects = work.effects();
            Findings rows = judge.events(events).and(judge.commands(effects, commands));
            Findings copies = judge.audit(events).and(judge.legacy(events)).and(judge.due(clock));
            return new RouterVerdict(
                    settings, kills, rows, copies, judge.burned(excused), latency, judge.evidence(effects, unfinished));
        }
    }
}
