package io.tailrace.proof.router;

import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.proof.ProofStuck;
import io.tailrace.proof.Servers;
import io.tailrace.proof.child.RouterSite;
import io.tailrace.proof.router.Hand.Event;
import io.tailrace.proof.router.Sightings.Of;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What is nobody's failure. A destination is deleted at the beginning, stays away through all kills and is made again at the end; in between
 * the broker is stopped for longer than a row's whole retry budget. Not thread-safe.
 */
final class Outages {

    private static final int ROWS = 40;

    private static final String BEFORE = "away/first/";

    /** Longer than the budget, and shorter than the session of a router: none is to be taken for dead. */
    private static final Duration BROKER_AWAY =
            RouterSite.RETRY_BUDGET.plus(RouterSite.SESSION).dividedBy(2);

    private final Cluster cluster;
    private final Servers servers;
    private final Pair pair;
    private final Sightings sightings;
    private final Duration patience;

    Outages(Cluster cluster, Servers servers, Pair pair, Sightings sightings, Duration patience) {
        this.cluster = cluster;
        this.servers = servers;
        this.pair = pair;
        this.sightings = sightings;
        this.patience = patience;
    }

    /** Whether the row of that key was delivered before the destination was deleted. */
    static boolean isBefore(@Nullable String key) {
        return key != null && key.startsWith(BEFORE);
    }

    /** Deletes the destination, after what was delivered there has been read: that goes with it. Returns when both routers know. */
    void begin(Hand hand, KafkaConfig kafka) throws SQLException {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            events.add(new Event(Names.AWAY, BEFORE + i));
        }
        List<String> ids = hand.commit(events);
        try (Watch watch = watch(kafka)) {
            if (!sightings.await(Of.DELIVERED, ids, patience)) {
                throw new ProofStuck("no row is delivered within " + patience.toSeconds() + " s");
            }
            watch.readToEnd(patience);
        }
        for (int i = 0; i < pair.size(); i++) {
            pair.get(i).mark();
        }
        cluster.deleteAway();
        for (int i = 0; i < pair.size(); i++) {
            pair.get(i).requireWaiting();
        }
    }

    /** The broker stands still for a while. */
    void stopBroker() {
        servers.pauseBroker();
        LockSupport.parkNanos(BROKER_AWAY.toNanos());
        servers.resumeBroker();
    }

    /** The destination is there again; its reader is the caller's to close. */
    Watch end(KafkaConfig kafka) {
        cluster.createAway();
        return watch(kafka);
    }

    private Watch watch(KafkaConfig kafka) {
        return new Watch(kafka, List.of(RouterSite.topic(RouterSite.AWAY)), sightings);
    }
}
