package io.tailrace.executor.run;

import io.tailrace.contract.record.Bytes;
import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.claim.EventContent;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.EventHandlers;
import java.util.Objects;
import java.util.Optional;

/**
 * Events of one subscription: what was committed comes with the record, or from the raw topic if the record does not carry it.
 *
 * @param subscription its name
 * @param handlers of all subscriptions
 * @param payloads where a payload is found that a record does not carry
 */
public record EventHandling(String subscription, EventHandlers handlers, Payloads payloads) implements Handling {

    /** Where events are kept. */
    public interface Payloads {

        /** What stands there. */
        Kept read(Claim claim);
    }

    /**
     * What is kept of an event.
     *
     * @param missing why nothing can be said; empty when it was found
     * @param payload of the event; empty when it has none
     * @param headersJson its own headers; empty when it has none
     */
    public record Kept(Optional<Missing> missing, Optional<Bytes> payload, Optional<String> headersJson) {}

    @Override
    public Optional<CommandHandler> handlerOf(Claim claim) {
        EventContent event = eventOf(claim);
        return handlers.find(subscription, event.name(), event.version())
                .map(handler -> EventRun.of(subscription, event, handler));
    }

    @Override
    public boolean knows(String name) {
        return handlers.handles(subscription, name);
    }

    /** Whether an event has a handler. */
    public boolean knows(EventContent event) {
        return handlers.find(subscription, event.name(), event.version()).isPresent();
    }

    @Override
    public String noun() {
        return "Event of " + subscription;
    }

    @Override
    public Whole whole(Claim claim) {
        EventContent event = eventOf(claim);
        if (!event.omitted()) {
            return Whole.of(claim);
        }
        Kept kept = payloads.read(claim);
        return kept.missing()
                .map(missing -> new Whole(claim, missing))
                .orElseGet(() -> Whole.of(claim.with(
                        kept.payload().orElse(null), kept.headersJson().orElse(null))));
    }

    private static EventContent eventOf(Claim claim) {
        return Objects.requireNonNull(
                claim.request().event(), () -> "row " + claim.request().id() + " is no event");
    }
}
