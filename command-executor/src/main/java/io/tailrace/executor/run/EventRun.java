package io.tailrace.executor.run;

import io.tailrace.executor.claim.EventContent;
import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.CommandInterceptor;
import io.tailrace.executor.handler.EventHandler;
import io.tailrace.executor.handler.EventInterceptor;
import io.tailrace.executor.handler.EventPayloadHandler;
import io.tailrace.executor.handler.PayloadHandler;
import io.tailrace.executor.handler.Result;
import io.tailrace.executor.handler.Versions;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The run of an event is that of a command which has the event's handler called: what stands around the one stands around the other. */
final class EventRun {

    private EventRun() {}

    /** For the run of one event. */
    static CommandHandler of(String subscription, EventContent event, EventHandler handler) {
        return handler instanceof EventPayloadHandler<?> typed
                ? new Typed<>(subscription, event, typed)
                : new Plain(subscription, event, handler);
    }

    /** Who may call the event's handler, and for which versions. */
    private interface OfEvent extends CommandHandler {

        EventContent event();

        EventHandler handler();

        @Override
        default Set<String> names() {
            return Set.of(event().name());
        }

        @Override
        default Optional<Versions> versions() {
            return handler().versions();
        }

        @Override
        default Set<String> roles() {
            return handler().roles();
        }
    }

    private record Plain(String subscription, EventContent event, EventHandler handler) implements OfEvent {

        @Override
        public Result handle(CommandContext run) throws Exception {
            return named(handler, handler.handle(new EventView(run, subscription, event)));
        }
    }

    private record Typed<P>(String subscription, EventContent event, EventPayloadHandler<P> handler)
            implements OfEvent, PayloadHandler<P> {

        @Override
        public Class<P> payloadType() {
            return handler.payloadType();
        }

        @Override
        public Optional<String> problemIn(P payload) {
            return handler.problemIn(payload);
        }

        @Override
        public Result handle(P payload, CommandContext run) throws Exception {
            return named(handler, handler.handle(payload, new EventView(run, subscription, event)));
        }
    }

    /**
     * One of the application's own.
     *
     * @param subscription of all of its runs
     * @param own that is called
     */
    record Intercepted(String subscription, EventInterceptor own) implements CommandInterceptor {

        @Override
        public Result around(CommandContext run, Next next) throws Exception {
            // Nothing else is handed to what stands around a handler.
            EventContent event = ((RunContext) run).event();
            return named(own, own.around(new EventView(run, subscription, event), next));
        }

        @Override
        public int order() {
            return own.order();
        }
    }

    /** By its own name: that of the one around it would tell nobody anything. */
    private static Result named(Object owner, @Nullable Result result) {
        if (result == null) {
            throw new IllegalStateException(owner.getClass().getName() + " returned null; it must return a Result");
        }
        return result;
    }
}
