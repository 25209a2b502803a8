package io.tailrace.proof.commands;

import io.tailrace.proof.ChildJvms;
import io.tailrace.proof.child.ExecutorSite;
import io.tailrace.proof.child.Site;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The two executors that share the partitions. Not thread-safe. */
final class Executors implements AutoCloseable {

    private static final List<String> NAMES = List.of("executor-a", "executor-b");

    private final ChildJvms jvms;
    private final CommandsSettings settings;
    private final List<ExecutorSite> sites;
    private final List<@Nullable ExecutorChild> children = new ArrayList<>();
    private final List<String> slowRuns = new ArrayList<>();

    /** Nothing is started yet. */
    Executors(ChildJvms jvms, Site site, CommandsSettings settings) {
        this.jvms = jvms;
        this.settings = settings;
        this.sites = NAMES.stream()
                .map(name -> new ExecutorSite(site, name, settings.isControl()))
                .toList();
        NAMES.forEach(name -> children.add(null));
    }

    /** Starts both, and returns when they run. */
    void start() {
        for (int i = 0; i < NAMES.size(); i++) {
            startAgain(i);
        }
        requireRunning();
    }

    int size() {
        return NAMES.size();
    }

    ExecutorChild get(int which) {
        return Objects.requireNonNull(children.get(which), () -> NAMES.get(which) + " does not run");
    }

    /** SIGKILL. */
    void kill(int which) {
        ExecutorChild child = get(which);
        child.close();
        slowRuns.addAll(child.slowRuns());
        children.set(which, null);
    }

    /** Starts one that is gone. */
    void startAgain(int which) {
        children.set(which, ExecutorChild.start(jvms, sites.get(which), settings.patience()));
    }

    /** Ids of commands, once for each run of whichever executor that may have taken longer than it may. */
    List<String> slowRuns() {
        List<String> all = new ArrayList<>(slowRuns);
        for (int i = 0; i < NAMES.size(); i++) {
            all.addAll(get(i).slowRuns());
        }
        return all;
    }

    /** Returns when both run. */
    void requireRunning() {
        for (int i = 0; i < NAMES.size(); i++) {
            get(i).requireRunning();
        }
    }

    @Override
    public void close() {
        for (ExecutorChild each : children) {
            if (each != null) {
                each.close();
            }
        }
    }
}
