package io.tailrace.executor;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.contract.config.ExecutorConfig;
import io.tailrace.contract.config.SubscriptionConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.record.Place;
import io.tailrace.executor.claim.ClaimRequest;
import io.tailrace.executor.claim.DeliveryTable;
import io.tailrace.executor.claim.HoldTable;
import io.tailrace.executor.claim.HoldTable.Held;
import io.tailrace.executor.claim.OutboxTable;
import io.tailrace.executor.claim.OutboxTable.Found;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.hold.Gate;
import io.tailrace.executor.metric.FastPathMetrics;
import io.tailrace.executor.run.Around;
import io.tailrace.executor.run.EventHandling;
import io.tailrace.executor.run.HandlerRun;
import io.tailrace.executor.run.RowRunner;
import io.tailrace.executor.run.RowSecrets;
import io.tailrace.executor.run.RunGuard;
import io.tailrace.executor.run.SingleRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles events of a subscription in the process that has published them, right after their commit, without the way through Kafka. The
 * event comes that way all the same. Whichever of the two is second finds the inbox row of the first and does nothing; so what is
 * dispatched here need not go well, and nobody has to remember what was.
 *
 * <p>The handler runs on the calling thread, in a transaction of its own with its inbox row. A failure takes all of that back, leaves no
 * row and uses no attempt: the subscription handles the event when it comes. Events with an ordering key are refused: they would overtake those of
 * their key that are still on their way.
 *
 * <p>Thread-safe. {@link #close} ends a timer; it waits for nobody.
 */
public final class FastPath implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(FastPath.class);

    /** The claim asks for one, and none is ever written: a failure leaves no row. */
    private static final Place NO_PLACE = new Place(0, 0);

    private final SubscriptionConfig subscription;
    private final String ceSource;
    private final OutboxTable outbox;
    private final HoldTable holds;
    private final SingleRun single;
    private final EventHandling handling;
    private final RunGuard guard = new RunGuard();
    private final FastPathMetrics metrics;

    /** What became of an event. */
    public enum Outcome {
        /** Its handler went well, and that is committed. */
        HANDLED,
        /** It had been handled before. */
        DUPLICATE,
        /** A worker of the subscription, or another application, has it now. */
        RUNNING,
        /** It was tried before and waits for its next attempt, or is dead, or its name is held: it is the subscription's. */
        WAITING,
        /** Its handler did not go well, or the database did not; all of it was taken back. The subscription tries it when it comes. */
        FAILED,
        /** The subscription does not take it, or this process has no handler for it, or it is switched off here. */
        NOT_TAKEN,
        /**
         * The outbox has no such event that others can see: its transaction has not been committed, it was published as a message, or two rows
         * have its id.
         */
        NOT_FOUND
    }

    /**
     * An event and what became of it.
     *
     * @param id of the event
     * @param outcome what became of it
     * @param error why it failed, for people; empty unless it did
     */
    public record Dispatched(UUID id, Outcome outcome, Optional<String> error) {}

    /**
     * To one subscription of one source.
     *
     * @param config with one source; that of the executors, so that both take the same events in the same way
     * @param subscription its name
     * @param handlers of which those of the subscription are called
     * @param clock of this machine
     * @throws IllegalArgumentException if there is no such subscription, or no handler works for it
     */
    public FastPath(
            TailraceConfig config, String subscription, Handlers handlers, MeterRegistry registry, Clock clock) {
        this.subscription = config.subscriptions().stream()
                .filter(each -> each.name().equals(subscription))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException("there is no subscription '%s', the configuration has %s"
                                .formatted(subscription, config.subscriptionNames())));
        if (!handlers.events().subscriptions().contains(subscription)) {
            throw new IllegalArgumentException(
                    "no handler works for subscription '%s', those given work for %s: there would be nobody to dispatch to"
                            .formatted(subscription, handlers.events().subscriptions()));
        }
        Duration timeout = config.executor().handlerTimeout();
        ExecutorConfig executor = config.executor();
        this.ceSource = config.ceSource();
        this.metrics = new FastPathMetrics(registry, config.source().name(), subscription);
        this.outbox = new OutboxTable(config.source().tables());
        this.holds = new HoldTable(config.source().tables(), subscription);
        this.handling = new EventHandling(subscription, handlers.events(), claim -> {
            throw new IllegalStateException(
                    "an event of the outbox is whole: " + claim.request().id());
        });
        this.single = new SingleRun(
                new DeliveryTable(subscription, config.source().tables(), Pool.transactionLimit(executor)),
                handling,
                new HandlerRun(
                        guard,
                        config.source(),
                        config.outbox().mode(),
                        timeout,
                        Around.events(subscription, handlers),
                        metrics::ran),
                new RowRunner.Rules(executor, RowSecrets.ofEvents(config), clock, () -> 0.5, Gate.OPEN),
                Connection::commit);
    }

    /**
     * Dispatches events that the caller has just committed, one after the other, each in a transaction of its own.
     *
     * @param connections to the database of the events, with the rights of an executor and SELECT on the outbox; what it gives must not be in
     *     a transaction. One connection is taken at a time, and given back with its autocommit and isolation as they were
     * @param eventIds as {@code Outbox.publish} has returned them
     * @return what became of each, in the same order, once for each id
     * @throws IllegalArgumentException if one of them has an ordering key; then none was handled
     */
    public List<Dispatched> dispatch(DataSource connections, Collection<UUID> eventIds) {
        Set<UUID> ids = new LinkedHashSet<>(eventIds);
        Look seen;
        try {
            seen = within(connections, connection -> new Look(outbox.find(connection, ids), holds.all(connection)));
        } catch (SQLException unreachable) {
            return ids.stream()
                    .map(id -> told(id, null, failed(id, unreachable)))
                    .toList();
        }
        seen.events().values().forEach(FastPath::refuseKey);
        List<Dispatched> all = new ArrayList<>();
        for (UUID id : ids) {
            Found event = seen.events().get(id);
            all.add(told(
                    id,
                    event,
                    event == null ? done(id, Outcome.NOT_FOUND) : dispatched(connections, event, seen.held())));
        }
        return List.copyOf(all);
    }

    @Override
    public void close() {
        guard.close();
    }

    private static void refuseKey(Found event) {
        if (event.orderingKey() != null) {
            throw new IllegalArgumentException(
                    ("event %s (%s) has an ordering key: on the fast path it would overtake the events of its key that are still on their"
                                    + " way. Leave it to its subscription, or publish it without a key")
                            .formatted(event.id(), event.content().name()));
        }
    }

    private Dispatched dispatched(DataSource connections, Found event, Map<String, Held> held) {
        UUID id = event.id();
        String called = event.content().name();
        boolean taken = event.name()
                .filter(name -> subscription.takes(name, event.content().version()))
                .isPresent();
        boolean isHandled = handling.knows(event.content())
                && !subscription.missing().switchedOff().containsKey(called);
        if (!taken || !isHandled) {
            return done(id, Outcome.NOT_TAKEN);
        }
        if (holds.isAmong(held, called)) {
            return done(id, Outcome.WAITING);
        }
        // An interrupt that is not about this run belongs to the caller.
        boolean interrupted = Thread.interrupted();
        try {
            return within(connections, connection -> ran(id, single.run(connection, request(event))));
        } catch (SQLException lost) {
            return failed(id, lost);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** As the record of an event says it that comes for the first time. */
    private ClaimRequest request(Found event) {
        return new ClaimRequest(event.id(), ceSource, null, NO_PLACE, 0, OptionalLong.empty(), false, event.content());
    }

    private static Dispatched ran(UUID id, SingleRun.Ran ran) {
        return switch (ran.claim().verdict()) {
            case RUN ->
                ran.isDone()
                        ? done(id, Outcome.HANDLED)
                        : new Dispatched(
                                id,
                                Outcome.FAILED,
                                Optional.of(ran.trail()
                                        .map(trail -> trail.errorClass() + ": " + trail.message())
                                        .orElse("the connection was lost")));
            case SETTLED -> done(id, ran.claim().theRow().isDead() ? Outcome.WAITING : Outcome.DUPLICATE);
            case BUSY -> done(id, Outcome.RUNNING);
            case REPEAT, DEAD, EARLY, EXPIRED, BEHIND, UNSEEN, GONE -> done(id, Outcome.WAITING);
        };
    }

    private static Dispatched done(UUID id, Outcome outcome) {
        return new Dispatched(id, outcome, Optional.empty());
    }

    private static Dispatched failed(UUID id, SQLException error) {
        return new Dispatched(
                id, Outcome.FAILED, Optional.of("SQLSTATE " + error.getSQLState() + ": " + error.getMessage()));
    }

    private Dispatched told(UUID id, @Nullable Found event, Dispatched dispatched) {
        metrics.dispatched(dispatched.outcome());
        if (dispatched.outcome() == Outcome.FAILED) {
            LOG.info(
                    "Event of {} failed on its fast path, the subscription has it when it comes: rowId={} name={} error={}",
                    subscription.name(),
                    id,
                    event == null ? "" : event.content().name(),
                    dispatched.error().orElse("").replaceAll("(?s):.*", ""));
        }
        return dispatched;
    }

    /** What was seen before anything is dispatched. */
    private record Look(Map<UUID, Found> events, Map<String, Held> held) {}

    /** What is done over a connection. */
    private interface Work<T> {
        T over(Connection connection) throws SQLException;
    }

    /** What was not committed is rolled back, whatever it was; each look of the claim needs a snapshot of its own. */
    private static <T> T within(DataSource connections, Work<T> work) throws SQLException {
        Connection connection = connections.getConnection();
        try {
            boolean autoCommit = connection.getAutoCommit();
            int isolation = connection.getTransactionIsolation();
            try {
                connection.setAutoCommit(false);
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                return work.over(connection);
            } finally {
                ifItCan(() -> {
                    connection.rollback();
                    connection.setTransactionIsolation(isolation);
                    connection.setAutoCommit(autoCommit);
                });
            }
        } finally {
            ifItCan(connection::close);
        }
    }

    private interface GivingBack {
        void run() throws SQLException;
    }

    /** A connection that is lost after the commit changes nothing of what was committed; whoever has lent it will notice. */
    private static void ifItCan(GivingBack step) {
        try {
            step.run();
        } catch (SQLException lost) {
            LOG.debug("A connection could not be given back as it was", lost);
        }
    }
}
