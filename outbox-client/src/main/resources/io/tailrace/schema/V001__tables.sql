-- Events and commands, as applications insert them, and the functions by which a command is changed.
-- Shaped for capture: no primary key on what is captured (a key makes the capture of a row half as fast again), no timestamp among
-- the captured columns but run_at, payloads as json (every byte kept) or bytea.

-- Time-ordered ids (RFC 9562, version 7): PostgreSQL's own from 18 on; before, 48 bits of milliseconds, 12 bits of the fraction
-- of the millisecond, 62 random bits.
DO $sql$
BEGIN
    IF current_setting('server_version_num')::int >= 180000 THEN
        CREATE FUNCTION ${schema}.new_id() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE
            RETURN pg_catalog.uuidv7();
    ELSE
        CREATE FUNCTION ${schema}.new_id() RETURNS uuid LANGUAGE plpgsql VOLATILE PARALLEL SAFE
            SET search_path = pg_catalog, pg_temp AS $v7$
        DECLARE
            micros bigint := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
        BEGIN
            RETURN (lpad(to_hex(micros / 1000), 12, '0')
                || '7' || lpad(to_hex((micros % 1000) * 4096 / 1000), 3, '0')
                -- The second half of a random (version 4) id: its variant bits are ours too.
                || right(replace(gen_random_uuid()::text, '-', ''), 16))::uuid;
        END
        $v7$;
    END IF;
END
$sql$;

CREATE TABLE ${outbox} (
    id             uuid NOT NULL DEFAULT ${schema}.new_id(),
    event_name     text NOT NULL,
    event_version  integer,
    ordering_key   text CHECK (length(ordering_key) <= 512),
    payload        json,
    payload_binary bytea,
    content_type   text CHECK (length(content_type) <= 255),
    headers        json,
    tenant_id      text CHECK (length(tenant_id) <= 64),
    user_id        text CHECK (length(user_id) <= 64),
    user_roles     text CHECK (length(user_roles) <= 512),
    correlation_id text CHECK (length(correlation_id) <= 64),
    causation_id   text CHECK (length(causation_id) <= 64),
    traceparent    text CHECK (length(traceparent) <= 128),
    occurred_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK (num_nonnulls(payload, payload_binary) <= 1)
);

CREATE INDEX ON ${outbox} (id);

COMMENT ON TABLE ${outbox} IS
    'Events: INSERT in the transaction that makes them true; Tailrace carries them to Kafka once it has committed.';

CREATE TABLE ${command} (
    id              uuid NOT NULL DEFAULT ${schema}.new_id(),
    command_name    text NOT NULL,
    ordering_key    text CHECK (length(ordering_key) <= 512),
    payload         json,
    payload_binary  bytea,
    content_type    text CHECK (length(content_type) <= 255),
    headers         json,
    run_at          timestamptz NOT NULL DEFAULT now(),
    dedup_key       text,
    max_attempts    integer CHECK (max_attempts >= 1),
    tenant_id       text CHECK (length(tenant_id) <= 64),
    user_id         text CHECK (length(user_id) <= 64),
    user_roles      text CHECK (length(user_roles) <= 512),
    correlation_id  text CHECK (length(correlation_id) <= 64),
    causation_id    text CHECK (length(causation_id) <= 64),
    traceparent     text CHECK (length(traceparent) <= 128),
    -- Owned by the executor from here on.
    status          text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'COMPLETED', 'DEAD', 'CANCELLED')),
    turn            integer NOT NULL DEFAULT 0,
    attempts        integer NOT NULL DEFAULT 0,
    place           bigint,
    not_before      timestamptz,
    hold            text,
    claim_token     uuid,
    claimed_until   timestamptz,
    last_error      text,
    first_failed_at timestamptz,
    failed_at       timestamptz,
    reason          text,
    announced_at    timestamptz,
    completed_at    timestamptz,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK (num_nonnulls(payload, payload_binary) <= 1),
    -- Unique and serves id = $1, without being what a capture takes for a key.
    EXCLUDE USING hash (id WITH =)
);

-- One pending command per dedup_key; an expression, for the same reason.
CREATE UNIQUE INDEX ON ${command} (md5(dedup_key)) WHERE status = 'PENDING' AND dedup_key IS NOT NULL;

