package io.tailrace.proof.commands;

import io.tailrace.contract.config.RouterConfig.Guarantee;
import java.time.Duration;
import java.util.Objects;

/**
 * One run.
 *
 * @param kills how often an executor or its connections are struck, at least 1
 * @param seed of the writers and of the choice of moments; the machine's own timing is not in it
 * @param guarantee what handlers keep to: over the connection of the command, which is proved; or over one of their own, as an effect elsewhere
 *     would be, which is the control
 * @param patience how long anything may take that must come
 */
public record CommandsSettings(int kills, long seed, Guarantee guarantee, Duration patience) {

    public CommandsSettings {
        Objects.requireNonNull(guarantee, "guarantee");
        Objects.requireNonNull(patience, "patience");
        if (kills < 1) {
            throw new IllegalArgumentException("at least one kill, not " + kills);
        }
    }

    boolean isControl() {
        return guarantee == Guarantee.AT_LEAST_ONCE;
    }
}
