package io.tailrace.contract.config;

import io.tailrace.contract.retry.RetryPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/**
 * The router.
 *
 * @param routes where events go
 * @param retry of events that no route names
 * @param guarantee of the Streams topology
 * @param commitInterval of its transactions: half the latency of a row, and the price of a commit
 * @param threads stream threads of this instance
 * @param stateDirectory for the lanes' stores; must survive a restart for a fast one
 * @param instanceId static membership: unique for each instance, stable over its restarts
 * @param streamsErrorHeaders whether dead letters carry their trail under the names of Kafka Streams as well
 */
public record RouterConfig(
        RoutesConfig routes,
        RetryPolicy retry,
        Guarantee guarantee,
        Duration commitInterval,
        int threads,
        Path stateDirectory,
        String instanceId,
        boolean streamsErrorHeaders) {

    /** What a reader of the routed topics may rely on. */
    public enum Guarantee {
        /** Each row once, for {@code read_committed} readers. */
        EXACTLY_ONCE,
        /** Each row once or more, some milliseconds sooner. */
        AT_LEAST_ONCE
    }

    public RouterConfig {
        Objects.requireNonNull(routes, "routes");
        Objects.requireNonNull(retry, "retry");
        Objects.requireNonNull(guarantee, "guarantee");
        Objects.requireNonNull(stateDirectory, "stateDirectory");
        Objects.requireNonNull(instanceId, "instanceId");
        Keys.COMMIT_INTERVAL.require(commitInterval);
        Keys.THREADS.require(threads);
    }

    /** The same with other routes, and the policy of events whose rule has none. */
    public RouterConfig with(RoutesConfig changed, RetryPolicy policy) {
        return new RouterConfig(
                changed, policy, guarantee, commitInterval, threads, stateDirectory, instanceId, streamsErrorHeaders);
    }

    /** With dead letters that carry Tailrace's own headers alone. */
    public RouterConfig(
            RoutesConfig routes,
            RetryPolicy retry,
            Guarantee guarantee,
            Duration commitInterval,
            int threads,
            Path stateDirectory,
            String instanceId) {
        this(routes, retry, guarantee, commitInterval, threads, stateDirectory, instanceId, false);
    }
}
