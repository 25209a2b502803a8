package io.tailrace.contract.config;

import io.tailrace.contract.name.RowName;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.contract.route.OnDeadLetter;
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
 * @param externalLease how long the claim of an external handler lasts that is not renewed
 * @param webhooks by command name
 * @param onDeadLetter what dead commands do to their keys
 */
public record ExecutorConfig(
        int workers,
        RetryPolicy retry,
        Map<String, RetryPolicy> retryByName,
        Duration handlerTimeout,
        MissingHandler onMissingHandler,
        Duration stopTimeout,
        Map<String, String> switchedOff,
        Duration externalLease,
        Map<String, WebhookConfig> webhooks,
        DeadLetterPolicy onDeadLetter) {

    /** How long the claim of an external handler lasts when nothing is said. */
    public static final Duration EXTERNAL_LEASE = Duration.ofMinutes(5);

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
        Objects.requireNonNull(onDeadLetter, "onDeadLetter");
        retryByName = Map.copyOf(retryByName);
        switchedOff = Map.copyOf(switchedOff);
        webhooks = Map.copyOf(webhooks);
        Keys.WORKERS.require(workers);
        Keys.HANDLER_TIMEOUT.require(handlerTimeout);
        Keys.EXECUTOR_STOP_TIMEOUT.require(stopTimeout);
        WebhookKeys.EXTERNAL_LEASE.require(externalLease);
        webhooks.keySet().forEach(ExecutorConfig::requireName);
    }

    private static void requireName(String command) {
        RowName.command(command).match(name -> true, problem -> {
            throw new IllegalArgumentException("executor.webhooks.%s: %s".formatted(command, problem));
        });
    }

    /** With nothing switched off, and no webhooks. */
    public ExecutorConfig(
            int workers,
            RetryPolicy retry,
            Map<String, RetryPolicy> retryByName,
            Duration handlerTimeout,
            MissingHandler onMissingHandler,
            Duration stopTimeout) {
        this(workers, retry, retryByName, handlerTimeout, onMissingHandler, stopTimeout, Map.of());
    }

    /** Without webhooks; no key stops. */
    public ExecutorConfig(
            int workers,
            RetryPolicy retry,
            Map<String, RetryPolicy> retryByName,
            Duration handlerTimeout,
            MissingHandler onMissingHandler,
            Duration stopTimeout,
            Map<String, String> switchedOff) {
        this(
                workers,
                retry,
                retryByName,
                handlerTimeout,
                onMissingHandler,
                stopTimeout,
                switchedOff,
                EXTERNAL_LEASE,
                Map.of(),
                DeadLetterPolicy.CONTINUE);
    }

    /** The same with external handlers whose claims last for this long, and with these webhooks. */
    public ExecutorConfig with(Duration lease, Map<String, WebhookConfig> hooks) {
        return new ExecutorConfig(
                workers,
                retry,
                retryByName,
                handlerTimeout,
                onMissingHandler,
                stopTimeout,
                switchedOff,
                lease,
                hooks,
                onDeadLetter);
    }

    /** The same with keys that stop at dead letters, or do not. */
    public ExecutorConfig with(DeadLetterPolicy policy) {
        return new ExecutorConfig(
                workers,
                retry,
                retryByName,
                handlerTimeout,
                onMissingHandler,
                stopTimeout,
                switchedOff,
                externalLease,
                webhooks,
                policy);
    }

    /** The policy of a command: the override of its name, else that of its name without a version, else the common one. */
    public RetryPolicy policyOf(String commandName) {
        return ofName(retryByName, commandName, retry);
    }

    /** Whether the key of a command stops when it is a dead letter; found like {@link #policyOf}. */
    public boolean haltsKey(String commandName) {
        return ofName(onDeadLetter.byName(), commandName, onDeadLetter.common()) == OnDeadLetter.HALT_KEY;
    }

    private static <T> T ofName(Map<String, T> byName, String commandName, T common) {
        if (byName.isEmpty()) {
            return common;
        }
        T own = byName.get(commandName);
        return own != null ? own : byName.getOrDefault(withoutVersion(commandName), common);
    }

    private static String withoutVersion(String commandName) {
        return RowName.command(commandName)
                .name()
                .map(name -> String.join(".", name.segments()))
                .orElse(commandName);
    }
}
