package io.tailrace.router.decide;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.RowName;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.contract.route.OnDeadLetter;
import io.tailrace.contract.route.PartitionKey;
import io.tailrace.router.decide.Decision.DeadLetter;
import io.tailrace.router.decide.Decision.Publish;
import io.tailrace.router.decide.Decision.Retry;
import io.tailrace.router.decide.Decision.Wait;
import io.tailrace.router.decode.Decoded;
import io.tailrace.router.deliver.Compose;
import io.tailrace.router.deliver.Outgoing;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides about events. Pure: the same row, state, instant and chance give the same decision; that a name was judged before is remembered
 * only to save the work. Thread-safe.
 */
public final class Decider {

    /** "No route" is tried once more: a rule may have been forgotten in a deployment that is under way, and not for long. */
    static final int ATTEMPTS_OF_A_RETRIABLE_ROW = 2;

    /** Until somebody has looked at a destination for the first time. */
    static final long LOOK_MILLIS = 10;

    private static final String STAGE = "decide";

    private static final int MOST_REMEMBERED = 4_096;

    private final Remembered<String, RowName.Verdict> eventNames = new Remembered<>(MOST_REMEMBERED);
    private final Remembered<String, RowName.Verdict> commandNames = new Remembered<>(MOST_REMEMBERED);
    private final Supplier<Routes> routes;
    private final Destinations destinations;

    /** @param routes asked once for each decision, so that none is made half by the old ones and half by the new */
    public Decider(Supplier<Routes> routes, Destinations destinations) {
        this.routes = routes;
        this.destinations = destinations;
    }

    /**
     * Decides about an event.
     *
     * @param attempts that failed before
     * @param waits times that its destination was found down in a row
     * @param now milliseconds since the epoch
     * @param chance uniform in [0, 1)
     */
    public Decision decide(Decoded event, int attempts, int waits, long now, double chance) {
        Situation situation = new Situation(routes.get(), attempts, waits, now, chance);
        return judged(event.name(), eventNames, RowName::event)
                .match(
                        name -> decide(event, name, situation),
                        problem -> failed(
                                Reason.NAME_INVALID, problem, situation.routes().retry(), situation));
    }

    /** Whether a command may go on; empty when it may. The row in the table decides everything else. */
    public Optional<DeadLetter> objectionTo(Decoded command) {
        return judged(command.name(), commandNames, RowName::command)
                .match(name -> Optional.empty(), problem -> Optional.of(objection(problem)));
    }

    /**
     * Whether a dead letter of this event stops its key. Asked of headers alone, since it is asked about what cannot be read as well.
     *
     * @return what is said for all routes when the name cannot be read
     */
    public boolean haltsKey(Headers event) {
        Optional<RowName> name = judged(event.text(HeaderName.CE_TYPE).orElse(""), eventNames, RowName::event)
                .name();
        int version = name.map(each -> each.version(event.smallNumber(HeaderName.CE_EVENTVERSION))
                        .orElse(1))
                .orElse(1);
        return routes.get().onDeadLetter(name, version) == OnDeadLetter.HALT_KEY;
    }

    /** Where an event was to go by today's routes, with commas between several topics; empty when nothing leads anywhere. Of headers alone. */
    public Optional<String> destinationOf(Headers event) {
        return judged(event.text(HeaderName.CE_TYPE).orElse(""), eventNames, RowName::event)
                .name()
                .flatMap(name -> name.version(event.smallNumber(HeaderName.CE_EVENTVERSION)).stream()
                        .boxed()
                        .findFirst()
                        .flatMap(version -> routes.get().resolve(name, version)))
                .map(route -> String.join(",", route.topics()));
    }

    /** What is longer than a name may be is judged at a glance, and not kept. */
    private static RowName.Verdict judged(
            String text, Remembered<String, RowName.Verdict> before, Function<String, RowName.Verdict> judge) {
        return text.length() > RowName.MAX_LENGTH ? judge.apply(text) : before.of(text, judge);
    }

