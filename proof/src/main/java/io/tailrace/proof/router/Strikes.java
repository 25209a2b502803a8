package io.tailrace.proof.router;

import io.tailrace.proof.Deck;
import io.tailrace.proof.ProofStuck;
import io.tailrace.proof.child.RouterSite;
import io.tailrace.proof.router.Hand.Event;
import io.tailrace.proof.router.Sightings.Of;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Kills a router, each time at one point. Before each, rows are written that no rule knows yet, with followers on their keys: they fail, and
 * wait. Then the routes that know them are deployed, so that they are delivered when they are tried again, by whoever lives then.
 * Not thread-safe.
 */
final class Strikes {

    private static final int KEYS = 12;
    private static final int LONGEST_PAUSE_MS = 500;
    private static final int MOST_LOOKS = 200;

    /** Long enough for two rebalances: one router goes and is given up, and comes back. */
    private static final Duration LONG_WAIT = RouterSite.SESSION.multipliedBy(4);

    private final Pair pair;
    private final Cluster cluster;
    private final Hand hand;
    private final Sightings sightings;
    private final RouterSettings settings;
    private final Clock clock;
    private final Random random;
    private final Deck<RouterKillPoint> deck;
    private final Set<String> excused = new HashSet<>();

    Strikes(Pair pair, Cluster cluster, Hand hand, Sightings sightings, RouterSettings settings, Clock clock) {
        this.pair = pair;
        this.cluster = cluster;
        this.hand = hand;
        this.sightings = sightings;
        this.settings = settings;
        this.clock = clock;
        this.random = new Random(settings.seed());
        this.deck = Deck.of(EnumSet.allOf(RouterKillPoint.class), random);
    }

    /** Strikes once; returns when both run again, and says where the router was. */
    RouterKillPoint strike() throws SQLException {
        int victim = victim();
        RouterKillPoint wanted = deck.draw();
        RouterKillPoint there = strike(wanted, victim);
        pair.requireRunning();
        if (there != wanted && !settings.isControl()) {
            deck.putBack(wanted);
        }
        return there;
    }

    /** Rows that were tried again before the rule that knows them was deployed, because this machine was slow: given up rightly. */
    Set<String> excused() {
        return Set.copyOf(excused);
    }

    private RouterKillPoint strike(RouterKillPoint point, int victim) throws SQLException {
        return switch (point) {
            case OPEN_TRANSACTION -> openTransaction(victim);
            case PAST_DELAY -> pastDelay(victim);
            case MID_DELAY -> midDelay(victim);
            case STARTING -> starting(victim);
            case RANDOM -> random(victim);
        };
    }

    private RouterKillPoint random(int victim) throws SQLException {
        List<String> failing = writeFailing();
        pause(random.nextInt(LONGEST_PAUSE_MS));
        pair.gone(victim);
        deploy(failing);
        pair.startAgain(victim);
        return RouterKillPoint.RANDOM;
    }

    /** Alive for nobody but the broker when it is killed. */
    private RouterKillPoint openTransaction(int victim) throws SQLException {
        List<String> failing = writeFailing();
        boolean isOpen = stopWithAnOpenTransaction(victim);
        pair.gone(victim);
        deploy(failing);
        pair.startAgain(victim);
        return isOpen ? RouterKillPoint.OPEN_TRANSACTION : RouterKillPoint.RANDOM;
    }

    private boolean stopWithAnOpenTransaction(int victim) {
        if (settings.isControl()) {
            // It has none.
            pause(random.nextInt(LONGEST_PAUSE_MS));
            return false;
        }
        for (int look = 0; look < MOST_LOOKS; look++) {
            pair.get(victim).pause();
            if (cluster.isTransactionOpen()) {
                return true;
            }
            pair.get(victim).resume();
            pause(random.nextInt(50));
        }
        throw new ProofStuck(pair.name(victim) + " was never met with an open transaction; do rows flow?");
    }

    private RouterKillPoint pastDelay(int victim) throws SQLException {
        List<String> failing = writeFailing();
        List<Sighting> notes = awaitFailed(failing);
        pair.gone(victim);
        deploy(failing);
        long over = notes.stream().mapToLong(Sighting::notBefore).max().orElseThrow();
        pause(over - clock.millis() + random.nextInt(LONGEST_PAUSE_MS));
        pair.startAgain(victim);
        return RouterKillPoint.PAST_DELAY;
    }

    /** It goes while rows wait, the other takes them over, it comes back and takes its share: all of that in one wait. */
    private RouterKillPoint midDelay(int victim) throws SQLException {
        int other = 1 - victim;
        pair.deploy(pair.routes().waiting(LONG_WAIT));
        List<String> failing = writeFailing();
        List<Sighting> notes = awaitFailed(failing);
        pair.gone(victim);
        RouterChild next = pair.prepared(victim);
        cluster.awaitOwned(pair.name(other), pair.name(victim), settings.patience());
        pair.startAgain(victim, next);
        cluster.awaitOwned(pair.name(victim), "", settings.patience());
        pair.requireRunning();
        long firstEnd = notes.stream().mapToLong(Sighting::notBefore).min().orElseThrow();
        boolean isInTime = clock.millis() < firstEnd;
        pair.deploy(pair.routes().waiting(RouterSite.WAIT));
        deploy(failing);
        return isInTime ? RouterKillPoint.MID_DELAY : RouterKillPoint.RANDOM;
    }

    private RouterKillPoint starting(int victim) throws SQLException {
        List<String> failing = writeFailing();
        deploy(failing);
        pair.get(victim).stop();
        pair.gone(victim);
        pair.startAgain(victim);
        pair.get(victim).requireStarting();
        pause(random.nextInt(LONGEST_PAUSE_MS));
        RouterChild started = pair.get(victim);
        pair.gone(victim);
        // What it told in its last moment counts.
        boolean hasStarted = started.hasRun();
        pair.startAgain(victim);
        return hasStarted ? RouterKillPoint.RANDOM : RouterKillPoint.STARTING;
    }

    /** Some keys, each with a row that the next deployment knows, and two behind it; the ids of the first ones. */
    private List<String> writeFailing() throws SQLException {
        int deployment = pair.routes().deployment() + 1;
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            String key = "later/" + i;
            events.add(new Event(Names.later(deployment), key));
            events.add(new Event(Names.SHOP, key));
            events.add(new Event(Names.SHOP, key));
        }
        List<String> ids = hand.commit(events);
        List<String> failing = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            if (events.get(i).name().equals(Names.later(deployment))) {
                failing.add(ids.get(i));
            }
        }
        return failing;
    }

    private List<Sighting> awaitFailed(List<String> failing) {
        if (!sightings.await(Of.FAILED, failing, settings.patience())) {
            throw new ProofStuck("rows that must fail are not shown to wait within "
                    + settings.patience().toSeconds() + " s");
        }
        return sightings.of(Of.FAILED, failing);
    }

    private void deploy(List<String> failing) {
        pair.deploy(pair.routes().next());
        long done = clock.millis();
        sightings.of(Of.FAILED, failing).stream()
                .filter(note -> note.notBefore() <= done)
                .forEach(note -> excused.add(note.id()));
    }

    /** One that has partitions: only it has rows that wait. */
    private int victim() {
        int first = random.nextInt(pair.size());
        return cluster.owned(pair.name(first)) > 0 ? first : 1 - first;
    }

    private static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(Math.max(0, millis)));
    }
}
