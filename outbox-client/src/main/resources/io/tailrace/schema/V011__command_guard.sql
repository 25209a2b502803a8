-- A dead command at which no key stops is in nobody's way, and under on-dead-letter: continue a key may have thousands of them for as long
-- as they are kept: each claim of the key visited them all. The index of the order guard has them no more.
CREATE INDEX ON ${command} (ordering_key, place) WHERE place IS NOT NULL AND (status = 'PENDING' OR halts);

-- The waiting row of a key that stands before a place, if there is one: the order guard. A dead row at which the key stops is one.
-- Index: (ordering_key, place), partial, nearly empty.
CREATE OR REPLACE FUNCTION ${schema}.waiting_before(before_key text, before_place bigint, asking uuid) RETURNS uuid
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT c.id FROM ${command} c
        WHERE c.ordering_key = before_key AND c.place < before_place
            AND c.place IS NOT NULL AND (c.status = 'PENDING' OR c.halts) AND c.id <> asking
        ORDER BY c.place LIMIT 1;
$sql$;

-- The index of V001 is asked for by nobody any more, and each row that waits would be written into both.
DO $sql$
DECLARE
    former regclass;
BEGIN
    FOR former IN SELECT i.indexrelid FROM pg_catalog.pg_index i
            WHERE i.indrelid = ${command_text}::regclass AND pg_catalog.pg_get_indexdef(i.indexrelid) LIKE
                '% (ordering_key, place) WHERE ((place IS NOT NULL) AND (status = ANY (ARRAY[''PENDING''::text, ''DEAD''::text])))' LOOP
        EXECUTE 'DROP INDEX ' || former;
    END LOOP;
END
$sql$;
