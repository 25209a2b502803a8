package io.tailrace.contract.config;

import java.util.List;
import java.util.Objects;

/**
 * Where events go: rules by name pattern, the most specific wins; what no rule takes goes the default way.
 *
 * @param byDefault the way of an event that no rule takes
 * @param audit whether what no rule takes is copied to the audit feed
 * @param rules overrides
 */
public record RoutesConfig(Default byDefault, boolean audit, List<Rule> rules) {

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
     * @param pattern an event name, or a prefix of whole segments followed by {@code .*}
     * @param topic template of the destination; {@code {context}}, {@code {name}} and {@code {version}} are filled in
     * @param audit whether these events are copied to the audit feed
     */
    public record Rule(String pattern, String topic, boolean audit) {
        /** With a copy on the audit feed. */
        public Rule(String pattern, String topic) {
            this(pattern, topic, true);
        }

        public Rule {
            Objects.requireNonNull(pattern, "pattern");
            Objects.requireNonNull(topic, "topic");
        }
    }

    /** With copies on the audit feed. */
    public RoutesConfig(Default byDefault, List<Rule> rules) {
        this(byDefault, true, rules);
    }

    public RoutesConfig {
        Objects.requireNonNull(byDefault, "byDefault");
        rules = List.copyOf(rules);
    }
}
