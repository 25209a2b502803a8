package io.tailrace.executor.handler;

import io.tailrace.contract.name.RowName;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.route.RoutePattern;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Which handler answers to which event of which subscription. Immutable. */
public final class EventHandlers {

    /** By subscription, by pattern. */
    private final Map<String, Map<String, EventHandler>> bySubscription;

    private EventHandlers(Map<String, Map<String, EventHandler>> bySubscription) {
        this.bySubscription = bySubscription;
    }

    /** Subscriptions that are worked for. */
    public Set<String> subscriptions() {
        return bySubscription.keySet();
    }

    /** The handler of an event. */
    public Optional<EventHandler> find(String subscription, String eventName, int version) {
        Map<String, EventHandler> byPattern = bySubscription.getOrDefault(subscription, Map.of());
        return RowName.event(eventName)
                .name()
                .flatMap(name -> RoutePattern.taking(name, version).stream()
                        .filter(byPattern::containsKey)
                        .findFirst()
                        .map(byPattern::get));
    }

    /** Collects handlers. */
    static final class Builder {

        private final Map<String, Map<String, EventHandler>> bySubscription = new TreeMap<>();

        void add(EventHandler handler) {
            String who = handler.getClass().getName();
            String subscription = handler.subscription();
            if (!Topics.isSubscriptionName(subscription)) {
                throw new IllegalArgumentException(
                        "%s works for '%s', which is no name of a subscription".formatted(who, subscription));
            }
            Set<String> patterns = Set.copyOf(handler.events());
            if (patterns.isEmpty()) {
                throw new IllegalArgumentException(who + " handles no events");
            }
            for (String pattern : patterns) {
                new RoutePattern(pattern).problem().ifPresent(problem -> {
                    throw new IllegalArgumentException("%s handles '%s': %s".formatted(who, pattern, problem));
                });
                EventHandler other = bySubscription
                        .computeIfAbsent(subscription, none -> new HashMap<>())
                        .putIfAbsent(pattern, handler);
                if (other != null) {
                    throw new IllegalArgumentException(
                            "both %s and %s handle '%s' for subscription %s; take the pattern from one of them"
                                    .formatted(other.getClass().getName(), who, pattern, subscription));
                }
            }
        }

        void addAll(EventHandlers others) {
            others.bySubscription.forEach((subscription, byPattern) -> bySubscription
                    .computeIfAbsent(subscription, none -> new HashMap<>())
                    .putAll(byPattern));
        }

        EventHandlers build() {
            Map<String, Map<String, EventHandler>> copy = new TreeMap<>();
            bySubscription.forEach((subscription, byPattern) -> copy.put(subscription, Map.copyOf(byPattern)));
            return new EventHandlers(Map.copyOf(copy));
        }
    }
}
