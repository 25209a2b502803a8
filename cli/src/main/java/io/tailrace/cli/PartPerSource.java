package io.tailrace.cli;

import io.tailrace.contract.Health;
import io.tailrace.contract.Health.State;
import io.tailrace.contract.Part;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.TailraceConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A part that works on one source, once for each of several. They know nothing of each other: one that is refused, gives up or waits
 * leaves the others as they are, and shows in the health, which names it. One that has given up is made and started anew while the others
 * work: whoever mends the cause need not stop them. Thread-safe.
 */
final class PartPerSource implements Part {

    /** Whoever mends a source waits for so long, and a refused start is worth that much trouble to its servers. */
    private static final Duration AGAIN_AFTER = Duration.ofSeconds(30);

    private final String name;

    /** By the name of the source, in the order of the file. */
    private final Map<String, SourcePart> parts;

    private final Duration againAfter;
    private final CountDownLatch closing = new CountDownLatch(1);

    private PartPerSource(String name, Map<String, SourcePart> parts, Duration againAfter) {
        this.name = name;
        this.parts = parts;
        this.againAfter = againAfter;
    }

    /**
     * The part of the one source, or one that holds those of all.
     *
     * @param maker makes one, not started; asked again for one that is to take the place of another
     */
    static Part of(TailraceConfig config, Function<TailraceConfig, Part> maker) {
        return of(config, maker, AGAIN_AFTER);
    }

    /** @param againAfter how long one that has given up waits for the next try */
    static Part of(TailraceConfig config, Function<TailraceConfig, Part> maker, Duration againAfter) {
        List<TailraceConfig> each = config.eachSource();
        if (each.size() == 1) {
            return maker.apply(each.get(0));
        }
        Map<String, SourcePart> parts = new LinkedHashMap<>();
        each.forEach(one -> {
            String source = one.source().name();
            parts.put(source, new SourcePart(source, againAfter, () -> maker.apply(one)));
        });
        return new PartPerSource(parts.values().iterator().next().part().name(), parts, againAfter);
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
        atOnce(SourcePart::start);
        List<String> refusals = new ArrayList<>();
        parts.forEach((source, part) ->
                part.refusal().ifPresent(refusal -> refusals.add("source %s: %s".formatted(source, refusal))));
        if (refusals.size() == parts.size()) {
            throw new StartRefused(refusals);
        }
        Thread again = new Thread(this::startAgain, "tailrace-%s-again".formatted(name));
        again.setDaemon(true);
        again.start();
    }

    private void startAgain() {
        try {
            while (!closing.await(againAfter.toNanos(), TimeUnit.NANOSECONDS)) {
                atOnce(SourcePart::startAgain);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ready when all are; given up when all have: as long as one works, a restart would stop it for the sake of the others. */
    @Override
    public Health health() {
        Map<String, Health> now = new LinkedHashMap<>();
        parts.forEach((source, part) -> now.put(source, part.health()));
        return together(now);
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
        closing.countDown();
        atOnce(SourcePart::close);
    }

    /** Returns when all are through; throws what the first one threw. */
    private void atOnce(Consumer<SourcePart> work) {
        List<CompletableFuture<Void>> running = new ArrayList<>();
        parts.entrySet()
                .forEach(entry -> running.add(CompletableFuture.runAsync(() -> work.accept(entry.getValue()), task -> {
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
