-- Names whose commands do not run for now. A row is held exactly as long as its name stands in the pause table: a worker that meets such a
-- name stamps its row with it, and wake_held wakes what is held by a name that stands there no more. So it does not matter in which
-- order a stamp and a resume commit, and no crash between them leaves a row behind.
--   paused   by an operator; he alone resumes it
--   broken   by a breaker; it is resumed when one row of it, the probe, went well
--   missing  nobody who met it has a handler for it; whoever has one resumes it
ALTER TABLE ${schema}.pause
    ADD COLUMN kind     text NOT NULL DEFAULT 'paused' CHECK (kind IN ('paused', 'broken', 'missing')),
    ADD COLUMN probe    uuid,
    ADD COLUMN probe_at timestamptz;

-- Held rows of a name in their order; nearly empty.
CREATE INDEX ON ${command} (hold, place) WHERE hold IS NOT NULL;

-- The names, and whether a broken one is due to be probed.
CREATE FUNCTION ${schema}.held_names() RETURNS TABLE (name text, kind text, probe uuid, probe_due boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT p.name, p.kind, p.probe, coalesce(p.probe_at <= clock_timestamp(), false) FROM ${schema}.pause p;
$sql$;

-- Stops a name. False if it was stopped already; only a breaker's word goes over "missing".
-- Locks: the name's row. Waits for another transaction that stops the same name.
CREATE FUNCTION ${schema}.hold_name(p_name text, p_kind text, p_by text, p_note text, p_probe_ms bigint) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
BEGIN
    INSERT INTO ${schema}.pause AS p (name, kind, "by", note, probe_at)
        VALUES (p_name, p_kind, p_by, p_note, clock_timestamp() + p_probe_ms * interval '1 millisecond')
        ON CONFLICT (name) DO UPDATE
            SET kind = excluded.kind, since = excluded.since, "by" = excluded."by", note = excluded.note, probe_at = excluded.probe_at
            WHERE p.kind = 'missing' AND excluded.kind = 'broken';
    RETURN FOUND;
END
$sql$;

-- Lets a name go that is held for this reason. False if it is not.
CREATE FUNCTION ${schema}.release_name(p_name text, p_kind text) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
BEGIN
    DELETE FROM ${schema}.pause p WHERE p.name = p_name AND p.kind = p_kind;
    RETURN FOUND;
END
$sql$;

-- An operator's words. OK, or ALREADY_PAUSED; OK, or NOT_HELD. He may resume what a breaker stopped.
CREATE FUNCTION ${schema}.pause_commands(name text, "by" text DEFAULT NULL, note text DEFAULT NULL) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
#variable_conflict use_column
BEGIN
    IF pause_commands.name IS NULL OR length(pause_commands.name) NOT BETWEEN 1 AND 200 THEN
        RAISE invalid_parameter_value USING MESSAGE = 'pause_commands: a name has 1 to 200 characters';
    END IF;
    INSERT INTO ${schema}.pause AS p (name, kind, "by", note)
        VALUES (pause_commands.name, 'paused', pause_commands."by", pause_commands.note)
        ON CONFLICT (name) DO UPDATE
            SET kind = excluded.kind, since = excluded.since, "by" = excluded."by", note = excluded.note, probe = NULL, probe_at = NULL
            WHERE p.kind <> 'paused';
    RETURN CASE WHEN FOUND THEN 'OK' ELSE 'ALREADY_PAUSED' END;
END
$sql$;

CREATE FUNCTION ${schema}.resume_commands(name text) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
#variable_conflict use_column
BEGIN
    DELETE FROM ${schema}.pause p WHERE p.name = resume_commands.name;
    RETURN CASE WHEN FOUND THEN 'OK' ELSE 'NOT_HELD' END;
END
$sql$;

-- The row waits for its name, without an end of its own and without an attempt. No row when the claim is no longer the caller's.
CREATE FUNCTION ${schema}.stamp_held(
        p_id uuid, p_turn integer, p_claim_xid bigint, p_place bigint, p_name text, p_error text)
    RETURNS TABLE (turn integer, attempts integer, place bigint, wait_ms bigint, not_before_ms bigint, first_failed_ms bigint,
        failed_ms bigint)
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    UPDATE ${command} c SET
            turn = greatest(c.turn, p_turn) + 1,
            place = coalesce(c.place, p_place),
            not_before = 'infinity',
            hold = p_name,
            last_error = coalesce(p_error, c.last_error)
        WHERE c.id = p_id AND c.turn <= p_turn AND c.status = 'PENDING'
            AND pg_current_xact_id_if_assigned()::text::bigint = p_claim_xid
        RETURNING c.turn, c.attempts, c.place, ${schema}.millis_until(c.not_before), ${schema}.millis(c.not_before),
            ${schema}.millis(c.first_failed_at), ${schema}.millis(c.failed_at);
$sql$;

-- Wakes one row that the caller has locked: its lane hears of it through the WAL, as of any row that is to run now.
CREATE FUNCTION ${schema}.wake_command(p_id uuid) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
DECLARE
    command ${command}%ROWTYPE;
BEGIN
    UPDATE ${command} c SET turn = c.turn + 1, not_before = clock_timestamp(), hold = NULL
        WHERE c.id = p_id RETURNING c.* INTO command;
    PERFORM ${schema}.emit_control('run-now', command);
END
$sql$;

-- Wakes up to so many rows whose names are held no more, each name's in their order; how many it woke. Forgets missing names that hold
-- nothing.
-- Locks: advisory, so that one does it at a time; the rows, SKIP LOCKED (the next call finds them). Index: (hold, place), name by name.
CREATE FUNCTION ${schema}.wake_held(p_limit integer) RETURNS integer
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
DECLARE
    held text;
    row_id uuid;
    woken integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(${schema}.lock_key('tailrace', 'wake-held', ${schema_text}::text)) THEN
        RETURN 0;
    END IF;
    SELECT min(c.hold) INTO held FROM ${command} c WHERE c.hold IS NOT NULL;
    WHILE held IS NOT NULL AND woken < p_limit LOOP
        IF NOT EXISTS (SELECT FROM ${schema}.pause p WHERE p.name = held) THEN
            FOR row_id IN SELECT c.id FROM ${command} c WHERE c.hold = held AND c.status = 'PENDING'
                    ORDER BY c.place LIMIT p_limit - woken FOR UPDATE SKIP LOCKED LOOP
                PERFORM ${schema}.wake_command(row_id);
                woken := woken + 1;
            END LOOP;
        END IF;
        SELECT min(c.hold) INTO held FROM ${command} c WHERE c.hold > held;
    END LOOP;
    DELETE FROM ${schema}.pause p WHERE p.kind = 'missing' AND p.since < clock_timestamp() - interval '1 minute'
        AND NOT EXISTS (SELECT FROM ${command} c WHERE c.hold = p.name);
    RETURN woken;
END
$sql$;

-- Wakes the probe of a broken name that is due: the oldest held row that heads its key; null when there is none, and then the next row
-- that is held is the probe. Until p_lease_ms have passed, or somebody says what came of it, there is no other one.
-- Locks: the name's row and the row, SKIP LOCKED. Index: (hold, place).
CREATE FUNCTION ${schema}.probe_held(p_name text, p_lease_ms bigint) RETURNS uuid
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
DECLARE
    found_id uuid;
BEGIN
    PERFORM FROM ${schema}.pause p WHERE p.name = p_name AND p.kind = 'broken' AND p.probe_at <= clock_timestamp()
        FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    SELECT c.id INTO found_id FROM ${command} c
        WHERE c.hold = p_name AND c.status = 'PENDING'
            AND (c.ordering_key IS NULL OR ${schema}.waiting_before(c.ordering_key, c.place, c.id) IS NULL)
        ORDER BY c.place LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF found_id IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM ${schema}.wake_command(found_id);
    UPDATE ${schema}.pause p SET probe = found_id, probe_at = clock_timestamp() + p_lease_ms * interval '1 millisecond'
        WHERE p.name = p_name;
    RETURN found_id;
END
$sql$;

-- The probe did not go well: the next one, later.
CREATE FUNCTION ${schema}.put_off_probe(p_name text, p_after_ms bigint) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
    UPDATE ${schema}.pause p SET probe = NULL, probe_at = clock_timestamp() + p_after_ms * interval '1 millisecond'
        WHERE p.name = p_name AND p.kind = 'broken';
$sql$;

REVOKE ALL ON FUNCTION
    ${schema}.held_names(),
    ${schema}.hold_name(text, text, text, text, bigint),
    ${schema}.release_name(text, text),
    ${schema}.pause_commands(text, text, text),
    ${schema}.resume_commands(text),
    ${schema}.stamp_held(uuid, integer, bigint, bigint, text, text),
    ${schema}.wake_command(uuid),
    ${schema}.wake_held(integer),
    ${schema}.probe_held(text, bigint),
    ${schema}.put_off_probe(text, bigint)
    FROM PUBLIC;
