package io.tailrace.cli;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.tailrace.contract.Part;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.executor.handler.Handlers;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Parts that run until the process is asked to end, or one of them gives up. */
final class Service {

    private static final Duration LOOK_EVERY = Duration.ofMillis(250);

    private final TailraceConfig config;
    private final Set<PartName> names;
    private final Handlers handlers;
    private final Reloading reloading;

    Service(TailraceConfig config, Set<PartName> names, Handlers handlers, Reloading reloading) {
        this.config = config;
        this.names = names;
        this.handlers = handlers;
        this.reloading = reloading;
    }

    /**
     * Starts, and returns when all is closed.
     *
     * @param onReady run once, when all parts make progress for the first time
     * @return the exit code
     */
    int run(Lifetime lifetime, PrintWriter err, Runnable onReady) throws InterruptedException {
        PrometheusMeterRegistry metrics = Metrics.registry();
        List<Part> parts = names.stream()
                .map(name -> name.make(config, handlers, metrics, Clock.systemUTC()))
                .toList();
        try (RunningParts running = RunningParts.start(parts);
                ConfigReload reload = reloading.begin(config, running.all());
                AutoCloseable http =
                        config.http().enabled() ? HttpListener.start(config.http(), metrics, running::all) : () -> {}) {
            return watch(running, lifetime, err, onReady);
        } catch (InterruptedException | RuntimeException passedOn) {
            throw passedOn;
        } catch (Exception bug) {
            throw new IllegalStateException("the HTTP listener throws nothing on close", bug);
        }
    }

    private static int watch(RunningParts running, Lifetime lifetime, PrintWriter err, Runnable onReady)
            throws InterruptedException {
        boolean wasReady = false;
        while (!lifetime.isAskedToEnd(LOOK_EVERY)) {
            Optional<Part> failed = running.failed();
            if (failed.isPresent()) {
                err.println("The %s has given up: %s"
                        .formatted(failed.get().name(), failed.get().health().detail()));
                return Exit.FAILED;
            }
            if (!wasReady && running.areReady()) {
                wasReady = true;
                onReady.run();
            }
        }
        return Exit.DONE;
    }
}
