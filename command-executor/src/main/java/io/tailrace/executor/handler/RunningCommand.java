package io.tailrace.executor.handler;

import io.tailrace.client.OriginProvider;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The command that the calling thread runs. For code that handlers share with others, such as a client of the application's own:
 * {@code TailraceClient.builder().origin(RunningCommand.originOr(request))}. Within {@link CommandContext#outbox()} and
 * {@link CommandContext#commands()} it is not needed.
 */
public final class RunningCommand {

    private static final ThreadLocal<@Nullable CommandContext> CURRENT = new ThreadLocal<>();

    private RunningCommand() {}

    /** What this thread runs; empty outside of a handler. Within an {@link ExternalHandler} it has no connection. */
    public static Optional<CommandContext> current() {
        return Optional.ofNullable(CURRENT.get());
    }

    /**
     * On whose behalf the command of the calling thread runs, caused by that command; outside of a handler what another provider says.
     */
    public static OriginProvider originOr(OriginProvider otherwise) {
        return () -> {
            CommandContext command = CURRENT.get();
            return command == null ? otherwise.current() : command.origin().causedBy(command.id());
        };
    }

    /** Does work as a part of this command, on whichever thread. What the thread ran before, if anything, it runs again afterwards. */
    public static <T> T within(CommandContext command, Callable<T> work) throws Exception {
        CommandContext before = CURRENT.get();
        CURRENT.set(command);
        try {
            return work.call();
        } finally {
            if (before == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(before);
            }
        }
    }
}
