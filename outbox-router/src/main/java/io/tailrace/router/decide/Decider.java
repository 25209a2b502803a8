package io.tailrace.router.decide;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.name.RowName;
import io.tailrace.contract.record.Reason;
import io.tailrace.contract.retry.ErrorTrail;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.router.decide.Decision.DeadLetter;
import io.tailrace.router.decide.Decision.Publish;
import io.tailrace.router.decide.Decision.Retry;
import io.tailrace.router.decide.Decision.Wait;
import io.tailrace.router.decode.Decoded;
import io.tailrace.router.deliver.Compose;
import io.tailrace.router.deliver.Outgoing;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Decides about events. Pure: the same row, state, instant and chance give the same decision. */
public final class Decider {

    /** "No route" is tried once more: a rule may have been forgotten in a deployment that is under way, and not for long. */
    static final int ATTEMPTS_OF_A_RETRIABLE_ROW = 2;

    /** Until somebody has looked at a destination for the first time. */
    static final long LOOK_MILLIS = 10;

    private static final String STAGE = "decide";

    private final Routes routes;
    private final RetryPolicy policy;
    private final Destinations destinations;

    public Decider(Routes routes, RetryPolicy policy, Destinations destinations) {
        this.routes = routes;
        this.policy = policy;
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
        return RowName.event(event.name())
                .match(
                        name -> decide(event, name, new Situation(attempts, waits, now, chance)),
                        problem -> failed(Reason.NAME_INVALID, problem, new Situation(attempts, waits, now, chance)));
    }

    /** Whether a command may go on; empty when it may. The row in the table decides everything else. */
    public Optional<DeadLetter> objectionTo(Decoded command) {
        return RowName.command(command.name())
                .match(name -> Optional.empty(), problem -> Optional.of(objection(problem)));
    }

    /**
     * Whether a dead letter of this event stops its key. Asked of headers alone, since it is asked about what cannot be read as well.
     *
     * @return false when the name cannot be read: then no rule can have said so
     */
    public boolean haltsKey(Headers event) {
        return RowName.event(event.text(HeaderName.CE_TYPE).orElse(""))
                .match(
                        name -> routes.haltsKey(
                                name,
                                name.version(event.smallNumber(HeaderName.CE_EVENTVERSION))
                                        .orElse(1)),
                        problem -> false);
    }

    private Decision decide(Decoded event, RowName name, Situation situation) {
        OptionalInt version = name.version(event.statedVersion());
        if (version.isEmpty()) {
            String problem = "the row states version %d, which its name contradicts or which is below 1"
                    .formatted(event.statedVersion().orElse(0));
            return failed(Reason.VERSION_MISMATCH, problem, situation);
        }
        return routes.resolve(name, version.getAsInt())
                .map(route -> preflight(Compose.routed(event, route.topic()), situation))
                .orElseGet(() -> failed(Reason.NO_ROUTE, "no route takes '%s'".formatted(event.name()), situation));
    }

    /** Under exactly-once a failed send kills the whole transaction: what can be known before, is. */
    private Decision preflight(Outgoing record, Situation situation) {
        Destination destination = destinations.of(record.topic());
        if (destination.state() == Destination.State.UNKNOWN) {
            return new Wait(situation.now() + LOOK_MILLIS, record.topic(), false);
        }
        if (FailureClass.of(destination.state()).isPresent()) {
            long wait =
                    policy.waitAfter(situation.waits() + 1, situation.chance()).toMillis();
            return new Wait(situation.now() + wait, record.topic(), true);
        }
        if (record.sizeOnWire() > destination.maxMessageBytes()) {
            String problem = "%s takes %d bytes, the record has up to %d"
                    .formatted(record.topic(), destination.maxMessageBytes(), record.sizeOnWire());
            return failed(Reason.TOO_LARGE, problem, situation);
        }
        return new Publish(List.of(record));
    }

    /** The attempt failed, for a reason that lies in the row: tried again or given up, as the table says. */
    private Decision failed(Reason reason, String problem, Situation situation) {
        int used = situation.attempts() + 1;
        ErrorTrail error = ErrorTrail.of(reason.text(), problem);
        boolean isRetriable = FailureClass.of(reason) == FailureClass.ROW_RETRIABLE;
        if (!isRetriable || used >= Math.min(ATTEMPTS_OF_A_RETRIABLE_ROW, policy.maxAttempts())) {
            return new DeadLetter(reason, used, error, STAGE);
        }
        long wait = policy.waitAfter(used, situation.chance()).toMillis();
        return new Retry(situation.now() + wait, used, reason, error);
    }

    private static DeadLetter objection(String problem) {
        return new DeadLetter(Reason.NAME_INVALID, 1, ErrorTrail.of(Reason.NAME_INVALID.text(), problem), STAGE);
    }

    private record Situation(int attempts, int waits, long now, double chance) {}
}
