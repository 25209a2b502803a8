-- A dead event at which no key stops is in nobody's way, and a key may have thousands of them: the index of the order guard has them no
-- more. What V011__command_guard.sql is to commands.
CREATE INDEX ON ${schema}.delivery (subscription, source, ordering_key, place)
    WHERE place IS NOT NULL AND (status = 'PENDING' OR halts);

-- The waiting row of a key that stands before a place, if there is one: the order guard. A dead row at which the key stops is one.
-- Index: (subscription, source, ordering_key, place), partial, nearly empty.
CREATE OR REPLACE FUNCTION ${schema}.delivery_before(p_subscription text, p_source text, p_key text, p_place bigint, p_asking uuid) RETURNS uuid
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT d.event_id FROM ${schema}.delivery d
        WHERE d.subscription = p_subscription AND d.source = p_source AND d.ordering_key = p_key AND d.place < p_place
            AND d.place IS NOT NULL AND (d.status = 'PENDING' OR d.halts) AND d.event_id <> p_asking
        ORDER BY d.place LIMIT 1;
$sql$;

-- The index of V001 is asked for by nobody any more, and each row that waits would be written into both.
DO $sql$
DECLARE
    former regclass;
BEGIN
    FOR former IN SELECT i.indexrelid FROM pg_catalog.pg_index i
            WHERE i.indrelid = ${delivery_text}::regclass AND pg_catalog.pg_get_indexdef(i.indexrelid) LIKE
                '% (subscription, source, ordering_key, place) WHERE ((place IS NOT NULL) AND (status = ANY (ARRAY[''PENDING''::text, ''DEAD''::text])))' LOOP
        EXECUTE 'DROP INDEX ' || former;
    END LOOP;
END
$sql$;