-- The order guard asks for a waiting row of the key with a smaller place. Nearly empty: rows that went well never enter it.
CREATE INDEX ON ${command} (ordering_key, place) WHERE place IS NOT NULL AND status IN ('PENDING', 'DEAD');

COMMENT ON TABLE ${command} IS
    'Commands: INSERT in the transaction that justifies them; they run at run_at or later. Change them by the functions only.';

-- Who owns these tables: one row. started_at is null until the engine's first position is safe in Kafka.
CREATE TABLE ${schema}.source (
    only_row         boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    namespace        text NOT NULL,
    slot             text NOT NULL,
    publication      text NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    slot_created_lsn pg_lsn NOT NULL,
    started_at       timestamptz
);

-- Command names that do not run for now, because somebody or a breaker said so.
CREATE TABLE ${schema}.pause (
    name  text PRIMARY KEY,
    since timestamptz NOT NULL DEFAULT clock_timestamp(),
    "by"  text,
    note  text
);

-- An instant in milliseconds since 1970, rounded up so that nothing is early; infinity is the largest number, the past is 0.
CREATE FUNCTION ${schema}.millis(instant timestamptz) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE instant
        WHEN 'infinity' THEN 9223372036854775807
        WHEN '-infinity' THEN 0
        ELSE greatest(pg_catalog.ceil(EXTRACT(epoch FROM instant) * 1000), 0)::bigint
    END;

-- What the router hears of a change: a message in the WAL, in the transaction of the change and in order with the inserts.
CREATE FUNCTION ${schema}.emit_control(act text, command ${command}) RETURNS void
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT pg_logical_emit_message(true, 'tailrace.control', json_build_object(
        'schema', ${schema_text}::text, -- Every reader of this database hears it, also one of other tables.
        'act', act,
        'id', command.id,
        'name', command.command_name,
        'key', command.ordering_key,
        'turn', command.turn,
        'place', command.place,
        'runAt', ${schema}.millis(coalesce(command.not_before, command.run_at)))::text);
$sql$;

-- Takes a command for a change: OK and the row, NOT_FOUND, or RUNNING when a worker has it now.
-- Locks: the row, FOR UPDATE. SKIP LOCKED is NOWAIT without an error to catch, and so without a subtransaction per call.
-- Index: the exclusion constraint on id.
CREATE FUNCTION ${schema}.take_command(id uuid, OUT outcome text, OUT command ${command})
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
#variable_conflict use_column
BEGIN
    SELECT c.* INTO command FROM ${command} c WHERE c.id = take_command.id FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        PERFORM FROM ${command} c WHERE c.id = take_command.id;
        outcome := CASE WHEN FOUND THEN 'RUNNING' ELSE 'NOT_FOUND' END;
    ELSIF command.status = 'PENDING' AND command.claimed_until > clock_timestamp()
            -- The handler's own transaction holds the lock: a command cannot be changed by its own run.
            OR current_setting('tailrace.running_command', true) = take_command.id::text THEN
        outcome := 'RUNNING';
    ELSE
        outcome := 'OK';
    END IF;
END
$sql$;

-- PENDING → CANCELLED. A handler that has it keeps it: RUNNING.
CREATE FUNCTION ${schema}.cancel_command(id uuid) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
#variable_conflict use_column
DECLARE
    taken record;
    command ${command}%ROWTYPE;
BEGIN
    SELECT * INTO taken FROM ${schema}.take_command(cancel_command.id);
    command := taken.command;
    IF taken.outcome <> 'OK' THEN
        RETURN taken.outcome;
    ELSIF command.status <> 'PENDING' THEN
        RETURN 'NOT_PENDING';
    END IF;
    UPDATE ${command} c SET status = 'CANCELLED', completed_at = clock_timestamp(), not_before = NULL, hold = NULL
        WHERE c.id = cancel_command.id RETURNING c.* INTO command;
    PERFORM ${schema}.emit_control('cancel', command);
    RETURN 'OK';
END
$sql$;

-- Moves a pending command; a row that was stamped gets a new turn, which its lane follows.
CREATE FUNCTION ${schema}.move_command(act text, id uuid, run_at timestamptz) RETURNS text
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
#variable_conflict use_column
DECLARE
    taken record;
    command ${command}%ROWTYPE;
