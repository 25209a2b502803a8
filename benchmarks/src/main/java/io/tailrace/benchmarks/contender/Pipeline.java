package io.tailrace.benchmarks.contender;

import io.tailrace.contract.record.OutboxMode;
import java.util.Map;

/** A contender at work: from one slot to where its rows go. Single use. */
interface Pipeline extends AutoCloseable {

    /** Begins; returns before, at, or after the first row. */
    void start();

    /**
     * Rows that are safe where they go: acknowledged, and committed if there is a transaction. From any thread.
     *
     * @throws IllegalStateException when it has failed and will deliver no more
     */
    long delivered();

    /** Stops, and frees the slot. */
    @Override
    void close();

    /**
     * The pipeline of a contender on a site.
     *
     * @param settings that differ from what is usual: the peer's own, of the configuration for Tailrace
     */
    static Pipeline of(Contender contender, Servers servers, Site site, ReadRows reads, Map<String, String> settings) {
        return switch (contender) {
            case LIMIT_READ -> new LimitPipeline(servers, site, reads);
            case LIMIT_READ_PRODUCE -> new LimitPipeline(servers, site, new ProducedRows(servers, site.limitTopic()));
            case PEER_EVENTROUTER -> new PeerPipeline(servers, site, settings);
            case TAILRACE_TABLE -> EnginePipeline.of(servers, site, OutboxMode.TABLE, settings);
            case TAILRACE_MESSAGE -> EnginePipeline.of(servers, site, OutboxMode.MESSAGE, settings);
            case LIMIT_COPY -> new CopyPipeline(servers, site);
            case TAILRACE_ROUTER -> RouterPipeline.of(servers, site, settings);
            case TAILRACE_ROUTER_UNAUDITED ->
                RouterPipeline.of(servers, site, TailraceDefaults.with(settings, "router.routes.audit", "false"));
            case TAILRACE_WHOLE -> WholePipeline.of(servers, site, settings);
            case PEER_DB_SCHEDULER -> DbSchedulerPipeline.of(servers, site, settings);
            case PEER_SKIP_LOCKED -> SkipLockedPipeline.of(servers, site, settings);
            case TAILRACE_COMMANDS -> CommandsPipeline.of(servers, site, settings);
        };
    }
}
