package io.tailrace.contract.config;

import io.tailrace.contract.route.OnDeadLetter;
import java.util.Map;
import java.util.Objects;

/**
 * What a dead command, or a dead event of a subscription, does to its key.
 *
 * @param common of names that have none of their own
 * @param byName overrides by command name
 */
public record DeadLetterPolicy(OnDeadLetter common, Map<String, OnDeadLetter> byName) {

    /** Keys go on. */
    public static final DeadLetterPolicy CONTINUE = of(OnDeadLetter.CONTINUE);

    public DeadLetterPolicy {
        Objects.requireNonNull(common, "common");
        byName = Map.copyOf(byName);
    }

    /** The same for all names. */
    public static DeadLetterPolicy of(OnDeadLetter common) {
        return new DeadLetterPolicy(common, Map.of());
    }
}
