package io.tailrace.executor.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.client.Commands;
import io.tailrace.client.Outbox;
import io.tailrace.client.TailraceClient;
import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
import io.tailrace.contract.record.OutboxMode;
import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.claim.CommandRow;
import io.tailrace.executor.claim.EventContent;
import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.PayloadUnreadable;
import java.sql.Connection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One run, as its handler sees it. For one thread: the handler's. */
final class RunContext implements CommandContext {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final UUID id;
    private final CommandRow row;
    private final @Nullable EventContent event;
    private final @Nullable Connection connection;
    private final SourceConfig source;
    private final OutboxMode outboxMode;
    private final CommandHandler handler;
    private final PayloadReader reader;
    private @Nullable TailraceClient client;

    /** What was read last: the check of the payload has read it before the handler asks for it. */
    private @Nullable Object read;

    RunContext(
            Claim claim,
            @Nullable Connection guarded,
            SourceConfig source,
            OutboxMode outboxMode,
            CommandHandler handler,
            PayloadReader reader) {
        this.id = claim.request().id();
        this.row = claim.theRow();
        this.event = claim.request().event();
        this.connection = guarded;
        this.source = source;
        this.outboxMode = outboxMode;
        this.handler = handler;
        this.reader = reader;
    }

    @Override
    public UUID id() {
        return id;
    }

    @Override
    public String source() {
        return source.name();
    }

    @Override
    public Connection connection() {
        if (connection == null) {
            throw new IllegalStateException(
                    ("%s is external and has no connection; what is to commit with the end of a command is for"
                                    + " a handler that is not")
                            .formatted(handler.getClass().getName()));
        }
        return connection;
    }

    @Override
    public Outbox outbox() {
        return client().outbox();
    }

    @Override
    public Commands commands() {
        return client().commands();
    }

    /** Made for this run alone, so that the identity of one row can never answer for the next. */
    private TailraceClient client() {
        TailraceClient mine = client;
        if (mine == null) {
            mine = TailraceClient.builder()
                    .tables(source.tables())
                    .outboxMode(outboxMode)
                    .origin(this::ofRows)
                    .build();
            client = mine;
        }
        return mine;
    }

    @Override
    public String name() {
        return row.name();
    }

    @Override
    public int version() {
        return reader.version(row, stated(), handler);
    }

    @Override
    public Optional<String> orderingKey() {
        return Optional.ofNullable(row.orderingKey());
    }

    @Override
    public Optional<Bytes> payload() {
        return Optional.ofNullable(row.payload());
    }

    @Override
    public String contentType() {
        return row.contentType();
    }

    @Override
    public <T> T payloadAs(Class<T> type) throws PayloadUnreadable {
        Object before = read;
        if (before != null && before.getClass() == type) {
            return type.cast(before);
        }
        T value = reader.read(row, stated(), handler, type);
        read = value;
        return value;
    }

    @Override
    public Map<String, String> headers() {
        String json = row.headersJson();
        if (json == null) {
            return Map.of();
        }
        try {
            return Map.copyOf(JSON.readValue(json, new TypeReference<Map<String, String>>() {}));
        } catch (JsonProcessingException notAnObject) {
            // The router gives such a row up as malformed; an operator has requeued it as it is.
            throw new IllegalStateException("the headers of row " + id + " are not an object of strings", notAnObject);
        }
    }

    @Override
    public Origin origin() {
        return row.origin();
    }

    /** Whether it is the run of an event. */
    boolean isOfEvent() {
        return event != null;
    }

    /** The event of a run of one. */
    EventContent event() {
        return Objects.requireNonNull(event, () -> "row " + id + " is no event");
    }

    private OptionalInt stated() {
        return event == null ? OptionalInt.empty() : OptionalInt.of(event.version());
    }

    private Origin ofRows() {
        return row.origin().causedBy(id);
    }

    @Override
    public int attempt() {
        return row.progress().attempts() + 1;
    }
}
