package io.tailrace.benchmarks.contender;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Main class of a contender's JVM. It drains the warm site first, with a pipeline of its own, so that the second one runs in a JVM that
 * has compiled what it needs, from an empty queue. What it has to say it says in lines on standard output; see the constants.
 */
@Command(name = "contender")
public final class ContenderProcess implements Callable<Integer> {

    /** The warm-up is over and the pipeline follows the log. */
    public static final String FOLLOWING = "following";

    /** Followed by {@link Measured#json()}; of a pipeline that follows, from then on until it was told to stop and had delivered all. */
    public static final String RESULT = "result ";

    /** Sent to a process that follows, with the number of rows that it must have delivered before it ends. */
    public static final String STOP = "stop ";

    private static final long STOP_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    @Option(names = "--contender", required = true)
    private String contender = "";

    @Option(names = "--postgres-port", required = true)
    private int postgresPort;

    @Option(names = "--postmaster", required = true, description = "process of the PostgreSQL server")
    private long postmaster;

    @Option(names = "--kafka", required = true)
    private String kafka = "";

    @Option(names = "--warm-rows", required = true, description = "rows that wait at the warm site")
    private long warmRows;

    @Option(names = "--rows", description = "rows that wait at the other site; without it the pipeline follows the log")
    private long rows;

    @Option(names = "--arrivals", description = "where a contender that only reads writes down when each row came")
    private @Nullable Path arrivals;

    @Option(names = "--set", description = "a setting of the contender's own")
    private Map<String, String> settings = new HashMap<>();

    private ContenderProcess() {}

    /** Ends with 0, or with 1 and the reason on standard error. */
    public static void main(String[] arguments) {
        int status = new CommandLine(new ContenderProcess()).execute(arguments);
        // Whatever a pipeline left running; a recording is written now.
        System.exit(status);
    }

    @Override
    public Integer call() throws Exception {
        Contender who = Contender.of(contender);
        Servers servers = new Servers(postgresPort, kafka);
        HeapWatch heap = new HeapWatch();
        try (Pipeline warm = Pipeline.of(who, servers, Site.WARM, reads(Optional.empty()), settings)) {
            var unused = new Drain(warm, heap, postmaster).run(warmRows);
        }
        System.gc();
        try (Pipeline pipeline =
                Pipeline.of(who, servers, Site.BENCH, reads(Optional.ofNullable(arrivals)), settings)) {
            if (rows > 0) {
                say(RESULT + new Drain(pipeline, heap, postmaster).run(rows).json());
            } else {
                pipeline.start();
                CpuTimes before = CpuTimes.now(postmaster);
                long began = System.nanoTime();
                heap.reset();
                say(FOLLOWING);
                awaitStop(pipeline);
                say(RESULT
                        + Drain.measured(pipeline.delivered(), began, before, postmaster, heap)
                                .json());
            }
        }
        return 0;
    }

    private static ReadRows reads(Optional<Path> arrivals) {
        return new ReadRows(Clock.systemUTC(), arrivals);
    }

    private static void awaitStop(Pipeline pipeline) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line = in.readLine();
        if (line == null || !line.startsWith(STOP)) {
            throw new IllegalStateException("expected '" + STOP + "', read '" + line + "'");
        }
        long wanted = Long.parseLong(line.substring(STOP.length()));
        long began = System.nanoTime();
        while (pipeline.delivered() < wanted) {
            if (System.nanoTime() - began > STOP_PATIENCE_NANOS) {
                throw new IllegalStateException("delivered %d rows of %d".formatted(pipeline.delivered(), wanted));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
