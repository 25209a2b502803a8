package io.tailrace.contract.config;

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
 */
public record ExecutorConfig(
        int workers,
        RetryPolicy retry,
        Map<String, RetryPolicy> retryByName,
        Duration handlerTimeout,
        MissingHandler onMissingHandler,
        Duration stopTimeout) {

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
        Keys.WORKERS.require(workers);
        Keys.HANDLER_TIMEOUT.require(handlerTimeout);
        Keys.EXECUTOR_STOP_TIMEOUT.require(stopTimeout);
    }

    /** The policy of a command: its own override, else the row's attempts on the common policy. */
    public RetryPolicy policyOf(String commandName) {
        return retryByName.getOrDefault(commandName, retry);
    }
}
