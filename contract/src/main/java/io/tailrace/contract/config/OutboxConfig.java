package io.tailrace.contract.config;

import io.tailrace.contract.record.OutboxMode;
import java.util.Objects;

/**
 * The application's events.
 *
 * @param mode what they are in the database
 */
public record OutboxConfig(OutboxMode mode) {

    /** What a file gets that does not say. */
    public static final OutboxConfig DEFAULT = new OutboxConfig(OutboxMode.TABLE);

    public OutboxConfig {
        Objects.requireNonNull(mode, "mode");
    }
}
