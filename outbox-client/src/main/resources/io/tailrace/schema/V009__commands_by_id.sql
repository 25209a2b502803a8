-- Row by row, by the id: joined in one statement, a table of which nothing is known yet, after a restore or before its first ANALYZE, is read
-- from end to end for each row that is stamped, and a key with 50,000 rows behind its head stands still.

-- Rows queued behind one that waits at p_after: they wait too, and use nothing. Only what is pending at its record's turn, is due
-- (a row that is not due and has no place must get none), stands behind and is with no external handler; returns what it stamped, the rest is claimed one by one.
-- Locks: the key's advisory lock is the caller's already; the rows in id order, SKIP LOCKED. Index: the exclusion constraint on id.
CREATE OR REPLACE FUNCTION ${schema}.stamp_behind(p_key text, p_after bigint, p_ids uuid[], p_turns integer[], p_places bigint[])
    RETURNS TABLE (id uuid, turn integer, attempts integer, place bigint, first_failed_ms bigint, failed_ms bigint)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
#variable_conflict use_column
DECLARE
    q record;
BEGIN
    FOR q IN SELECT u.id, u.turn, u.place FROM unnest(p_ids, p_turns, p_places) AS u (id, turn, place) ORDER BY u.id LOOP
        PERFORM FROM ${command} c
            WHERE c.id = q.id AND c.status = 'PENDING' AND c.turn = q.turn AND c.ordering_key = p_key AND c.claim_token IS NULL
                AND coalesce(c.place, q.place) > p_after
                AND greatest(c.run_at, c.not_before) <= clock_timestamp()
            FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
            RETURN QUERY UPDATE ${command} c SET turn = q.turn + 1, place = coalesce(c.place, q.place), not_before = NULL
                WHERE c.id = q.id
                RETURNING c.id, c.turn, c.attempts, c.place, ${schema}.millis(c.first_failed_at), ${schema}.millis(c.failed_at);
        END IF;
    END LOOP;
END
$sql$;

-- The dead letters of these rows are on their way for good. A row that is dead and stands null was announced and not noted, or will be
-- announced by the next owner of its record, whose offset has not passed. Index: the exclusion constraint on id.
CREATE OR REPLACE FUNCTION ${schema}.announced_commands(p_ids uuid[], p_turns integer[]) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
BEGIN
    FOR i IN 1 .. cardinality(p_ids) LOOP
        UPDATE ${command} c SET announced_at = clock_timestamp()
            WHERE c.id = p_ids[i] AND c.turn = p_turns[i] AND c.status = 'DEAD' AND c.announced_at IS NULL;
    END LOOP;
END
$sql$;
