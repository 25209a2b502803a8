package io.tailrace.executor.run;

import io.tailrace.executor.claim.GuardedConnection;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.CommandInterceptor;
import io.tailrace.executor.handler.CommandInterceptor.Next;
import io.tailrace.executor.handler.PayloadHandler;
import io.tailrace.executor.handler.PayloadUnreadable;
import io.tailrace.executor.handler.Result;
import io.tailrace.executor.handler.RunningCommand;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * What stands around a handler, of commands or of events, from the outside in: authorisation, logging, the check of the payload, the timeout, the transaction, the
 * application's own. The gate stands before all of them, in {@link RowRunner}: what it stops is no run.
 */
final class Stages {

    private static final Logger LOG = LoggerFactory.getLogger(Stages.class);

    private Stages() {}

    static List<Stage> of(RunGuard guard, List<CommandInterceptor> interceptors, BiConsumer<String, Duration> ran) {
        return List.of(
                Stages::authorised,
                Stages::logged,
                Stages::checked,
                timed(guard, ran),
                Stages::inTransaction,
                own(interceptors));
    }

    /** Of external handlers: the application's own may count on the transaction. */
    static List<Stage> outside(RunGuard guard, BiConsumer<String, Duration> ran) {
        return List.of(Stages::authorised, Stages::logged, Stages::checked, timed(guard, ran));
    }

    /** Whoever scheduled the command, or published the event, must have one of the roles. */
    private static Result authorised(Run run, Next next) throws Exception {
        Set<String> wanted = run.handler.roles();
        return wanted.isEmpty() || !Collections.disjoint(wanted, run.context.roles())
                ? next.proceed()
                : Result.rejected(
                        "it needs one of the roles " + String.join(", ", new TreeSet<>(wanted)) + ", and whoever "
                                + (run.context.isOfEvent() ? "published" : "scheduled") + " it has none of them");
    }

    /**
     * What the handler logs carries the row, and code far from the context finds it. The thread serves another row next, so that nothing of this
     * one may stay on it, nor what the handler itself has left there. What was there before belongs to a caller whose thread it is: the
     * handler logs nothing of it, and it is there again afterwards.
     */
    private static Result logged(Run run, Next next) throws Exception {
        RunContext command = run.context;
        Map<String, String> callers = MDC.getCopyOfContextMap();
        MDC.clear();
        put("rowId", command.id().toString());
        put("name", command.name());
        put("key", command.orderingKey().orElse(null));
        put("attempt", Integer.toString(command.attempt()));
        put("tenant", command.origin().tenantId());
        put("user", command.origin().userId());
        put("correlationId", command.origin().correlationId());
        put("traceparent", command.origin().traceparent());
        try {
            LOG.debug("Command runs");
            Result result = RunningCommand.within(command, next::proceed);
            LOG.debug("Command ran: {}", result.getClass().getSimpleName());
            return result;
        } finally {
            MDC.clear();
            if (callers != null) {
                MDC.setContextMap(callers);
            }
        }
    }

    private static void put(String key, @Nullable String value) {
        if (value != null) {
            MDC.put(key, value);
        }
    }

    /** What cannot be read, or is not what the handler takes, takes nothing back. */
    private static Result checked(Run run, Next next) throws Exception {
        Optional<String> problem =
                run.handler instanceof PayloadHandler<?> typed ? problemIn(typed, run.context) : Optional.empty();
        return problem.isPresent() ? Result.rejected(problem.get()) : next.proceed();
    }

    private static <P> Optional<String> problemIn(PayloadHandler<P> handler, RunContext command)
            throws PayloadUnreadable {
        return handler.problemIn(command.payloadAs(handler.payloadType()));
    }

    private static Stage timed(RunGuard guard, BiConsumer<String, Duration> ran) {
        return (run, next) -> {
            long start = System.nanoTime();
            RunGuard.Watched watched = guard.watch(run.connection, run.timeout, run.context.id(), run.context.name());
            try {
                run.observer.accept(watched);
                return next.proceed();
            } finally {
                run.ended = watched.finish();
                ran.accept(run.context.name(), Duration.ofNanos(System.nanoTime() - start));
            }
        };
    }

    /** The connection is the handler's from here to the end of the run, and not to end. Its savepoint came with the claim. */
    private static Result inTransaction(Run run, Next next) throws Exception {
        GuardedConnection guarded = Objects.requireNonNull(run.guarded);
        run.begun = true;
        try {
            return next.proceed();
        } finally {
            guarded.end();
        }
    }

    private static Stage own(List<CommandInterceptor> interceptors) {
        return (run, next) -> {
            Next all = next;
            for (int i = interceptors.size() - 1; i >= 0; i--) {
                all = within(interceptors.get(i), run, all);
            }
            return all.proceed();
        };
    }

    private static Next within(CommandInterceptor interceptor, Run run, Next next) {
        return () -> named(interceptor, interceptor.around(run.context, next));
    }

    /** Innermost of all. */
    static Next handler(Run run) {
        CommandHandler handler = run.handler;
        return () -> named(handler, handler.handle(run.context));
    }

    private static Result named(Object owner, @Nullable Result result) {
        if (result == null) {
            throw new IllegalStateException(owner.getClass().getName() + " returned null; it must return a Result");
        }
        return result;
    }
}
