package io.tailrace.executor;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.contract.Health.State;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.SubscriptionConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.executor.handler.Handlers;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The subscriptions that this process has handlers for, each at work by itself. Thread-safe. */
final class Subscriptions implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Subscriptions.class);

    private final List<SubscriptionExecutor> executors;

    private Subscriptions(List<SubscriptionExecutor> executors) {
        this.executors = List.copyOf(executors);
    }

    /**
     * Those of one source; nothing is opened yet.
     *
     * @throws StartRefused when a handler works for a subscription that there is not: it would never be called
     */
    static Subscriptions of(TailraceConfig config, Handlers handlers, MeterRegistry registry, Clock clock) {
        List<String> configured = config.subscriptionNames();
        List<String> unknown = handlers.events().subscriptions().stream()
                .filter(name -> !configured.contains(name))
                .sorted()
                .map(name ->
                        "a handler works for subscription %s, which the configuration does not have: add subscriptions.%s.events"
                                .formatted(name, name))
                .toList();
        if (!unknown.isEmpty()) {
            throw new StartRefused(unknown);
        }
        List<SubscriptionExecutor> executors = new ArrayList<>();
        for (SubscriptionConfig subscription : config.subscriptions()) {
            if (handlers.events().subscriptions().contains(subscription.name())) {
                executors.add(new SubscriptionExecutor(config, subscription, handlers, registry, clock));
            } else {
                LOG.warn(
                        "No handler works for subscription {}: its events wait for a process that has one",
                        subscription.name());
            }
        }
        return new Subscriptions(executors);
    }

    /** @throws StartRefused when the database cannot be worked on as it is */
    void open() {
        executors.forEach(SubscriptionExecutor::open);
    }

    /** Kafka is there, and the topics of Tailrace's own are. */
    void join() {
        executors.forEach(SubscriptionExecutor::join);
    }

    /** That of the first that is not ready. */
    Health health() {
        return executors.stream()
                .map(SubscriptionExecutor::health)
                .filter(health -> !health.isReady())
                .findFirst()
                .orElseGet(() -> new Health(State.READY, ""));
    }

    /** Nothing begins any more; returns at once. */
    void stop() {
        executors.forEach(SubscriptionExecutor::stop);
    }

    @Override
    public void close() {
        stop();
        executors.forEach(SubscriptionExecutor::close);
    }
}
