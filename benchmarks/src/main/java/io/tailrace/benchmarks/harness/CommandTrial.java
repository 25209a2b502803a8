package io.tailrace.benchmarks.harness;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.ContenderProcess;
import io.tailrace.benchmarks.contender.Measured;
import io.tailrace.benchmarks.harness.CommandSql.Kind;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How fast and how soon a contender that is up runs commands: from the insert on, whatever lies between it and the handler. The effects are
 * counted after each trial: one that is missing never ends it, one that is there twice is told of.
 *
 * @param arena whose servers are used
 * @param warmRows that each runs before
 */
public record CommandTrial(Arena arena, int warmRows) {

    /** Shows that the contender is up; none of them counts. */
    private static final int PRIMER = 100;

    private static final int BURST = 1_000;
    private static final int PACED = 1_000_000;
    private static final int PER_TRANSACTION = 100;
    private static final int WARM_KEYS = 1_000;

    /**
     * What came out.
     *
     * @param perSecond commands of a second; of a latency those that were written
     * @param latency from commit to the first start, where that was measured
     * @param measured of the contender, from before the first command to after the last
     * @param outOfOrder commands that came after a later one of their key
     * @param doubled effects beyond the one that each command is to have
     */
    public record Outcome(double perSecond, Optional<Latency> latency, Measured measured, int outOfOrder, int doubled) {

        /** For people who wait. */
        public String line() {
            return "%.0f/s%s%s%s"
                            .formatted(
                                    perSecond,
                                    latency.map(found -> ", " + found.line()).orElse(""),
                                    outOfOrder == 0 ? "" : ", %d out of order".formatted(outOfOrder),
                                    doubled == 0 ? "" : ", %d twice".formatted(doubled))
                    + ", " + DrainTrial.line(measured);
        }
    }

    /** What a trial found, apart from what its contender took. */
    private record Found(double perSecond, Optional<Latency> latency, int commands, int outOfOrder) {}

    @FunctionalInterface
    private interface Body {
        Found run(SiteTables tables, Effects effects) throws SQLException, InterruptedException;
    }

    /** A burst over many keys: from the first insert to the last effect. */
    public Outcome drain(Contender contender, String recording, int commands, int keys)
            throws IOException, SQLException, InterruptedException, ExecutionException {
        return run(
                contender,
                recording,
                List.of(),
                (tables, effects) -> burst(contender, tables, effects, commands, Kind.ofKeys(keys)));
    }

    /** A burst of one key. A peer keeps its order only with one thread, and gets one. */
    public Outcome hotKey(Contender contender, String recording, int commands)
            throws IOException, SQLException, InterruptedException, ExecutionException {
        return run(
                contender,
                recording,
                contender.isTailrace() ? List.of() : List.of("--set=threads=1"),
                (tables, effects) -> burst(contender, tables, effects, commands, Kind.hot()));
    }

    /**
     * One key whose head fails and waits while the others queue up behind it, and while more arrive: from the head's success to the effect of
     * the last that was behind it.
     *
     * @param behind rows behind the head
     * @param arriving rows of that key that come each second all the while
     */
    public Outcome behind(Contender contender, String recording, int behind, int arriving)
            throws IOException, SQLException, InterruptedException, ExecutionException {
        return run(contender, recording, List.of(), (tables, effects) -> {
            tables.run(
                    CommandSql.fill(contender, BURST, BURST + 1, 1, Kind.hot().failing("true")));
            tables.run(CommandSql.fill(contender, BURST + 1, BURST + 1 + behind, PER_TRANSACTION, Kind.hot()));
            // As long as is waited for, and some more: what is late is written at once.
            PacedWriter writer = writer(contender, tables, arriving, 2 * Effects.PATIENCE_SECONDS, Kind.hot());
            writer.start();
            int more;
            try {
                effects.await(BURST, BURST + 1 + behind);
            } finally {
                more = writer.stop();
            }
            effects.await(PACED, PACED + more);
            double seconds =
                    (effects.lastMicros(BURST + 1, BURST + 1 + behind) - effects.lastMicros(BURST, BURST + 1)) / 1e6;
            return new Found(
                    behind / seconds,
                    Optional.empty(),
                    1 + behind + more,
                    effects.outOfOrder(BURST, BURST + 1 + behind));
        });
    }

