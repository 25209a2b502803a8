package io.tailrace.executor.handler;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Runs commands whose effect is outside of the database (an HTTP call, an e-mail), or that take longer than a transaction may. It has
 * no connection and no transaction. Its row is claimed in a short one; a lease is renewed while it runs; what it returns is written down in another
 * short one, if the claim is still there. Its effect happens at least once: again, when the worker dies after the effect and before the
 * end is written. Give {@link ExternalContext#id()} to the receiver as idempotency key.
 *
 * <p>Of what stands around a handler the gate, {@link #roles()}, logging, the check of the payload and the timeout apply; the
 * application's {@link CommandInterceptor}s do not, since they may count on the transaction.
 *
 * <p>Found and passed like any other {@link CommandHandler}.
 */
public interface ExternalHandler extends CommandHandler {

    /** Longest time that a handler may ask for. */
    Duration LONGEST = Duration.ofDays(1);

    /** How long a run may take, {@link #LONGEST} at most; empty for the handler timeout of the configuration. Asked at each run. */
    default Optional<Duration> timeout() {
        return Optional.empty();
    }

    /**
     * Runs one command. It is interrupted when it outlasts its timeout, when the executor stops and when another worker may have its row; a
     * result that it returns all the same counts.
     *
     * @return what became of it
     * @throws Exception as of {@link CommandHandler#handle}
     */
    Result call(ExternalContext command) throws Exception;

    @Override
    default Result handle(CommandContext command) throws Exception {
        return call(command);
    }

    /** A handler of one name, as short as it gets. */
    static <P> ExternalHandler of(String name, Class<P> payloadType, Body<P> body) {
        return new ExternalHandler() {
            @Override
            public Set<String> names() {
                return Set.of(name);
            }

            @Override
            public Result call(ExternalContext command) throws Exception {
                return body.call(command.payloadAs(payloadType), command);
            }
        };
    }

    /** What such a handler does. */
    @FunctionalInterface
    interface Body<P> {

        /** As {@link ExternalHandler#call}, with the payload read. */
        Result call(P payload, ExternalContext command) throws Exception;
    }
}
