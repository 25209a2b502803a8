package io.tailrace.contract.config;

import io.tailrace.contract.config.ExecutorConfig.MissingHandler;
import io.tailrace.contract.config.SubscriptionConfig.From;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.contract.route.OnDeadLetter;
import java.util.List;

/** Of each subscription. */
final class SubscriptionKeys {

    static final Key<String> EVENTS = Key.of(
            "subscriptions.*.events",
            ValueType.NAMES,
            "Which events it handles, in patterns like those of routes: a name, a name with its version, whole segments followed by"
                    + " `.*`, or `*`. `*` in the key is the name of the subscription: topics, consumer group and inbox rows bear it, so"
                    + " it is chosen once.");
    static final Key<From> FROM = Key.of(
                    "subscriptions.*.from",
                    ValueType.oneOf(From.class),
                    "Where a subscription begins that has never run: at the oldest event that the topics hold, or at the next one.")
            .byDefault(From.EARLIEST);
    static final Key<Integer> WORKERS = Key.of(
                    "subscriptions.*.workers",
                    ValueType.NUMBER,
                    "Handlers of the subscription that run at the same time, and so connections to the database, beside those of"
                            + " commands.")
            .between(1, 1000)
            .byDefault(4);

    static final Key<MissingHandler> ON_MISSING_HANDLER = Key.of(
                    "subscriptions.*.on-missing-handler",
                    ValueType.oneOf(MissingHandler.class),
                    "What becomes of an event that no handler of this process takes: a dead letter after one retry, or it waits,"
                            + " without using an attempt, for a process that has one.")
            .byDefault(MissingHandler.DEAD);
    static final Key<String> SWITCHED_OFF = Key.of(
                    "subscriptions.*.switched-off.*",
                    ValueType.TEXT,
                    "An event name that this process does not handle for the subscription, and the reason, for people. Its events wait,"
                            + " without using an attempt, for a process in which it is not switched off.")
            .byDefault("");

    // Not made of that of the routes: all keys are made of these, and neither class could be begun before the other.
    static final Key<OnDeadLetter> ON_DEAD_LETTER = Key.of(
                    "subscriptions.*.on-dead-letter",
                    ValueType.oneOf(OnDeadLetter.class),
                    "What a dead letter does to its key: the rows behind it go on, or wait until an operator replays, skips or"
                            + " discards it.")
            .byDefault(OnDeadLetter.CONTINUE);

    static final RetryKeys RETRY = new RetryKeys("subscriptions.*.retry", RetryPolicy.EVENTS, RetryKeys.MAX_ATTEMPTS);

    private SubscriptionKeys() {}

    /** In the order of the reference page. */
    static List<Key<?>> all() {
        return List.of(
                EVENTS,
                FROM,
                WORKERS,
                RETRY.base,
                RETRY.cap,
                RETRY.maxAttempts,
                ON_DEAD_LETTER,
                ON_MISSING_HANDLER,
                SWITCHED_OFF);
    }
}
