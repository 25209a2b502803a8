package io.tailrace.engine.capture;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Kind;
import io.tailrace.engine.log.Columns;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The columns that the engine reads; the publication must carry them and better carries no other, each costs CPU for every row. */
public final class CapturedColumns {

    static final String ID = "id";
    static final String EVENT_NAME = "event_name";
    static final String EVENT_VERSION = "event_version";
    static final String COMMAND_NAME = "command_name";
    static final String ORDERING_KEY = "ordering_key";
    static final String PAYLOAD = "payload";
    static final String PAYLOAD_BINARY = "payload_binary";
    static final String CONTENT_TYPE = "content_type";
    static final String HEADERS = "headers";
    static final String RUN_AT = "run_at";
    static final String TENANT_ID = "tenant_id";
    static final String USER_ID = "user_id";
    static final String USER_ROLES = "user_roles";
    static final String CORRELATION_ID = "correlation_id";
    static final String CAUSATION_ID = "causation_id";
    static final String TRACEPARENT = "traceparent";

    static final Set<String> OUTBOX = Set.of(
            ID,
            EVENT_NAME,
            EVENT_VERSION,
            ORDERING_KEY,
            PAYLOAD,
            PAYLOAD_BINARY,
            CONTENT_TYPE,
            HEADERS,
            TENANT_ID,
            USER_ID,
            USER_ROLES,
            CORRELATION_ID,
            CAUSATION_ID,
            TRACEPARENT);

    static final Set<String> INTERNAL_COMMAND = Set.of(
            ID,
            COMMAND_NAME,
            ORDERING_KEY,
            PAYLOAD,
            PAYLOAD_BINARY,
            CONTENT_TYPE,
            HEADERS,
            RUN_AT,
            TENANT_ID,
            USER_ID,
            USER_ROLES,
            CORRELATION_ID,
            CAUSATION_ID,
            TRACEPARENT);

    private CapturedColumns() {}

    /** By the column that only one of the tables has: the publication, which is checked, lets in no others. */
    static Optional<Kind> kindOf(Columns columns) {
        if (columns.index(EVENT_NAME) >= 0) {
            return Optional.of(Kind.EVENT);
        }
        return columns.index(COMMAND_NAME) >= 0 ? Optional.of(Kind.COMMAND) : Optional.empty();
    }

    /** By table name. */
    public static Map<String, Set<String>> of(TableNames tables) {
        return Map.of(tables.outbox(), OUTBOX, tables.internalCommand(), INTERNAL_COMMAND);
    }
}
