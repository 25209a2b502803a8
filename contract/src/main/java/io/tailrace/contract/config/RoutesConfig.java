package io.tailrace.contract.config;

import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.contract.route.OnDeadLetter;
import io.tailrace.contract.route.PartitionKey;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Where events go: rules by name pattern, the most specific wins; what no rule takes goes the default way. What of an event is secret is
 * not said here but in {@link RedactConfig}, for commands are no rule's.
 *
 * @param byDefault the way of an event that no rule takes
 * @param audit whether what no rule takes is copied to the audit feed
 * @param onDeadLetter of what no rule takes, and of what has no name to be taken by
 * @param rules overrides
 */
public record RoutesConfig(Default byDefault, boolean audit, OnDeadLetter onDeadLetter, List<Rule> rules) {

    /** The default route. */
    public enum Default {
        /** {@code <ns>.events.<first segment>}. */
        CONTEXT,
        /** There is none: an unlisted name is "no route". */
        NONE
    }

    /**
     * One override.
     *
     * @param pattern a {@link io.tailrace.contract.route.RoutePattern}
     * @param topic a {@link io.tailrace.contract.route.TopicTemplate}; empty for the topic of the default route
     * @param legacyTopic a second topic while readers move from one to the other: each event goes to both in one transaction
     * @param partitionKey key of the records there
     * @param retry waits and attempts; empty for the router's
     * @param onDeadLetter what a dead letter does to its key
     * @param audit whether these events are copied to the audit feed
     */
    public record Rule(
            String pattern,
            Optional<String> topic,
            Optional<String> legacyTopic,
            PartitionKey partitionKey,
            Optional<RetryPolicy> retry,
            OnDeadLetter onDeadLetter,
            boolean audit) {

        /** To a topic, with all else as it is without a rule. */
        public Rule(String pattern, String topic) {
            this(pattern, topic, true);
        }

        /** To a topic, with or without a copy on the audit feed. */
        public Rule(String pattern, String topic, boolean audit) {
            this(
                    pattern,
                    Optional.of(topic),
                    Optional.empty(),
                    PartitionKey.ORDERING_KEY,
                    Optional.empty(),
                    OnDeadLetter.CONTINUE,
                    audit);
        }

        public Rule {
            Objects.requireNonNull(pattern, "pattern");
            Objects.requireNonNull(topic, "topic");
            Objects.requireNonNull(legacyTopic, "legacyTopic");
            Objects.requireNonNull(partitionKey, "partitionKey");
            Objects.requireNonNull(retry, "retry");
            Objects.requireNonNull(onDeadLetter, "onDeadLetter");
        }

        /** The same, to a second topic as well. */
        public Rule withLegacyTopic(String template) {
            return new Rule(pattern, topic, Optional.of(template), partitionKey, retry, onDeadLetter, audit);
        }

        /** The same under another key. */
        public Rule with(PartitionKey key) {
            return new Rule(pattern, topic, legacyTopic, key, retry, onDeadLetter, audit);
        }

        /** The same with waits of its own. */
        public Rule with(RetryPolicy policy) {
            return new Rule(pattern, topic, legacyTopic, partitionKey, Optional.of(policy), onDeadLetter, audit);
        }

        /** The same with another end of a key. */
        public Rule with(OnDeadLetter end) {
            return new Rule(pattern, topic, legacyTopic, partitionKey, retry, end, audit);
        }
    }

    /** With copies on the audit feed, and keys that go on. */
    public RoutesConfig(Default byDefault, List<Rule> rules) {
        this(byDefault, true, rules);
    }

    /** With keys that go on. */
    public RoutesConfig(Default byDefault, boolean audit, List<Rule> rules) {
        this(byDefault, audit, OnDeadLetter.CONTINUE, rules);
    }

    public RoutesConfig {
        Objects.requireNonNull(byDefault, "byDefault");
        Objects.requireNonNull(onDeadLetter, "onDeadLetter");
        rules = List.copyOf(rules);
    }
}