    /**
     * Commands that are committed one by one at a steady rate, each of a key of its own, one in a hundred of which fails when it is run first.
     *
     * @param leadInSeconds at the same rate before what is measured: what a server has compiled after days, these JVMs have not yet
     */
    public Outcome latency(Contender contender, String recording, int perSecond, int leadInSeconds, int seconds)
            throws IOException, SQLException, InterruptedException, ExecutionException {
        return run(contender, recording, List.of(), (tables, effects) -> {
            Kind kind = Kind.ofKeys(PACED).failing("n % 100 = 7");
            long longest = leadInSeconds + seconds + TimeUnit.MINUTES.toSeconds(1);
            PacedWriter writer = writer(contender, tables, perSecond, longest, kind);
            writer.start();
            pause(leadInSeconds);
            int from = writer.next();
            pause(seconds);
            int to = writer.next();
            int all = writer.stop();
            effects.await(PACED, PACED + all);
            Arrivals arrivals = new Arrivals(all);
            effects.note(arrivals, PACED, PACED + all);
            Latency latency = Latency.of(writer::commitMicros, arrivals, from, to);
            return new Found(latency.rowsPerSecond(), Optional.of(latency), all, 0);
        });
    }

    private static Found burst(Contender contender, SiteTables tables, Effects effects, int commands, Kind kind)
            throws SQLException {
        long began = ChronoUnit.MICROS.between(Instant.EPOCH, Clock.systemUTC().instant());
        tables.run(CommandSql.fill(contender, BURST, BURST + commands, PER_TRANSACTION, kind));
        effects.await(BURST, BURST + commands);
        double seconds = (effects.lastMicros(BURST, BURST + commands) - began) / 1e6;
        return new Found(commands / seconds, Optional.empty(), commands, effects.outOfOrder(BURST, BURST + commands));
    }

    private static PacedWriter writer(Contender contender, SiteTables tables, int perSecond, long seconds, Kind kind) {
        String numbers = "generate_series(?::bigint + %1$d, ?::bigint + %1$d) n".formatted(PACED);
        return new PacedWriter(
                tables.jdbcUrl(),
                CommandSql.write(contender, numbers, kind),
                Shape.ONE,
                perSecond,
                Math.toIntExact(seconds * perSecond),
                Clock.systemUTC());
    }

    private Outcome run(Contender contender, String recording, List<String> more, Body body)
            throws IOException, SQLException, InterruptedException, ExecutionException {
        Ground ground = arena.ground(contender);
        ground.warm().beginHere();
        ground.warm().run(CommandSql.fill(contender, 0, warmRows, PER_TRANSACTION, Kind.ofKeys(WARM_KEYS)));
        ground.bench().beginHere();
        ground.makeSlots();
        arena.topics().reset(List.of());
        try (ContenderJvm jvm = arena.start(contender, Optional.of(recording), new ArrayList<>(more));
                Effects effects = new Effects(ground.bench().jdbcUrl())) {
            jvm.await(ContenderProcess.FOLLOWING);
            ground.bench().run(CommandSql.fill(contender, 0, PRIMER, 1, Kind.ofKeys(PRIMER)));
            effects.await(0, PRIMER);
            Found found = body.run(ground.bench(), effects);
            jvm.send(ContenderProcess.STOP + (PRIMER + found.commands()));
            Measured measured = Measured.of(jvm.await(ContenderProcess.RESULT));
            jvm.awaitEnd();
            return new Outcome(found.perSecond(), found.latency(), measured, found.outOfOrder(), effects.doubled());
        }
    }

    private static void pause(long seconds) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
