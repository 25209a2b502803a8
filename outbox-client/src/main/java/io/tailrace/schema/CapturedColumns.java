package io.tailrace.schema;

import java.util.List;

/** What the publication carries, in the order of the tables. Everything else stays in the database. */
public final class CapturedColumns {

    /** Of the outbox. */
    public static final List<String> OUTBOX = List.of(
            "id",
            "event_name",
            "event_version",
            "ordering_key",
            "payload",
            "payload_binary",
            "content_type",
            "headers",
            "tenant_id",
            "user_id",
            "user_roles",
            "correlation_id",
            "causation_id",
            "traceparent");

    /** Of the commands. {@code run_at} is the one instant that is carried. */
    public static final List<String> COMMAND = List.of(
            "id",
            "command_name",
            "ordering_key",
            "payload",
            "payload_binary",
            "content_type",
            "headers",
            "run_at",
            "tenant_id",
            "user_id",
            "user_roles",
            "correlation_id",
            "causation_id",
            "traceparent");

    private CapturedColumns() {}
}
