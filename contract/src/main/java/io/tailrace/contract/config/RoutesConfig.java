package io.tailrace.contract.config;

import java.util.List;
import java.util.Objects;

/**
 * Where events go: rules by name pattern, the most specific wins; what no rule takes goes the default way.
 *
 * @param byDefault the way of an event that no rule takes
 * @param rules overrides
 */
public record RoutesConfig(Default byDefault, List<Rule> rules) {

    /** The default route. */
    public enum Default {
        /** {@code <ns>.events.<first segment>}. */
        CONTEXT,
        /** There is none: an unlisted name is "no route". */
        NONE
    }

    /** What a dead letter means for the key of its row. */
    public enum OnDeadLetter {
        /** The newer rows of the key go on. */
        CONTINUE,
        /** They wait until an operator replays, skips or discards the dead letter. */
        HALT_KEY
    }

    /**
     * One override.
     *
     * @param pattern an event name, or a prefix of whole segments followed by {@code .*}
     * @param topic template of the destination; {@code {context}}, {@code {name}} and {@code {version}} are filled in
     * @param onDeadLetter what a dead letter of such an event means for its key
     */
    public record Rule(String pattern, String topic, OnDeadLetter onDeadLetter) {
        public Rule {
            Objects.requireNonNull(pattern, "pattern");
            Objects.requireNonNull(topic, "topic");
            Objects.requireNonNull(onDeadLetter, "onDeadLetter");
        }
    }

    /** A rule whose events let their keys go on. */
    public static Rule rule(String pattern, String topic) {
        return new Rule(pattern, topic, OnDeadLetter.CONTINUE);
    }

    public RoutesConfig {
        Objects.requireNonNull(byDefault, "byDefault");
        rules = List.copyOf(rules);
    }
}
