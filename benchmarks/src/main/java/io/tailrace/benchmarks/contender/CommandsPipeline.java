package io.tailrace.benchmarks.contender;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.executor.CommandExecutor;
import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.handler.Result;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Map;
import java.util.Set;

/** Engine, router and executor in one JVM, as {@code tailrace run} has them, with one handler. */
final class CommandsPipeline implements Pipeline {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final EnginePipeline engine;
    private final RouterPipeline router;
    private final CommandExecutor executor;

    private CommandsPipeline(EnginePipeline engine, RouterPipeline router, TailraceConfig config) {
        this.engine = engine;
        this.router = router;
        this.executor = new CommandExecutor(config, Handlers.of(new Reminder()), registry, Clock.systemUTC());
    }

    static CommandsPipeline of(Servers servers, Site site, Map<String, String> settings) {
        return new CommandsPipeline(
                EnginePipeline.of(servers, site, OutboxMode.TABLE, settings),
                RouterPipeline.of(servers, site, settings),
                TailraceDefaults.config(servers, site, OutboxMode.TABLE, settings));
    }

    @Override
    public void start() {
        engine.start();
        router.start();
        executor.start();
    }

    /** Commands that are done. */
    @Override
    public long delivered() {
        // Asked too, so that the failure of one is that of all.
        var unused = engine.delivered() + router.delivered();
        Health health = executor.health();
        if (health.state() == Health.State.FAILED) {
            throw new IllegalStateException("the executor is " + health);
        }
        Counter done = registry.find("tailrace.executor.processed")
                .tag("outcome", "completed")
                .counter();
        return done == null ? 0 : (long) done.count();
    }

    @Override
    public void close() {
        try (engine;
                router) {
            executor.close();
        }
    }

    private static final class Reminder implements CommandHandler {

        private final CommandWork work = new CommandWork(Clock.systemUTC());

        @Override
        public Set<String> names() {
            return Set.of(CommandWork.NAME);
        }

        @Override
        public Result handle(CommandContext command) throws SQLException {
            byte[] payload = command.payload().orElseThrow().array();
            work.run(command.connection(), payload, command.orderingKey().orElse(""));
            return Result.success();
        }
    }
}
