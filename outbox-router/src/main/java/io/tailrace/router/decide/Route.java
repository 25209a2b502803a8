package io.tailrace.router.decide;

import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.contract.route.OnDeadLetter;
import io.tailrace.contract.route.PartitionKey;
import java.util.List;
import java.util.Objects;

/**
 * Where an event goes, how, and which rule says so.
 *
 * @param topics the destinations, one or, during a transition, two: the canonical first, then the legacy one
 * @param partitionKey key of the records there
 * @param retry waits and attempts
 * @param onDeadLetter what a dead letter does to its key
 * @param audited whether the audit feed gets a copy
 * @param rule the pattern that took the name, {@value #DEFAULT} if none did
 */
public record Route(
        List<String> topics,
        PartitionKey partitionKey,
        RetryPolicy retry,
        OnDeadLetter onDeadLetter,
        boolean audited,
        String rule) {

    /** In the place of a pattern: the default route. */
    public static final String DEFAULT = "default";

    public Route {
        topics = List.copyOf(topics);
        Objects.requireNonNull(partitionKey, "partitionKey");
        Objects.requireNonNull(retry, "retry");
        Objects.requireNonNull(onDeadLetter, "onDeadLetter");
        Objects.requireNonNull(rule, "rule");
    }

    /** The canonical destination. */
    public String topic() {
        return topics.get(0);
    }
}
