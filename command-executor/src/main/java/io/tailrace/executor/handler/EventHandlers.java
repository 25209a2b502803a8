package io.tailrace.executor.handler;

import io.tailrace.contract.name.RowName;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.route.RoutePattern;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/** Which handler answers to which event of which subscription, and what stands around all of them. Immutable. */
public final class EventHandlers {

    /** By subscription, by pattern. */
    private final Map<String, Map<String, List<Ranged>>> bySubscription;

    private final Upcasters upcasters;
    private final List<EventInterceptor> interceptors;

    /** A handler, and the versions that it answers to if it says of which. */
    private record Ranged(Optional<Versions> versions, EventHandler handler) {

        boolean takes(int version) {
            return versions.map(range -> range.contains(version)).orElse(true);
        }

        boolean overlaps(Ranged other) {
            return versions.isEmpty()
                    || other.versions.isEmpty()
                    || versions.get().overlaps(other.versions.get());
        }
    }

    private EventHandlers(Builder builder) {
        Map<String, Map<String, List<Ranged>>> copy = new TreeMap<>();
        builder.bySubscription.forEach((subscription, byPattern) -> {
            Map<String, List<Ranged>> handlers = new HashMap<>();
            byPattern.forEach((pattern, all) -> handlers.put(pattern, List.copyOf(all)));
            copy.put(subscription, Map.copyOf(handlers));
        });
        this.bySubscription = Map.copyOf(copy);
        this.upcasters = builder.upcasters.build();
        this.interceptors = builder.interceptors.stream()
                .sorted(Comparator.comparingInt(EventInterceptor::order))
                .toList();
    }

    /** Subscriptions that are worked for. */
    public Set<String> subscriptions() {
        return bySubscription.keySet();
    }

    /** The handler of an event. */
    public Optional<EventHandler> find(String subscription, String eventName, int version) {
        Map<String, List<Ranged>> byPattern = bySubscription.getOrDefault(subscription, Map.of());
        return RowName.event(eventName)
                .name()
                .flatMap(name -> RoutePattern.taking(name, version).stream()
                        .flatMap(pattern -> byPattern.getOrDefault(pattern, List.of()).stream())
                        .filter(each -> each.takes(version))
                        .map(Ranged::handler)
                        .findFirst());
    }

    /** Whether an event of this name has a handler, in one of its versions at least. */
    public boolean handles(String subscription, String eventName) {
        return RowName.event(eventName)
                .name()
                .filter(name ->
                        find(subscription, eventName, name.suffixVersion().orElse(1))
                                        .isPresent()
                                || handlesAnother(subscription, name))
                .isPresent();
    }

    private boolean handlesAnother(String subscription, RowName name) {
        return name.suffixVersion().isEmpty()
                && bySubscription.getOrDefault(subscription, Map.of()).keySet().stream()
                        .anyMatch(pattern -> takesSome(pattern, name));
    }

    /** What leads from one version of an event to the next. */
    public Upcasters upcasters() {
        return upcasters;
    }

    /** What stands around every handler of events, from the outside in. */
    public List<EventInterceptor> interceptors() {
        return interceptors;
    }

    private static boolean takesSome(String pattern, RowName name) {
        return new RoutePattern(pattern)
                .onlyName()
                .map(only -> only.segments().equals(name.segments()))
                .orElseGet(() -> RoutePattern.taking(name, 1).contains(pattern));
    }

    /** Collects handlers. */
    static final class Builder {

        private final Map<String, Map<String, List<Ranged>>> bySubscription = new TreeMap<>();
        private final Upcasters.Builder upcasters = new Upcasters.Builder();
        private final List<EventInterceptor> interceptors = new ArrayList<>();

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
            Ranged ranged = new Ranged(handler.versions(), handler);
            for (String pattern : patterns) {
                refuse(pattern, ranged);
                List<Ranged> same = bySubscription
                        .computeIfAbsent(subscription, none -> new HashMap<>())
                        .computeIfAbsent(pattern, none -> new ArrayList<>());
                for (Ranged other : same) {
                    if (other.overlaps(ranged)) {
                        throw new IllegalArgumentException(
                                "both %s and %s handle '%s' for subscription %s; take the pattern from one of them"
                                        .formatted(other.handler().getClass().getName(), who, pattern, subscription));
                    }
                }
                same.add(ranged);
            }
        }

        void add(EventInterceptor interceptor) {
            interceptors.add(interceptor);
        }

        void add(Upcaster upcaster) {
            RowName name = RowName.event(upcaster.name()).match(valid -> valid, problem -> {
                throw new IllegalArgumentException(
                        "%s answers to '%s': %s".formatted(upcaster.getClass().getName(), upcaster.name(), problem));
            });
            upcasters.add(name, upcaster);
        }

        void addAll(EventHandlers others) {
            others.bySubscription.forEach((subscription, byPattern) -> {
                Map<String, List<Ranged>> mine = bySubscription.computeIfAbsent(subscription, none -> new HashMap<>());
                byPattern.forEach((pattern, all) ->
                        mine.computeIfAbsent(pattern, none -> new ArrayList<>()).addAll(all));
            });
            upcasters.addAll(others.upcasters);
            interceptors.addAll(others.interceptors);
        }

        EventHandlers build() {
            return new EventHandlers(this);
        }

        private static void refuse(String pattern, Ranged ranged) {
            String who = ranged.handler().getClass().getName();
            RoutePattern route = new RoutePattern(pattern);
            route.problem().ifPresent(problem -> {
                throw new IllegalArgumentException("%s handles '%s': %s".formatted(who, pattern, problem));
            });
            OptionalInt version = route.onlyName().map(RowName::suffixVersion).orElse(OptionalInt.empty());
            if (version.isPresent() && ranged.versions().isPresent()) {
                throw new IllegalArgumentException(
                        "%s says of which versions it is and handles '%s'; take the version from the pattern"
                                .formatted(who, pattern));
            }
        }
    }
}