    private Decision decide(Decoded event, RowName name, Situation situation) {
        Routes routes = situation.routes();
        OptionalInt version = name.version(event.statedVersion());
        if (version.isEmpty()) {
            String problem = "the row states version %d, which its name contradicts or which is below 1"
                    .formatted(event.statedVersion().orElse(0));
            return failed(Reason.VERSION_MISMATCH, problem, routes.retry(), situation);
        }
        Optional<Route> route = routes.resolve(name, version.getAsInt());
        if (route.isPresent()) {
            return preflight(event, route.get(), situation);
        }
        RetryPolicy policy = routes.retry(name, version.getAsInt());
        return failed(Reason.NO_ROUTE, "no route takes '%s'".formatted(event.name()), policy, situation);
    }

    /**
     * Under exactly-once a failed send kills the whole transaction: what can be known before, is. An event with two destinations goes to
     * both or, for now, to none.
     */
    private Decision preflight(Decoded event, Route route, Situation situation) {
        Bytes key = keyOf(event, route.partitionKey());
        List<Leg> legs = new ArrayList<>(route.topics().size());
        for (String topic : route.topics()) {
            legs.add(new Leg(Compose.routed(event, topic, key), destinations.of(topic)));
        }
        for (Leg leg : legs) {
            Optional<Decision> wait = waits(leg, route.retry(), situation);
            if (wait.isPresent()) {
                return wait.get();
            }
        }
        List<Outgoing> records = new ArrayList<>(legs.size());
        for (Leg leg : legs) {
            Optional<Decision> objection = tooLarge(leg, route.retry(), situation);
            if (objection.isPresent()) {
                return objection.get();
            }
            records.add(leg.record());
        }
        return new Publish(records, route.audited());
    }

    private static Optional<Decision> waits(Leg leg, RetryPolicy policy, Situation situation) {
        Destination.State state = leg.destination().state();
        String topic = leg.record().topic();
        if (state == Destination.State.UNKNOWN) {
            return Optional.of(new Wait(situation.now() + LOOK_MILLIS, topic, false));
        }
        if (FailureClass.of(state).isEmpty()) {
            return Optional.empty();
        }
        long wait = policy.waitAfter(situation.waits() + 1, situation.chance()).toMillis();
        return Optional.of(new Wait(situation.now() + wait, topic, true));
    }

    private static Optional<Decision> tooLarge(Leg leg, RetryPolicy policy, Situation situation) {
        Outgoing record = leg.record();
        int most = leg.destination().maxMessageBytes();
        if (record.sizeOnWire() <= most) {
            return Optional.empty();
        }
        String problem =
                "%s takes %d bytes, the record has up to %d".formatted(record.topic(), most, record.sizeOnWire());
        return Optional.of(failed(Reason.TOO_LARGE, problem, policy, situation));
    }

    /** The value that the route spreads by; of a row without it the key that it has come with. */
    private static @Nullable Bytes keyOf(Decoded event, PartitionKey by) {
        Bytes own = event.record().key();
        return by.isOrderingKey()
                ? own
                : event.record()
                        .headers()
                        .text(by.header())
                        .filter(value -> !value.isEmpty())
                        .map(Bytes::utf8)
                        .orElse(own);
    }

    /** The attempt failed, for a reason that lies in the row: tried again or given up, as the table and the row's policy say. */
    private static Decision failed(Reason reason, String problem, RetryPolicy policy, Situation situation) {
        int used = situation.attempts() + 1;
        ErrorTrail error = ErrorTrail.of(reason.text(), problem);
        boolean isRetriable = FailureClass.of(reason) == FailureClass.ROW_RETRIABLE;
        if (!isRetriable || used >= ATTEMPTS_OF_A_RETRIABLE_ROW || policy.isExhausted(used)) {
            return new DeadLetter(reason, used, error, STAGE);
        }
        long wait = policy.waitAfter(used, situation.chance()).toMillis();
        return new Retry(situation.now() + wait, used, reason, error);
    }

    private static DeadLetter objection(String problem) {
        return new DeadLetter(Reason.NAME_INVALID, 1, ErrorTrail.of(Reason.NAME_INVALID.text(), problem), STAGE);
    }

    /** A record and its destination, looked at once: another look might see another state. */
    private record Leg(Outgoing record, Destination destination) {}

    private record Situation(Routes routes, int attempts, int waits, long now, double chance) {}
}
