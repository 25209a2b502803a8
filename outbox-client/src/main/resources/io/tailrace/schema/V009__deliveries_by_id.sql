-- Row by row, by the primary key, as V009__commands_by_id.sql does it and for the same reason.

CREATE OR REPLACE FUNCTION ${schema}.stamp_deliveries_behind(
        p_subscription text, p_source text, p_key text, p_after bigint, p_ids uuid[], p_turns integer[], p_places bigint[],
        p_names text[], p_raw_partitions integer[], p_raw_offsets bigint[])
    RETURNS TABLE (id uuid, turn integer, attempts integer, place bigint, first_failed_ms bigint, failed_ms bigint)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
#variable_conflict use_column
DECLARE
    q record;
BEGIN
    FOR q IN SELECT u.id, u.turn, u.place FROM unnest(p_ids, p_turns, p_places) AS u (id, turn, place) ORDER BY u.id LOOP
        PERFORM FROM ${schema}.delivery d
            WHERE d.subscription = p_subscription AND d.event_id = q.id AND d.status = 'PENDING' AND d.turn = q.turn
                AND d.ordering_key = p_key AND coalesce(d.place, q.place) > p_after
                AND (d.not_before IS NULL OR d.not_before <= clock_timestamp())
            FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
            RETURN QUERY UPDATE ${schema}.delivery d SET turn = q.turn + 1, place = coalesce(d.place, q.place), not_before = NULL
                WHERE d.subscription = p_subscription AND d.event_id = q.id
                RETURNING d.event_id, d.turn, d.attempts, d.place, ${schema}.delivery_millis(d.first_failed_at),
                    ${schema}.delivery_millis(d.failed_at);
        END IF;
    END LOOP;
    RETURN QUERY
        INSERT INTO ${schema}.delivery AS d (subscription, event_id, turn, place, event_name, source, ordering_key, raw_partition,
                raw_offset)
            SELECT p_subscription, q.id, q.turn + 1, q.place, q.name, p_source, p_key, q.raw_partition, q.raw_offset
                FROM unnest(p_ids, p_turns, p_places, p_names, p_raw_partitions, p_raw_offsets)
                    AS q (id, turn, place, name, raw_partition, raw_offset)
                WHERE q.place > p_after
                ORDER BY q.id
            ON CONFLICT (subscription, event_id) DO NOTHING
            RETURNING d.event_id, d.turn, d.attempts, d.place, NULL::bigint, NULL::bigint;
END
$sql$;

-- The dead letters of these rows are on their way for good. Index: the primary key.
CREATE OR REPLACE FUNCTION ${schema}.announced_deliveries(p_subscription text, p_ids uuid[], p_turns integer[]) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
BEGIN
    FOR i IN 1 .. cardinality(p_ids) LOOP
        UPDATE ${schema}.delivery d SET announced_at = clock_timestamp()
            WHERE d.subscription = p_subscription AND d.event_id = p_ids[i] AND d.turn = p_turns[i] AND d.status = 'DEAD'
                AND d.announced_at IS NULL;
    END LOOP;
END
$sql$;
