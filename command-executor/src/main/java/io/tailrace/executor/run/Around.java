package io.tailrace.executor.run;

import io.tailrace.executor.handler.CommandInterceptor;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.handler.Upcasters;
import java.util.List;

/**
 * What the application has put around its handlers of commands, or around those of events: there is one pipeline for both.
 *
 * @param interceptors from the outside in
 * @param upcasters of the payloads
 */
public record Around(List<CommandInterceptor> interceptors, Upcasters upcasters) {

    public Around {
        interceptors = List.copyOf(interceptors);
    }

    /** Around handlers of commands. */
    public static Around commands(Handlers handlers) {
        return new Around(handlers.interceptors(), handlers.upcasters());
    }

    /** Around handlers of the events of a subscription. */
    public static Around events(String subscription, Handlers handlers) {
        List<CommandInterceptor> adapted = handlers.events().interceptors().stream()
                .<CommandInterceptor>map(own -> new EventRun.Intercepted(subscription, own))
                .toList();
        return new Around(adapted, handlers.events().upcasters());
    }
}
