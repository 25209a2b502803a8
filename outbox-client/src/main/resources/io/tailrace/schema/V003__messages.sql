-- Events without a row: a message in the WAL, in the caller's transaction and in order with its rows. Nothing is stored, so nothing can
-- be queried, cleaned up, or published again once it has been read.

-- Writes one event and returns its id, which is ce_id of every record of it. Takes what a row of the outbox takes, and refuses what
-- that would refuse.
--
-- The content of the message is, in UTF-8 but for a binary payload,
--     v1 <lengths>;<values>
-- with the lengths in bytes of the fifteen values in the order below, parted by commas, '-' for null, and the values one after the
-- other: schema, id, event_name, event_version, ordering_key, content_type, headers, tenant_id, user_id, user_roles, correlation_id,
-- causation_id, traceparent, payload, payload_binary. The schema says whose it is: every reader of this database hears it.
--
-- A message too large for its topic would lose its payload, as there is no row that keeps it; so it is refused here. Most bytes of a
-- message: the setting tailrace.max_message_bytes, else 960 KiB, which is what topics of 1 MiB take in any case.
CREATE FUNCTION ${schema}.emit(
        event_name text, ordering_key text DEFAULT NULL, payload json DEFAULT NULL, payload_binary bytea DEFAULT NULL,
        content_type text DEFAULT NULL, headers json DEFAULT NULL, event_version integer DEFAULT NULL,
        tenant_id text DEFAULT NULL, user_id text DEFAULT NULL, user_roles text DEFAULT NULL,
        correlation_id text DEFAULT NULL, causation_id text DEFAULT NULL, traceparent text DEFAULT NULL, id uuid DEFAULT NULL)
    RETURNS uuid
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
DECLARE
    made uuid := coalesce(emit.id, ${schema}.new_id());
    head text;
    lsn pg_lsn;
    bytes bigint;
    most bigint := coalesce(nullif(current_setting('tailrace.max_message_bytes', true), '')::bigint, 983040);
BEGIN
    IF event_name IS NULL THEN
        RAISE not_null_violation USING MESSAGE = 'emit: event_name is null';
    ELSIF num_nonnulls(payload, payload_binary) > 1 THEN
        RAISE check_violation USING MESSAGE = 'emit: payload and payload_binary are both given';
    ELSIF greatest(length(ordering_key) - 512, length(content_type) - 255, length(tenant_id) - 64, length(user_id) - 64,
            length(user_roles) - 512, length(correlation_id) - 64, length(causation_id) - 64, length(traceparent) - 128) > 0 THEN
        RAISE check_violation USING MESSAGE = 'emit: too long: ' || concat_ws(', ',
            CASE WHEN length(ordering_key) > 512 THEN 'ordering_key, at most 512 characters' END,
            CASE WHEN length(content_type) > 255 THEN 'content_type, at most 255' END,
            CASE WHEN length(tenant_id) > 64 THEN 'tenant_id, at most 64' END,
            CASE WHEN length(user_id) > 64 THEN 'user_id, at most 64' END,
            CASE WHEN length(user_roles) > 512 THEN 'user_roles, at most 512' END,
            CASE WHEN length(correlation_id) > 64 THEN 'correlation_id, at most 64' END,
            CASE WHEN length(causation_id) > 64 THEN 'causation_id, at most 64' END,
            CASE WHEN length(traceparent) > 128 THEN 'traceparent, at most 128' END);
    END IF;
    head := 'v1 ' || array_to_string(ARRAY[
            octet_length(${schema_text}::text), 36, octet_length(event_name), length(event_version::text), octet_length(ordering_key),
            octet_length(content_type), octet_length(headers::text), octet_length(tenant_id), octet_length(user_id),
            octet_length(user_roles), octet_length(correlation_id), octet_length(causation_id), octet_length(traceparent),
            octet_length(payload::text), octet_length(payload_binary)], ',', '-') || ';'
        || concat(${schema_text}, made, event_name, event_version, ordering_key, content_type, headers, tenant_id, user_id,
            user_roles, correlation_id, causation_id, traceparent);
    bytes := octet_length(head) + coalesce(octet_length(payload::text), octet_length(payload_binary), 0);
    IF bytes > most THEN
        RAISE program_limit_exceeded USING
            MESSAGE = format('emit: the message takes %s bytes, at most %s are allowed', bytes, most),
            HINT = 'Set tailrace.max_message_bytes of the database to topics.max-message-bytes less 64 KiB, or insert a row instead.';
    END IF;
    -- An assignment, not PERFORM: it is evaluated without a query around it.
    IF payload_binary IS NULL THEN
        lsn := pg_logical_emit_message(true, 'tailrace.outbox', concat(head, payload));
    ELSE
        lsn := pg_logical_emit_message(true, 'tailrace.outbox', convert_to(head, 'UTF8') || payload_binary);
    END IF;
    RETURN made;
END
$sql$;

REVOKE ALL ON FUNCTION ${schema}.emit(text, text, json, bytea, text, json, integer, text, text, text, text, text, text, uuid)
    FROM PUBLIC;
