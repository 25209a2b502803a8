package io.tailrace.benchmarks.harness;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.ContenderProcess;
import io.tailrace.benchmarks.contender.Site;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How soon a contender that keeps up brings a row to its readers. Runs while rows are written at a steady rate.
 *
 * @param arena whose servers are used
 * @param shape of transactions
 * @param rowsPerSecond that are written
 * @param seconds for which is measured
 */
public record LatencyTrial(Arena arena, Shape shape, int rowsPerSecond, int seconds) {

    /** From the first row that came to the first that counts. */
    private static final long SETTLE_SECONDS = 5;

    /** From the moment at which a command is written to the one at which it is due. */
    private static final long AHEAD_MICROS = TimeUnit.SECONDS.toMicros(3);

    /** Of the rows of a contender, from their commit on. */
    public Latency ofRows(Contender contender, Optional<String> recording)
            throws IOException, SQLException, InterruptedException {
        return measure(contender, recording, () -> List.of(rows(contender)));
    }

    /**
     * Of commands, from the instant on at which they are due, while rows are written too.
     *
     * @param commandsPerSecond that fall due
     */
    public Latency ofCommands(Contender contender, Optional<String> recording, int commandsPerSecond)
            throws IOException, SQLException, InterruptedException {
        return measure(contender, recording, () -> List.of(commands(contender, commandsPerSecond), rows(contender)));
    }

    private Track rows(Contender contender) throws SQLException {
        int mostRows = most(rowsPerSecond);
        PacedWriter writer = new PacedWriter(
                arena.ground(contender).bench().jdbcUrl(),
                RowSql.write(contender.outbox(), RowSql.NUMBERED),
                shape,
                rowsPerSecond,
                mostRows,
                Clock.systemUTC());
        return Track.fromCommit(writer, mostRows, contender.topic(Site.BENCH));
    }

    private Track commands(Contender contender, int commandsPerSecond) throws SQLException {
        int mostRows = most(commandsPerSecond);
        long step = TimeUnit.SECONDS.toMicros(1) / commandsPerSecond;
        long first = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now(Clock.systemUTC())) + AHEAD_MICROS;
        PacedWriter writer = new PacedWriter(
                arena.ground(contender).bench().jdbcUrl(),
                RowSql.schedule(RowSql.NUMBERED, first, step),
                Shape.ONE,
                commandsPerSecond,
                mostRows,
                Clock.systemUTC());
        return Track.fromInstant(writer, mostRows, row -> first + row * step, Site.BENCH.commandsTopic());
    }

    /** Writers that have not begun: their time starts when they are made. */
    @FunctionalInterface
    private interface Tracks {
        List<Track> make() throws SQLException;
    }

    /** Of the first track. */
    private Latency measure(Contender contender, Optional<String> recording, Tracks ready)
            throws IOException, SQLException, InterruptedException {
        Path written = arena.file("arrivals");
        List<String> arguments = List.of("--arrivals", written.toString());
        try (ContenderJvm jvm = arena.start(contender, recording, arguments)) {
            jvm.await(ContenderProcess.FOLLOWING);
            List<Track> tracks = ready.make();
            try {
                tracks.forEach(track -> track.start(arena.topics()));
                tracks.forEach(Track::awaitFirst);
                pause(SETTLE_SECONDS);
                tracks.forEach(Track::begin);
                pause(seconds);
                tracks.forEach(Track::end);
                int all = 0;
                for (Track track : tracks) {
                    all += track.stop();
                }
                jvm.send(ContenderProcess.STOP + all);
            } finally {
                tracks.forEach(Track::close);
            }
            jvm.awaitEnd();
            return tracks.get(0).latency(written);
        }
    }

    private int most(int perSecond) {
        return Math.toIntExact((seconds + SETTLE_SECONDS + 2 * Track.PATIENCE_SECONDS) * perSecond);
    }

    private static void pause(long seconds) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