BEGIN
    SELECT * INTO taken FROM ${schema}.take_command(move_command.id);
    command := taken.command;
    IF taken.outcome <> 'OK' THEN
        RETURN taken.outcome;
    ELSIF command.status <> 'PENDING' THEN
        RETURN 'NOT_PENDING';
    END IF;
    UPDATE ${command} c SET
            run_at = move_command.run_at,
            turn = CASE WHEN c.place IS NULL THEN c.turn ELSE c.turn + 1 END,
            not_before = CASE WHEN c.place IS NULL THEN c.not_before ELSE move_command.run_at END,
            hold = NULL
        WHERE c.id = move_command.id RETURNING c.* INTO command;
    PERFORM ${schema}.emit_control(move_command.act, command);
    RETURN 'OK';
END
$sql$;

CREATE FUNCTION ${schema}.reschedule_command(id uuid, run_at timestamptz) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
BEGIN
    IF run_at IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'reschedule_command: run_at is null; to stop a command cancel it';
    END IF;
    RETURN ${schema}.move_command('reschedule', id, run_at);
END
$sql$;

CREATE FUNCTION ${schema}.run_command_now(id uuid) RETURNS text
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT ${schema}.move_command('run-now', run_command_now.id, clock_timestamp());
$sql$;

-- Cancels the old command and inserts a new one of the same name, key, identity and dedup_key. A payload or run_at that is null
-- is taken from the old one. The new id is null unless the outcome is OK.
CREATE FUNCTION ${schema}.replace_command(
        id uuid, payload json DEFAULT NULL, run_at timestamptz DEFAULT NULL, OUT outcome text, OUT new_id uuid)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
#variable_conflict use_column
BEGIN
    -- The row stays locked until the end of the transaction: what is read below is what was cancelled.
    outcome := ${schema}.cancel_command(replace_command.id);
    IF outcome = 'OK' THEN
        INSERT INTO ${command} (command_name, ordering_key, payload, payload_binary, content_type, headers, run_at, dedup_key,
                max_attempts, tenant_id, user_id, user_roles, correlation_id, causation_id, traceparent)
            SELECT c.command_name, c.ordering_key, coalesce(replace_command.payload, c.payload),
                CASE WHEN replace_command.payload IS NULL THEN c.payload_binary END, c.content_type, c.headers,
                coalesce(replace_command.run_at, c.run_at), c.dedup_key,
                c.max_attempts, c.tenant_id, c.user_id, c.user_roles, c.correlation_id, c.causation_id, c.traceparent
            FROM ${command} c WHERE c.id = replace_command.id
            RETURNING id INTO new_id;
    END IF;
END
$sql$;

-- DEAD → PENDING with a new budget; keeps last_error, reason and place. It is the whole act of replaying a dead command.
-- DUPLICATE: a younger pending command has its dedup_key; cancel that one first.
CREATE FUNCTION ${schema}.requeue_command(id uuid) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
#variable_conflict use_column
DECLARE
    taken record;
    command ${command}%ROWTYPE;
BEGIN
    SELECT * INTO taken FROM ${schema}.take_command(requeue_command.id);
    command := taken.command;
    IF taken.outcome <> 'OK' THEN
        RETURN taken.outcome;
    ELSIF command.status <> 'DEAD' THEN
        RETURN 'NOT_DEAD';
    END IF;
    UPDATE ${command} c SET status = 'PENDING', turn = c.turn + 1, attempts = 0, not_before = clock_timestamp(), hold = NULL,
            claim_token = NULL, claimed_until = NULL, announced_at = NULL, completed_at = NULL
        WHERE c.id = requeue_command.id RETURNING c.* INTO command;
    PERFORM ${schema}.emit_control('requeue', command);
    RETURN 'OK';
EXCEPTION
    WHEN unique_violation THEN
        RETURN 'DUPLICATE';
END
$sql$;

