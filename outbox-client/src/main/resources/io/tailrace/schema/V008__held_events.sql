-- Events of a subscription whose names do not run for now: what V004 is to commands. A name is held for a subscription exactly as long as
-- it has a row in the pause table; the name '*' holds all of them. For commands the functions of V004 stay, for executors of the release
-- before this one.
ALTER TABLE ${schema}.pause ADD COLUMN subscription text NOT NULL DEFAULT 'commands';
ALTER TABLE ${schema}.pause DROP CONSTRAINT pause_pkey;
ALTER TABLE ${schema}.pause ADD PRIMARY KEY (subscription, name);

COMMENT ON TABLE ${schema}.pause IS
    'Names whose commands, or whose events of a subscription, do not run for now: because somebody, a breaker or a missing handler says so.';

-- Held events of a subscription by name, in their order; nearly empty.
CREATE INDEX ON ${schema}.delivery (subscription, hold, place) WHERE hold IS NOT NULL;

-- The names, and whether a broken one is due to be probed.
CREATE FUNCTION ${schema}.held_names(p_subscription text) RETURNS TABLE (name text, kind text, probe uuid, probe_due boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT p.name, p.kind, p.probe, coalesce(p.probe_at <= clock_timestamp(), false) FROM ${schema}.pause p
        WHERE p.subscription = p_subscription;
$sql$;

CREATE OR REPLACE FUNCTION ${schema}.held_names() RETURNS TABLE (name text, kind text, probe uuid, probe_due boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT h.name, h.kind, h.probe, h.probe_due FROM ${schema}.held_names('commands') h;
$sql$;

-- Stops a name. False if it was stopped already; only a breaker's word goes over "missing".
-- Locks: the name's row. Waits for another transaction that stops the same name.
CREATE FUNCTION ${schema}.hold_name(
        p_subscription text, p_name text, p_kind text, p_by text, p_note text, p_probe_ms bigint) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
BEGIN
    INSERT INTO ${schema}.pause AS p (subscription, name, kind, "by", note, probe_at)
        VALUES (p_subscription, p_name, p_kind, p_by, p_note, clock_timestamp() + p_probe_ms * interval '1 millisecond')
        ON CONFLICT (subscription, name) DO UPDATE
            SET kind = excluded.kind, since = excluded.since, "by" = excluded."by", note = excluded.note, probe_at = excluded.probe_at
            WHERE p.kind = 'missing' AND excluded.kind = 'broken';
    RETURN FOUND;
END
$sql$;

CREATE OR REPLACE FUNCTION ${schema}.hold_name(p_name text, p_kind text, p_by text, p_note text, p_probe_ms bigint) RETURNS boolean
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT ${schema}.hold_name('commands', p_name, p_kind, p_by, p_note, p_probe_ms);
$sql$;

-- Lets a name go that is held for this reason. False if it is not.
CREATE FUNCTION ${schema}.release_name(p_subscription text, p_name text, p_kind text) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
BEGIN
    DELETE FROM ${schema}.pause p WHERE p.subscription = p_subscription AND p.name = p_name AND p.kind = p_kind;
    RETURN FOUND;
END
$sql$;

CREATE OR REPLACE FUNCTION ${schema}.release_name(p_name text, p_kind text) RETURNS boolean
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT ${schema}.release_name('commands', p_name, p_kind);
$sql$;

-- An operator's words, of whichever rows. OK, or ALREADY_PAUSED; OK, or NOT_HELD. He may resume what a breaker stopped.
CREATE FUNCTION ${schema}.pause_name(p_subscription text, p_name text, p_by text, p_note text) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
BEGIN
    INSERT INTO ${schema}.pause AS p (subscription, name, kind, "by", note)
        VALUES (p_subscription, p_name, 'paused', p_by, p_note)
        ON CONFLICT (subscription, name) DO UPDATE
            SET kind = excluded.kind, since = excluded.since, "by" = excluded."by", note = excluded.note, probe = NULL, probe_at = NULL
            WHERE p.kind <> 'paused';
    RETURN CASE WHEN FOUND THEN 'OK' ELSE 'ALREADY_PAUSED' END;
END
$sql$;

CREATE FUNCTION ${schema}.resume_name(p_subscription text, p_name text) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
BEGIN
    DELETE FROM ${schema}.pause p WHERE p.subscription = p_subscription AND p.name = p_name;
    RETURN CASE WHEN FOUND THEN 'OK' ELSE 'NOT_HELD' END;
END
$sql$;

CREATE OR REPLACE FUNCTION ${schema}.pause_commands(name text, "by" text DEFAULT NULL, note text DEFAULT NULL) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
BEGIN
    IF name IS NULL OR length(name) NOT BETWEEN 1 AND 200 THEN
        RAISE invalid_parameter_value USING MESSAGE = 'pause_commands: a name has 1 to 200 characters';
    END IF;
    RETURN ${schema}.pause_name('commands', name, "by", note);
END
$sql$;

CREATE OR REPLACE FUNCTION ${schema}.resume_commands(name text) RETURNS text
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT ${schema}.resume_name('commands', resume_commands.name);
$sql$;

-- Events of a name, or all events ('*'), wait for this subscription.
CREATE FUNCTION ${schema}.pause_events(subscription text, name text DEFAULT '*', "by" text DEFAULT NULL, note text DEFAULT NULL)
    RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
BEGIN
    IF subscription IS NULL OR subscription = 'commands' OR length(subscription) NOT BETWEEN 1 AND 64 THEN
        RAISE invalid_parameter_value USING MESSAGE =
            'pause_events: a subscription has 1 to 64 characters; commands are paused by pause_commands';
    END IF;
    IF name IS NULL OR length(name) NOT BETWEEN 1 AND 200 THEN
        RAISE invalid_parameter_value USING MESSAGE = 'pause_events: a name has 1 to 200 characters, or is *';
    END IF;
    RETURN ${schema}.pause_name(subscription, name, "by", note);
END
$sql$;

CREATE FUNCTION ${schema}.resume_events(subscription text, name text DEFAULT '*') RETURNS text
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT ${schema}.resume_name(resume_events.subscription, resume_events.name);
$sql$;

-- The event waits for its name, without an attempt, and without an end that anybody would live to see: the inbox reckons with finite
-- instants. So not_before also says since when it is held. No row when the claim is no longer the caller's.
CREATE FUNCTION ${schema}.stamp_delivery_held(
        p_subscription text, p_id uuid, p_turn integer, p_claim_xid bigint, p_place bigint, p_name text, p_error text)
    RETURNS TABLE (turn integer, attempts integer, place bigint, wait_ms bigint, not_before_ms bigint, first_failed_ms bigint,
        failed_ms bigint)
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    UPDATE ${schema}.delivery d SET
            turn = greatest(d.turn, p_turn) + 1,
            place = coalesce(d.place, p_place),
            not_before = clock_timestamp() + interval '100 years',
            hold = p_name,
            last_error = coalesce(p_error, d.last_error)
        WHERE d.subscription = p_subscription AND d.event_id = p_id AND d.turn <= p_turn AND d.status = 'PENDING'
            AND pg_current_xact_id_if_assigned()::text::bigint = p_claim_xid
        RETURNING d.turn, d.attempts, d.place, ${schema}.delivery_wait(d.not_before), ${schema}.delivery_millis(d.not_before),
            ${schema}.delivery_millis(d.first_failed_at), ${schema}.delivery_millis(d.failed_at);
$sql$;

-- Wakes one event that the caller has locked: its lane hears of it through the WAL, as that of a command does.
CREATE FUNCTION ${schema}.wake_delivery(p_subscription text, p_id uuid) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
DECLARE
    d ${schema}.delivery%ROWTYPE;
BEGIN
    UPDATE ${schema}.delivery t SET turn = t.turn + 1, not_before = clock_timestamp(), hold = NULL
        WHERE t.subscription = p_subscription AND t.event_id = p_id RETURNING t.* INTO d;
    PERFORM pg_logical_emit_message(true, 'tailrace.control', json_build_object(
        'schema', ${schema_text}::text,
        'act', 'run-event-now',
        'subscription', d.subscription,
        'id', d.event_id,
        'name', d.event_name,
        'key', d.ordering_key,
        'turn', d.turn,
        'place', d.place,
        'runAt', ${schema}.delivery_millis(d.not_before))::text);
END
$sql$;

-- Wakes up to so many rows whose names are held no more, each name's in their order; how many it woke. Forgets missing names that hold
-- nothing. An event that was held within the last two seconds is left to the next call: the answer that puts it on its lane is on its
-- way, and coming behind this word it would keep the event there.
-- Locks: advisory, so that one does it at a time; the rows, SKIP LOCKED (the next call finds them). Index: (subscription, hold, place),
-- name by name.
CREATE FUNCTION ${schema}.wake_held_events(p_subscription text, p_limit integer) RETURNS integer
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
DECLARE
    held text;
    row_id uuid;
    woken integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(${schema}.lock_key('tailrace', 'wake-held-' || p_subscription, ${schema_text}::text)) THEN
        RETURN 0;
    END IF;
    SELECT min(d.hold) INTO held FROM ${schema}.delivery d WHERE d.subscription = p_subscription AND d.hold IS NOT NULL;
    WHILE held IS NOT NULL AND woken < p_limit LOOP
        IF NOT EXISTS (SELECT FROM ${schema}.pause p WHERE p.subscription = p_subscription AND p.name IN (held, '*')) THEN
            FOR row_id IN SELECT d.event_id FROM ${schema}.delivery d
                    WHERE d.subscription = p_subscription AND d.hold = held AND d.status = 'PENDING'
                        AND d.not_before <= clock_timestamp() + interval '100 years' - interval '2 seconds'
                    ORDER BY d.place LIMIT p_limit - woken FOR UPDATE SKIP LOCKED LOOP
                PERFORM ${schema}.wake_delivery(p_subscription, row_id);
                woken := woken + 1;
            END LOOP;
        END IF;
        SELECT min(d.hold) INTO held FROM ${schema}.delivery d WHERE d.subscription = p_subscription AND d.hold > held;
    END LOOP;
    DELETE FROM ${schema}.pause p
        WHERE p.subscription = p_subscription AND p.kind = 'missing' AND p.since < clock_timestamp() - interval '1 minute'
            AND NOT EXISTS (SELECT FROM ${schema}.delivery d WHERE d.subscription = p_subscription AND d.hold = p.name);
    RETURN woken;
END
$sql$;

-- As it was, of commands alone.
CREATE OR REPLACE FUNCTION ${schema}.wake_held(p_limit integer) RETURNS integer
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
        IF NOT EXISTS (SELECT FROM ${schema}.pause p WHERE p.subscription = 'commands' AND p.name = held) THEN
            FOR row_id IN SELECT c.id FROM ${command} c WHERE c.hold = held AND c.status = 'PENDING'
                    ORDER BY c.place LIMIT p_limit - woken FOR UPDATE SKIP LOCKED LOOP
                PERFORM ${schema}.wake_command(row_id);
                woken := woken + 1;
            END LOOP;
        END IF;
        SELECT min(c.hold) INTO held FROM ${command} c WHERE c.hold > held;
    END LOOP;
    DELETE FROM ${schema}.pause p
        WHERE p.subscription = 'commands' AND p.kind = 'missing' AND p.since < clock_timestamp() - interval '1 minute'
            AND NOT EXISTS (SELECT FROM ${command} c WHERE c.hold = p.name);
    RETURN woken;
END
$sql$;

CREATE FUNCTION ${schema}.wake_held(p_subscription text, p_limit integer) RETURNS integer
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT CASE WHEN p_subscription = 'commands' THEN ${schema}.wake_held(p_limit)
        ELSE ${schema}.wake_held_events(p_subscription, p_limit) END;
$sql$;

-- Wakes the probe of a broken name that is due: the oldest held row that heads its key; null when there is none, and then the next row
-- that is held is the probe. Until p_lease_ms have passed, or somebody says what came of it, there is no other one.
-- Locks: the name's row and the row, SKIP LOCKED. Index: (hold, place), of events (subscription, hold, place).
CREATE FUNCTION ${schema}.probe_held(p_subscription text, p_name text, p_lease_ms bigint) RETURNS uuid
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
DECLARE
    found_id uuid;
BEGIN
    PERFORM FROM ${schema}.pause p
        WHERE p.subscription = p_subscription AND p.name = p_name AND p.kind = 'broken' AND p.probe_at <= clock_timestamp()
        FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF p_subscription = 'commands' THEN
        SELECT c.id INTO found_id FROM ${command} c
            WHERE c.hold = p_name AND c.status = 'PENDING'
                AND (c.ordering_key IS NULL OR ${schema}.waiting_before(c.ordering_key, c.place, c.id) IS NULL)
            ORDER BY c.place LIMIT 1 FOR UPDATE SKIP LOCKED;
    ELSE
        SELECT d.event_id INTO found_id FROM ${schema}.delivery d
            WHERE d.subscription = p_subscription AND d.hold = p_name AND d.status = 'PENDING'
                AND d.not_before <= clock_timestamp() + interval '100 years' - interval '2 seconds'
                AND (d.ordering_key IS NULL
                    OR ${schema}.delivery_before(p_subscription, d.source, d.ordering_key, d.place, d.event_id) IS NULL)
            ORDER BY d.place LIMIT 1 FOR UPDATE SKIP LOCKED;
    END IF;
    IF found_id IS NULL THEN
        RETURN NULL;
    ELSIF p_subscription = 'commands' THEN
        PERFORM ${schema}.wake_command(found_id);
    ELSE
        PERFORM ${schema}.wake_delivery(p_subscription, found_id);
    END IF;
    UPDATE ${schema}.pause p SET probe = found_id, probe_at = clock_timestamp() + p_lease_ms * interval '1 millisecond'
        WHERE p.subscription = p_subscription AND p.name = p_name;
    RETURN found_id;
END
$sql$;

CREATE OR REPLACE FUNCTION ${schema}.probe_held(p_name text, p_lease_ms bigint) RETURNS uuid
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT ${schema}.probe_held('commands', p_name, p_lease_ms);
$sql$;

-- The probe did not go well: the next one, later.
CREATE FUNCTION ${schema}.put_off_probe(p_subscription text, p_name text, p_after_ms bigint) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
    UPDATE ${schema}.pause p SET probe = NULL, probe_at = clock_timestamp() + p_after_ms * interval '1 millisecond'
        WHERE p.subscription = p_subscription AND p.name = p_name AND p.kind = 'broken';
$sql$;

CREATE OR REPLACE FUNCTION ${schema}.put_off_probe(p_name text, p_after_ms bigint) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT ${schema}.put_off_probe('commands', p_name, p_after_ms);
$sql$;

REVOKE ALL ON FUNCTION
    ${schema}.held_names(text),
    ${schema}.hold_name(text, text, text, text, text, bigint),
    ${schema}.release_name(text, text, text),
    ${schema}.pause_name(text, text, text, text),
    ${schema}.resume_name(text, text),
    ${schema}.pause_events(text, text, text, text),
    ${schema}.resume_events(text, text),
    ${schema}.stamp_delivery_held(text, uuid, integer, bigint, bigint, text, text),
    ${schema}.wake_delivery(text, uuid),
    ${schema}.wake_held_events(text, integer),
    ${schema}.wake_held(text, integer),
    ${schema}.probe_held(text, text, bigint),
    ${schema}.put_off_probe(text, text, bigint)
    FROM PUBLIC;
