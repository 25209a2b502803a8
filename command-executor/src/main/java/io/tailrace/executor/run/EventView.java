package io.tailrace.executor.run;

import io.tailrace.client.Commands;
import io.tailrace.client.Outbox;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
import io.tailrace.executor.claim.EventContent;
import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.EventContext;
import io.tailrace.executor.handler.PayloadUnreadable;
import java.sql.Connection;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * One run of an event, as its handler sees it: the run itself is like that of a command.
 *
 * @param run under way
 * @param subscription for which it runs
 * @param event that it is about
 */
record EventView(CommandContext run, String subscription, EventContent event) implements EventContext {

    @Override
    public UUID id() {
        return run.id();
    }

    @Override
    public String source() {
        return run.source();
    }

    @Override
    public String name() {
        return event.name();
    }

    @Override
    public int version() {
        return run.version();
    }

    @Override
    public Optional<String> orderingKey() {
        return run.orderingKey();
    }

    @Override
    public Instant committedAt() {
        return Instant.ofEpochMilli(event.raw().committedMillis());
    }

    @Override
    public Optional<Bytes> payload() {
        return run.payload();
    }

    @Override
    public String contentType() {
        return run.contentType();
    }

    @Override
    public <T> T payloadAs(Class<T> type) throws PayloadUnreadable {
        return run.payloadAs(type);
    }

    @Override
    public Map<String, String> headers() {
        return run.headers();
    }

    @Override
    public Origin origin() {
        return run.origin();
    }

    @Override
    public int attempt() {
        return run.attempt();
    }

    @Override
    public boolean isReplay() {
        return event.replay();
    }

    @Override
    public Connection connection() {
        return run.connection();
    }

    @Override
    public Outbox outbox() {
        return run.outbox();
    }

    @Override
    public Commands commands() {
        return run.commands();
    }
}
