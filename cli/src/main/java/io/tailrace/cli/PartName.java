package io.tailrace.cli;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.contract.Part;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.engine.CdcEngine;
import io.tailrace.executor.CommandExecutor;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.router.OutboxRouter;
import java.time.Clock;

/** The parts there are, in the order in which a row meets them, and the one place where each is made. */
enum PartName {
    ENGINE {
        @Override
        Part make(TailraceConfig config, Handlers handlers, MeterRegistry metrics, Clock clock) {
            return PartPerSource.of(config, one -> new CdcEngine(one, metrics, clock));
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
            return PartPerSource.of(config, one -> new CommandExecutor(one, handlers, metrics, clock));
        }
    };

    /** A new one: parts are started once. */
    abstract Part make(TailraceConfig config, Handlers handlers, MeterRegistry metrics, Clock clock);
}
