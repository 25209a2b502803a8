package io.tailrace.contract.config;

import io.tailrace.contract.config.ExecutorConfig.MissingHandler;
import java.util.Map;
import java.util.Objects;

/**
 * What becomes of events that nobody handles in this process.
 *
 * @param onMissingHandler when no handler is registered for one
 * @param switchedOff names whose handlers are not called here, each with the reason for people; their events wait
 */
public record MissingConfig(MissingHandler onMissingHandler, Map<String, String> switchedOff) {

    /** As it is when nothing is said. */
    public static final MissingConfig DEFAULT = new MissingConfig(MissingHandler.DEAD, Map.of());

    public MissingConfig {
        Objects.requireNonNull(onMissingHandler, "onMissingHandler");
        switchedOff = Map.copyOf(switchedOff);
    }
}
