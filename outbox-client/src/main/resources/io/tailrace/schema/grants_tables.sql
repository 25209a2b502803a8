-- Last of all: no row can be written that nobody captures. Of a command only what the executor does not own.
GRANT INSERT ON ${outbox} TO ${role};
GRANT INSERT (id, command_name, ordering_key, payload, payload_binary, content_type, headers, run_at, dedup_key, max_attempts,
        tenant_id, user_id, user_roles, correlation_id, causation_id, traceparent)
    ON ${command} TO ${role};
GRANT EXECUTE ON FUNCTION
    ${schema}.new_id(),
    ${schema}.emit(text, text, json, bytea, text, json, integer, text, text, text, text, text, text, uuid),
    ${schema}.cancel_command(uuid),
    ${schema}.reschedule_command(uuid, timestamptz),
    ${schema}.run_command_now(uuid),
    ${schema}.replace_command(uuid, json, timestamptz),
    ${schema}.requeue_command(uuid),
    ${schema}.skip_command(uuid),
    ${schema}.schedule_command(text, text, text, timestamptz, text, json, bytea, text, json, integer,
        text, text, text, text, text, text, uuid)
    TO ${role};
