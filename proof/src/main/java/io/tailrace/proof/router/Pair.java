package io.tailrace.proof.router;

import io.tailrace.proof.ChildJvms;
import io.tailrace.proof.child.RouterSite;
import io.tailrace.proof.child.RouterSite.Routes;
import io.tailrace.proof.child.Site;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The two instances that share the partitions, and the routes that both are to go by. Not thread-safe. */
final class Pair implements AutoCloseable {

    private static final List<String> NAMES = List.of("router-a", "router-b");

    private final ChildJvms jvms;
    private final List<RouterSite> sites;
    private final RouterSettings settings;
    private final List<@Nullable RouterChild> children = new ArrayList<>();
    private Routes routes = new Routes(0, false, RouterSite.WAIT);

    /** Nothing is started yet. */
    Pair(ChildJvms jvms, Site site, Path directory, RouterSettings settings) {
        this.jvms = jvms;
        this.settings = settings;
        this.sites = NAMES.stream()
                .map(name -> new RouterSite(site, name, directory.resolve(name), settings.guarantee()))
                .toList();
        NAMES.forEach(name -> children.add(null));
    }

    /** Starts both, and returns when they run. */
    void start() {
        RouterChild.rehearse(jvms, sites.get(0), routes, settings.patience());
        for (int i = 0; i < NAMES.size(); i++) {
            startAgain(i);
        }
        requireRunning();
    }

    int size() {
        return NAMES.size();
    }

    String name(int which) {
        return NAMES.get(which);
    }

    RouterChild get(int which) {
        return Objects.requireNonNull(children.get(which), () -> NAMES.get(which) + " does not run");
    }

    /** The routes of today. */
    Routes routes() {
        return routes;
    }

    /** A deployment: all that run go on with other routes, and whoever starts begins with them. */
    void deploy(Routes next) {
        routes = next;
        for (RouterChild each : children) {
            if (each != null) {
                each.reload(next);
            }
        }
    }

    /** It is gone, whoever has seen to that. */
    void gone(int which) {
        get(which).close();
        children.set(which, null);
    }

    /** A JVM in which it can be started; it is in the pair only from {@link #startAgain(int, RouterChild)} on. */
    RouterChild prepared(int which) {
        return RouterChild.of(jvms, sites.get(which), settings.patience());
    }

    /** Starts one that is gone, in a JVM that is ready. */
    void startAgain(int which, RouterChild child) {
        children.set(which, child);
        child.start(routes);
    }

    /** Starts one that is gone. */
    void startAgain(int which) {
        startAgain(which, prepared(which));
    }

    /** Returns when both run. */
    void requireRunning() {
        for (int i = 0; i < NAMES.size(); i++) {
            get(i).requireRunning();
        }
    }

    @Override
    public void close() {
        for (RouterChild each : children) {
            if (each != null) {
                each.close();
            }
        }
    }
}
