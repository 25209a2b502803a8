package io.tailrace.system;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.Part;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.engine.CdcEngine;
import io.tailrace.executor.CommandExecutor;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.router.OutboxRouter;
import java.time.Clock;
import java.util.Locale;

/** The parts, in the order in which a row meets them. */
enum Stage {
    ENGINE {
        @Override
        Part make(TailraceConfig config) {
            return new CdcEngine(config, new SimpleMeterRegistry(), Clock.systemUTC());
        }
    },
    ROUTER {
        @Override
        Part make(TailraceConfig config) {
            return new OutboxRouter(config, new SimpleMeterRegistry(), Clock.systemUTC());
        }
    },
    EXECUTOR {
        @Override
        Part make(TailraceConfig config) {
            Handlers handlers = Handlers.discovered(Stage.class.getClassLoader());
            return new CommandExecutor(config, handlers, new SimpleMeterRegistry(), Clock.systemUTC());
        }
    };

    abstract Part make(TailraceConfig config);

    /** As the command line calls it. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
