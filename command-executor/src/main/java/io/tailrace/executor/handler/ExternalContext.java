package io.tailrace.executor.handler;

import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * One run of one command, as an {@link ExternalHandler} sees it: without a connection. Everything here comes from its row as it was
 * claimed. Valid until the handler returns.
 */
public interface ExternalContext {

    /** The row id: the idempotency key for effects outside the database. */
    UUID id();

    /** The source that the row is in, as the configuration names it: the name of its database unless it has another. */
    String source();

    /** The command name as it stands in the row. */
    String name();

    /** The version of what {@link #payloadAs} reads: N of a {@code .vN} at the end of the name, else 1, or what {@link Upcaster}s made of it. */
    int version();

    /** Rows of one key run one after the other, in the order in which they became due. */
    Optional<String> orderingKey();

    /** The payload's bytes as the row holds them; empty when the row has none. */
    Optional<Bytes> payload();

    /** Media type of the payload; {@code application/json} or {@code application/octet-stream} unless the row says otherwise. */
    String contentType();

    /**
     * The payload, brought to the handler's version by {@link Upcaster}s and read from JSON; fields that the type does not have are ignored.
     *
     * @throws PayloadUnreadable naming field and position, if there is none, it is no JSON, or the type does not take it: the command is dead
     *     at once when a handler lets it through
     */
    <T> T payloadAs(Class<T> type) throws PayloadUnreadable;

    /** The row's own headers. */
    Map<String, String> headers();

    /** On whose behalf the command was scheduled. */
    Origin origin();

    /** The roles of {@link #origin()}, one by one. */
    default Set<String> roles() {
        String roles = origin().userRoles();
        return roles == null
                ? Set.of()
                : Arrays.stream(roles.split(","))
                        .map(String::strip)
                        .filter(role -> !role.isEmpty())
                        .collect(Collectors.toUnmodifiableSet());
    }

    /** 1 for the first run, one more after each run that used an attempt. */
    int attempt();
}
