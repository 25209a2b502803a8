package io.tailrace.benchmarks.harness;

import io.tailrace.benchmarks.contender.Contender.Outbox;
import io.tailrace.benchmarks.contender.Site;
import java.util.List;

/**
 * The rows: an order placed, its payload some 400 bytes of JSON with the row's number in it, one of 10,000 keys, and where it came from.
 * Both tables hold the same, each in its own way. In every statement {@code n} is the row's number.
 */
final class RowSql {

    static final String PAYLOAD = """
            '{"number":"~' || lpad(n::text, 10, '0') || '~","customer":"customer-' || lpad((n % 5000)::text, 6, '0')
            || '","currency":"EUR","total":' || (n % 90000 + 10000)
            || ',"lines":[{"sku":"sku-' || lpad((n % 700)::text, 6, '0') || '","quantity":2,"price":1299},'
            || '{"sku":"sku-' || lpad((n % 900)::text, 6, '0') || '","quantity":1,"price":4550}],'
            || '"shipTo":{"street":"Long Street 12","postcode":"10115","city":"Somewhere","country":"DE"},'
            || '"note":"please ring twice, the bell is quiet; leave it with the neighbours otherwise"}'""";

    /** Tenant, user, roles, correlation, cause, trace. */
    private static final String ORIGIN = """
            'tenant-' || n % 50, 'user-' || n % 1000, 'clerk,approver', 'checkout-' || lpad(n::text, 10, '0'),
            'request-' || lpad(n::text, 10, '0'), '00-' || md5(n::text) || '-' || left(md5((n + 1)::text), 16) || '-01'""";

    private static final String ORIGIN_COLUMNS =
            "tenant_id, user_id, user_roles, correlation_id, causation_id, traceparent";

    private static final String KEY = "'order-' || n % 10000";
    private static final String NAME = "'sales.order-placed'";

    private static final String EVENT_ROUTER_NAME = "outboxevent";

    /** The columns that EventRouter looks for, with the primary key that its guide gives them, and the same origin. */
    static final String EVENT_ROUTER_TABLE = """
            CREATE TABLE outboxevent (
                id             uuid NOT NULL PRIMARY KEY,
                aggregatetype  varchar(255) NOT NULL,
                aggregateid    varchar(255) NOT NULL,
                type           varchar(255) NOT NULL,
                payload        json,
                timestamp      timestamptz NOT NULL DEFAULT clock_timestamp(),
                tenant_id      text,
                user_id        text,
                user_roles     text,
                correlation_id text,
                causation_id   text,
                traceparent    text
            )""";

    /** The rows from the first parameter of a statement to its second. */
    static final String NUMBERED = "generate_series(?::bigint, ?::bigint) n";

    private RowSql() {}

    /** Where rows are kept; nowhere when they are messages. */
    static List<String> tables(Outbox outbox) {
        return switch (outbox) {
            case TAILRACE -> List.of(events(), commands());
            case TAILRACE_MESSAGES -> List.of();
            case EVENT_ROUTER -> List.of(EVENT_ROUTER_NAME);
            case COMMANDS -> CommandSql.NAMES;
        };
    }

    /** Writes the rows whose numbers a query gives as {@code n}; a query of one row if they are messages. */
    static String write(Outbox outbox, String numbers) {
        if (outbox == Outbox.TAILRACE_MESSAGES) {
            return "SELECT count(tailrace.emit(%s, %s, (%s)::json, NULL, NULL, NULL, NULL, %s)) FROM %s"
                    .formatted(NAME, KEY, PAYLOAD, ORIGIN, numbers);
        }
        String into = switch (outbox) {
            case TAILRACE ->
                events() + " (event_name, ordering_key, payload, " + ORIGIN_COLUMNS + ") SELECT " + NAME + ", ";
            case EVENT_ROUTER ->
                EVENT_ROUTER_NAME + " (id, aggregatetype, type, aggregateid, payload, " + ORIGIN_COLUMNS
                        + ") SELECT gen_random_uuid(), 'order', " + NAME + ", ";
            case TAILRACE_MESSAGES, COMMANDS -> throw new IllegalStateException(outbox + " has no events");
        };
        return "INSERT INTO " + into + KEY + ", (" + PAYLOAD + ")::json, " + ORIGIN + " FROM " + numbers;
    }

    /** Writes commands, each due {@code step} after the one before; instants in microseconds since the epoch. */
    static String schedule(String numbers, long first, long step) {
        return "INSERT INTO " + commands() + " (command_name, ordering_key, payload, run_at, " + ORIGIN_COLUMNS
                + ") SELECT 'send-reminder', " + KEY + ", (" + PAYLOAD + ")::json, timestamptz 'epoch' + (" + first
                + " + n * " + step + ") * interval '1 microsecond', " + ORIGIN + " FROM " + numbers;
    }

    private static String events() {
        return Site.tables().qualified(Site.tables().outbox());
    }

    private static String commands() {
        return Site.tables().qualified(Site.tables().internalCommand());
    }

    /** Inserts rows 0 to {@code rows} - 1, so many to a transaction, within the server. */
    static String fill(Outbox outbox, int rows, int rowsPerTransaction) {
        String write = write(outbox, "generate_series(number, number + %d) n".formatted(rowsPerTransaction - 1));
        return """
                DO $fill$
                BEGIN
                    FOR number IN 0 .. %d BY %d LOOP
                        %s;
                        COMMIT;
                    END LOOP;
                END $fill$""".formatted(rows - 1, rowsPerTransaction, write.replaceFirst("^SELECT", "PERFORM"));
    }
}
