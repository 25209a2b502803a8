package io.tailrace.proof.child;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.proof.child.RouterSite.Routes;
import io.tailrace.router.OutboxRouter;
import java.time.Clock;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The router as it is. Arguments: {@link RouterSite#arguments}. It is up before it is started, so that whoever starts it knows when. Hears,
 * besides what {@link Parent} hears:
 *
 * <pre>
 * start 3 false 2000      start, with the routes of the third deployment
 * routes 4 false 2000     go on with those of the fourth
 * close                   end in order
 * </pre>
 */
public final class RouterMain {

    /** What it says when it goes on with other routes. */
    public static final String ROUTED = "routed ";

    private static final String START = "start ";
    private static final String ROUTES = "routes ";
    private static final String CLOSE = "close";

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int EXIT = 1;

    private final RouterSite site;
    private final AtomicReference<@Nullable OutboxRouter> router = new AtomicReference<>();

    private RouterMain(RouterSite site) {
        this.site = site;
    }

    /** What the parent has to say so that it starts. */
    public static String start(Routes routes) {
        return START + routes.text();
    }

    /** What the parent has to say so that it goes on with other routes; answered by {@link #ROUTED} and the same routes. */
    public static String routes(Routes routes) {
        return ROUTES + routes.text();
    }

    /** The answer to {@link #routes}. */
    public static String routed(Routes routes) {
        return ROUTED + routes.text();
    }

    /** What the parent has to say so that it ends in order. */
    public static String close() {
        return CLOSE;
    }

    /** Runs until it is killed, or gives up. */
    public static void main(String[] arguments) {
        RouterMain main = new RouterMain(RouterSite.of(arguments));
        AtomicReference<@Nullable Parent> ear = new AtomicReference<>();
        Parent parent = Parent.listening(word -> main.hear(word, ear.get()));
        ear.set(parent);
        parent.tell(Parent.UP);
        main.watch(parent);
    }

    private void hear(String word, @Nullable Parent parent) {
        if (word.startsWith(START)) {
            OutboxRouter made = new OutboxRouter(
                    site.config(Routes.of(word.substring(START.length()))),
                    new SimpleMeterRegistry(),
                    Clock.systemUTC());
            // Known before it starts: if it is refused, the one who watches says so.
            router.set(made);
            made.start();
        } else if (word.startsWith(ROUTES)) {
            Routes routes = Routes.of(word.substring(ROUTES.length()));
            started().reload(site.config(routes).router());
            Objects.requireNonNull(parent).tell(routed(routes));
        } else if (word.equals(CLOSE)) {
            started().close();
            Runtime.getRuntime().halt(0);
        } else {
            throw new IllegalArgumentException("the parent says what nobody understands: " + word);
        }
    }

    private OutboxRouter started() {
        return Objects.requireNonNull(router.get(), "the parent has not started the router yet");
    }

    private void watch(Parent parent) {
        Health.State said = Health.State.NEW;
        while (true) {
            OutboxRouter now = router.get();
            Health health = now == null ? new Health(Health.State.NEW, "") : now.health();
            if (health.state() == Health.State.FAILED) {
                System.err.println("The router has given up: " + health.detail());
                Runtime.getRuntime().halt(EXIT);
            }
            if (health.state() != said) {
                parent.tell(health.state().name());
                said = health.state();
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