-- Inserts a command under a dedup_key. If one is pending under it: 'reject' and 'ignore' leave it, and the outcome is REJECTED or
-- IGNORED with its id; 'replace' cancels it (REPLACED), unless a worker has it now (RUNNING, with its id). A handler that schedules
-- its own successor completes the command being run first.
-- Locks: the new row; with replace the old one. Waits for a transaction that inserts under the same dedup_key.
-- Index: the unique one on md5(dedup_key).
CREATE FUNCTION ${schema}.schedule_command(
        command_name text, dedup_key text, on_duplicate text DEFAULT 'reject', run_at timestamptz DEFAULT NULL,
        ordering_key text DEFAULT NULL, payload json DEFAULT NULL, payload_binary bytea DEFAULT NULL,
        content_type text DEFAULT NULL, headers json DEFAULT NULL, max_attempts integer DEFAULT NULL,
        tenant_id text DEFAULT NULL, user_id text DEFAULT NULL, user_roles text DEFAULT NULL,
        correlation_id text DEFAULT NULL, causation_id text DEFAULT NULL, traceparent text DEFAULT NULL,
        id uuid DEFAULT NULL, OUT outcome text, OUT scheduled uuid)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
#variable_conflict use_column
DECLARE
    wanted uuid := coalesce(schedule_command.id, ${schema}.new_id());
    pending uuid;
    replaced boolean := false;
BEGIN
    IF schedule_command.dedup_key IS NULL OR on_duplicate NOT IN ('reject', 'ignore', 'replace') THEN
        RAISE invalid_parameter_value USING MESSAGE =
            'schedule_command: dedup_key must be given and on_duplicate be reject, ignore or replace';
    END IF;
    LOOP
        -- A concurrent insert of the same dedup_key is waited for here: it wins if it commits.
        INSERT INTO ${command} (id, command_name, ordering_key, payload, payload_binary, content_type, headers, run_at,
                dedup_key, max_attempts, tenant_id, user_id, user_roles, correlation_id, causation_id, traceparent)
            VALUES (wanted, schedule_command.command_name, schedule_command.ordering_key, schedule_command.payload,
                schedule_command.payload_binary, schedule_command.content_type, schedule_command.headers,
                coalesce(schedule_command.run_at, now()), schedule_command.dedup_key, schedule_command.max_attempts,
                schedule_command.tenant_id, schedule_command.user_id, schedule_command.user_roles,
                schedule_command.correlation_id, schedule_command.causation_id, schedule_command.traceparent)
            ON CONFLICT (md5(dedup_key)) WHERE status = 'PENDING' AND dedup_key IS NOT NULL DO NOTHING;
        IF FOUND THEN
            outcome := CASE WHEN replaced THEN 'REPLACED' ELSE 'SCHEDULED' END;
            scheduled := wanted;
            RETURN;
        END IF;
        SELECT c.id INTO pending FROM ${command} c
            WHERE md5(c.dedup_key) = md5(schedule_command.dedup_key) AND c.status = 'PENDING' AND c.dedup_key IS NOT NULL;
        IF NOT FOUND THEN
            CONTINUE; -- Settled since the insert met it: the key is free.
        ELSIF current_setting('tailrace.running_command', true) = pending::text THEN
            -- Scheduled by the run of that very command, in the transaction that holds its lock.
            UPDATE ${command} c SET status = 'COMPLETED', completed_at = clock_timestamp() WHERE c.id = pending;
        ELSIF on_duplicate = 'replace' THEN
            outcome := ${schema}.cancel_command(pending);
            IF outcome = 'RUNNING' THEN
                scheduled := pending;
                RETURN;
            END IF;
            replaced := outcome = 'OK'; -- Otherwise settled since it was read: the key is free.
        ELSE
            outcome := CASE on_duplicate WHEN 'reject' THEN 'REJECTED' ELSE 'IGNORED' END;
            scheduled := pending;
            RETURN;
        END IF;
    END LOOP;
END
$sql$;

REVOKE ALL ON FUNCTION
    ${schema}.emit_control(text, ${command}),
    ${schema}.take_command(uuid),
    ${schema}.move_command(text, uuid, timestamptz),
    ${schema}.cancel_command(uuid),
    ${schema}.reschedule_command(uuid, timestamptz),
    ${schema}.run_command_now(uuid),
    ${schema}.replace_command(uuid, json, timestamptz),
    ${schema}.requeue_command(uuid),
    ${schema}.schedule_command(text, text, text, timestamptz, text, json, bytea, text, json, integer,
        text, text, text, text, text, text, uuid)
    FROM PUBLIC;
