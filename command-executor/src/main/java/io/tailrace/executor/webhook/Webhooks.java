package io.tailrace.executor.webhook;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.WebhookConfig;
import io.tailrace.executor.handler.Handlers;
import java.net.InetAddress;
import java.time.Clock;
import java.util.Map;
import java.util.TreeMap;

/** The handlers that the configuration makes. */
public final class Webhooks {

    private Webhooks() {}

    /**
     * The handlers with a webhook for each of these names beside them.
     *
     * @param clock for dates in answers
     * @throws StartRefused if a name has a handler already, a header cannot be sent, or this JVM cannot send what a webhook needs
     */
    public static Handlers added(Handlers handlers, Map<String, WebhookConfig> webhooks, Clock clock) {
        if (webhooks.isEmpty()) {
            return handlers;
        }
        Receiver.allowHost();
        Handlers.Builder all = handlers.toBuilder();
        new TreeMap<>(webhooks).forEach((name, config) -> {
            try {
                Receiver receiver = new Receiver(config, InetAddress::getAllByName, null);
                receiver.check();
                all.add(new WebhookHandler(name, config, receiver, clock));
            } catch (IllegalArgumentException refused) {
                throw new StartRefused("executor.webhooks.%s: %s".formatted(name, refused.getMessage()));
            }
        });
        return all.build();
    }
}
