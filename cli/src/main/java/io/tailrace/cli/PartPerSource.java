package io.tailrace.cli;

import io.tailrace.contract.Health;
import io.tailrace.contract.Health.State;
import io.tailrace.contract.Part;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TailraceConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A part that works on one source, once for each of several. They know nothing of each other: one that is refused, gives up or waits
 * leaves the others as they are, and shows in the health, which names it. Thread-safe.
 */
final class PartPerSource implements Part {

    private static final Logger LOG = LoggerFactory.getLogger(PartPerSource.class);

    private final String name;

    /** By the name of the source, in the order of the file. */
    private final Map<String, Part> parts;

    /** Sources whose part would not start, with what it said. */
    private final Map<String, String> refusals = new ConcurrentHashMap<>();

    private PartPerSource(String name, Map<String, Part> parts) {
        this.name = name;
        this.parts = parts;
    }

    /** The part of the one source, or one that holds those of all. */
    static Part of(TailraceConfig config, Function<TailraceConfig, Part> maker) {
        List<TailraceConfig> each = config.eachSource();
        if (each.size() == 1) {
            return maker.apply(each.get(0));
        }
        Map<String, Part> parts = new LinkedHashMap<>();
        each.forEach(one -> parts.put(one.source().name(), maker.apply(one)));
        return new PartPerSource(parts.values().iterator().next().name(), parts);
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * Starts them side by side: a database that is slow to answer holds up no other.
     *
     * @throws StartRefused when none would start, with what each of them said
     */
    @Override
    public void start() {
        atOnce(entry -> startOne(entry.getKey(), entry.getValue()));
        if (refusals.size() == parts.size()) {
            throw new StartRefused(parts.keySet().stream().map(this::refusal).toList());
        }
    }

    private void startOne(String source, Part part) {
        try {
            part.start();
        } catch (StartRefused refused) {
            refusals.put(source, String.valueOf(refused.getMessage()));
            LOG.error("The {} of source {} is refused, the others go on: {}", name, source, refused.getMessage());
        }
    }

    private String refusal(String source) {
        return "source %s: %s".formatted(source, refusals.get(source));
    }

    /** Ready when all are; given up when all have: as long as one works, a restart would stop it for the sake of the others. */
    @Override
    public Health health() {
        Map<String, Health> now = new LinkedHashMap<>();
        parts.forEach((source, part) -> now.put(source, health(source, part)));
        return together(now);
    }

    private Health health(String source, Part part) {
        String refusal = refusals.get(source);
        return refusal == null ? part.health() : new Health(State.FAILED, "refused: " + refusal);
    }

    /** What several healths come to. */
    static Health together(Map<String, Health> healths) {
        List<State> states = healths.values().stream().map(Health::state).toList();
        List<String> notReady = new ArrayList<>();
        healths.forEach((source, health) -> {
            if (!health.isReady()) {
                notReady.add("source %s is %s %s"
                        .formatted(source, health.state().name().toLowerCase(Locale.ROOT), oneLine(health.detail()))
                        .strip());
            }
        });
        String detail = String.join("; ", notReady);
        if (states.stream().distinct().count() == 1) {
            return new Health(states.get(0), detail);
        }
        if (states.contains(State.FAILED) || states.contains(State.WAITING)) {
            return new Health(State.WAITING, detail);
        }
        return new Health(states.contains(State.STANDBY) ? State.STANDBY : State.STARTING, detail);
    }

    private static String oneLine(String detail) {
        return detail.lines().map(String::strip).collect(Collectors.joining("; "));
    }

    /** All at once: each has a stop timeout of its own, and together they have no more than one. */
    @Override
    public void close() {
        atOnce(entry -> entry.getValue().close());
    }

    /** Returns when all are through; throws what the first one threw. */
    private void atOnce(Consumer<Map.Entry<String, Part>> work) {
        List<CompletableFuture<Void>> running = new ArrayList<>();
        parts.entrySet()
                .forEach(entry -> running.add(CompletableFuture.runAsync(() -> work.accept(entry), task -> {
                    Thread thread = new Thread(task, "tailrace-%s-of-%s".formatted(name, entry.getKey()));
                    thread.setDaemon(true);
                    thread.start();
                })));
        try {
            CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).join();
        } catch (CompletionException thrown) {
            if (thrown.getCause() instanceof RuntimeException bug) {
                throw bug;
            }
            throw thrown;
        }
    }
}
