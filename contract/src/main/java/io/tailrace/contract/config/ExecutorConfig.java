package io.tailrace.contract.config;

import io.tailrace.contract.name.RowName;
import io.tailrace.contract.retry.RetryPolicy;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * The executor of commands.
 *
 * @param workers handlers that run at the same time, and so connections to the database
 * @param retry policy of commands
 * @param retryByName overrides by command name
 * @param handlerTimeout longest run of a handler; longer work is declared external
 * @param onMissingHandler what becomes of a command that no handler is registered for
 * @param stopTimeout how long a stop waits for running handlers
 * @param switchedOff command names that do not run here, each with the reason for people; their commands wait
 */
public record ExecutorConfig(
        int workers,
        RetryPolicy retry,
        Map<String, RetryPolicy> retryByName,
        Duration handlerTimeout,
        MissingHandler onMissingHandler,
        Duration stopTimeout,
        Map<String, String> switchedOff) {

    /** What becomes of a command that no handler is registered for. */
    public enum MissingHandler {
        /** It is dead at the first attempt. */
        DEAD,
        /** It waits, without using an attempt, for a worker that has one. */
        WAIT
    }

    public ExecutorConfig {
        Objects.requireNonNull(retry, "retry");
        Objects.requireNonNull(onMissingHandler, "onMissingHandler");
        retryByName = Map.copyOf(retryByName);
        switchedOff = Map.copyOf(switchedOff);
        Keys.WORKERS.require(workers);
        Keys.HANDLER_TIMEOUT.require(handlerTimeout);
        Keys.EXECUTOR_STOP_TIMEOUT.require(stopTimeout);
    }

    /** With nothing switched off. */
    public ExecutorConfig(
            int workers,
            RetryPolicy retry,
            Map<String, RetryPolicy> retryByName,
            Duration handlerTimeout,
            MissingHandler onMissingHandler,
            Duration stopTimeout) {
        this(workers, retry, retryByName, handlerTimeout, onMissingHandler, stopTimeout, Map.of());
    }

    /** The policy of a command: the override of its name, else that of its name without a version, else the common one. */
    public RetryPolicy policyOf(String commandName) {
        if (retryByName.isEmpty()) {
            return retry;
        }
        RetryPolicy own = retryByName.get(commandName);
        return own != null ? own : retryByName.getOrDefault(withoutVersion(commandName), retry);
    }

    private static String withoutVersion(String commandName) {
        return RowName.command(commandName)
                .name()
                .map(name -> String.join(".", name.segments()))
                .orElse(commandName);
    }
}
