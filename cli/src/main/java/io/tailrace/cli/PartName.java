package io.tailrace.cli;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.contract.Part;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.engine.CdcEngine;
import io.tailrace.engine.EngineMetrics;
import io.tailrace.executor.CommandExecutor;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.metric.ExecutorMetrics;
import io.tailrace.operations.upkeep.Upkeep;
import io.tailrace.operations.upkeep.UpkeepMetrics;
import io.tailrace.router.OutboxRouter;
import java.time.Clock;

/** The parts there are, in the order in which a row meets them, and the one place where each is made. */
enum PartName {
    ENGINE {
        @Override
        Part make(TailraceConfig config, Handlers handlers, MeterRegistry metrics, Clock clock) {
            return PartPerSource.of(config, one -> engine(one, metrics, clock));
        }
    },
    ROUTER {
        @Override
        Part make(TailraceConfig config, Handlers handlers, MeterRegistry metrics, Clock clock) {
            return new OutboxRouter(config, metrics, clock);
        }
    },
    EXECUTOR {
        @Override
        Part make(TailraceConfig config, Handlers handlers, MeterRegistry metrics, Clock clock) {
            return PartPerSource.of(config, one -> executor(one, handlers, metrics, clock));
        }
    };

    /** A new one: parts are started once. */
    abstract Part make(TailraceConfig config, Handlers handlers, MeterRegistry metrics, Clock clock);

    /** Of one source. It takes over the meters of one that was there before. */
    static Part engine(TailraceConfig one, MeterRegistry metrics, Clock clock) {
        Metrics.forgetGauges(metrics, EngineMetrics.PREFIX, "slot", one.slot());
        return new CdcEngine(one, metrics, clock);
    }

    private static Part executor(TailraceConfig one, Handlers handlers, MeterRegistry metrics, Clock clock) {
        Metrics.forgetGauges(
                metrics, ExecutorMetrics.PREFIX, "source", one.source().name());
        Metrics.forgetGauges(
                metrics, UpkeepMetrics.PREFIX, "source", one.source().name());
        return new KeptExecutor(new CommandExecutor(one, handlers, metrics, clock), new Upkeep(one, metrics, clock));
    }
}
