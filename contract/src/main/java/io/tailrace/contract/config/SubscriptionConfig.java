package io.tailrace.contract.config;

import io.tailrace.contract.name.RowName;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.contract.route.OnDeadLetter;
import io.tailrace.contract.route.RoutePattern;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A subscription: events that handlers of the executor work on, with the care that commands get.
 *
 * @param name of its topics, its group and its inbox rows
 * @param events patterns of the events it takes, at least one
 * @param from where it begins when it has never run
 * @param workers handlers that run at the same time
 * @param retry policy of its events
 * @param onDeadLetter what a dead event does to its key, within the subscription
 * @param missing what becomes of those that nobody handles
 */
public record SubscriptionConfig(
        String name,
        List<String> events,
        From from,
        int workers,
        RetryPolicy retry,
        OnDeadLetter onDeadLetter,
        MissingConfig missing) {

    /** Where a subscription begins that has never run. */
    public enum From {
        /** At the oldest event that the topics hold. */
        EARLIEST,
        /** At the next one. */
        LATEST
    }

    public SubscriptionConfig {
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(retry, "retry");
        Objects.requireNonNull(onDeadLetter, "onDeadLetter");
        Objects.requireNonNull(missing, "missing");
        events = List.copyOf(events);
        SubscriptionKeys.WORKERS.require(workers);
        if (!Topics.isSubscriptionName(name)) {
            throw new IllegalArgumentException(
                    ("a subscription may not be called '%s': 1 to 60 of a-z, 0-9, '_' and '-', beginning with a letter, and none of"
                                    + " raw, events, commands and audit")
                            .formatted(name));
        }
        if (events.isEmpty()) {
            throw new IllegalArgumentException("subscription '%s' names no events".formatted(name));
        }
        Set<String> before = new HashSet<>();
        for (String pattern : events) {
            new RoutePattern(pattern).problem().ifPresent(problem -> {
                throw new IllegalArgumentException("events '%s': %s".formatted(pattern, problem));
            });
            if (!before.add(pattern)) {
                throw new IllegalArgumentException("events '%s' is there twice; delete one of them".formatted(pattern));
            }
        }
    }

    /** With everything but the events as it is when nothing is said. */
    public SubscriptionConfig(String name, List<String> events) {
        this(name, events, From.EARLIEST, 4, RetryPolicy.EVENTS);
    }

    /** With keys that go on behind dead letters, and with events that nobody handles as they are when nothing is said. */
    public SubscriptionConfig(String name, List<String> events, From from, int workers, RetryPolicy retry) {
        this(name, events, from, workers, retry, OnDeadLetter.CONTINUE, MissingConfig.DEFAULT);
    }

    /** The same with keys that stop at dead letters, or do not. */
    public SubscriptionConfig with(OnDeadLetter changed) {
        return new SubscriptionConfig(name, events, from, workers, retry, changed, missing);
    }

    /** The same with events that nobody handles treated like this. */
    public SubscriptionConfig with(MissingConfig changed) {
        return new SubscriptionConfig(name, events, from, workers, retry, onDeadLetter, changed);
    }

    /** Whether it takes an event. */
    public boolean takes(RowName event, int version) {
        return RoutePattern.taking(event, version).stream().anyMatch(events::contains);
    }
}
