-- How a worker claims a command and writes down what became of it. The row is the only authority: it alone says whether a command
-- runs, and everything here is guarded by its turn. PL/pgSQL, VOLATILE, READ COMMITTED: each statement has a snapshot of its own,
-- so that what stands after a lock sees what the last holder of the lock has committed.

-- Milliseconds from now until an instant, rounded up, 0 when it has passed, at most a hundred years.
CREATE FUNCTION ${schema}.millis_until(instant timestamptz) RETURNS bigint
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT CASE
        WHEN instant IS NULL OR instant <= clock_timestamp() THEN 0
        WHEN instant > clock_timestamp() + interval '100 years' THEN 3155760000000
        ELSE ceil(EXTRACT(epoch FROM instant - clock_timestamp()) * 1000)::bigint
    END;
$sql$;

-- What became of a transaction of the WAL, whose id has 32 bits there: 'in progress' | 'committed' | 'aborted' | 'unknown'.
-- 'in progress' is also one whose commit is decoded but not yet visible here (it waits for a standby), or that is prepared.
CREATE FUNCTION ${schema}.transaction_state(xid32 bigint) RETURNS text
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
DECLARE
    -- An id of our own is younger than all that was decoded. (The xmax of a snapshot is not: it passes over ids that are in use
    -- and have not ended.) At most one epoch lies between the two.
    own bigint := pg_current_xact_id()::text::bigint;
    wide bigint := (own >> 32 << 32) + xid32;
BEGIN
    IF wide > own THEN
        wide := wide - (1::bigint << 32);
    END IF;
    IF xid32 IS NULL OR xid32 < 3 OR wide < 3 THEN
        RETURN 'unknown';
    END IF;
    -- Null when so old that nobody remembers.
    RETURN coalesce(pg_xact_status(wide::text::xid8), 'unknown');
END
$sql$;

-- The waiting row of a key that stands before a place, if there is one: the order guard.
-- Index: (ordering_key, place), partial, nearly empty. A dead row waits only under halt-key, which does not exist yet.
CREATE FUNCTION ${schema}.waiting_before(before_key text, before_place bigint, asking uuid) RETURNS uuid
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT c.id FROM ${command} c
        WHERE c.ordering_key = before_key AND c.place < before_place
            AND c.place IS NOT NULL AND c.status IN ('PENDING', 'DEAD')
            AND c.status = 'PENDING' AND c.id <> asking
        ORDER BY c.place LIMIT 1;
$sql$;

-- Takes a command for one transaction and says what to do with it:
--   BUSY     another transaction has the key or the row: step back, use nothing
--   UNSEEN   the row's transaction is still in progress for others: wait
--   GONE     there is no row and will be none; "detail" is what became of its transaction
--   SETTLED  completed or cancelled
--   REPEAT   the row has a higher turn: another worker settled this one; repeat its outcome, run nothing
--   DEAD     dead at this very turn
--   EARLY    not due by the clock of the database for another "wait_ms"; before the order guard, because a row that is not due and
--            has no place must get none: it would block its key
--   BEHIND   a row of the key with a smaller place waits: "met"
--   RUN      it is the caller's until the transaction ends
-- Locks, in this order: advisory on (commands, source, key); the row, FOR UPDATE. SKIP LOCKED is NOWAIT without an error to catch,
-- and so without a subtransaction per claim. Index: the exclusion constraint on id.
CREATE FUNCTION ${schema}.claim_command(
        p_id uuid, p_source text, p_key text, p_place bigint, p_turn integer, p_xid bigint, p_bury boolean, p_limit_ms integer,
        OUT verdict text, OUT detail text, OUT wait_ms bigint, OUT met uuid, OUT claim_xid bigint, OUT lag_ms bigint,
        OUT row_name text, OUT row_key text, OUT row_payload text, OUT row_binary bytea, OUT row_content_type text,
        OUT row_headers text, OUT row_tenant text, OUT row_user text, OUT row_roles text, OUT row_correlation text,
        OUT row_causation text, OUT row_traceparent text, OUT row_status text, OUT row_turn integer, OUT row_attempts integer,
        OUT row_max_attempts integer, OUT row_place bigint, OUT row_not_before_ms bigint, OUT row_first_failed_ms bigint,
        OUT row_failed_ms bigint, OUT row_reason text, OUT row_error text)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
DECLARE
    c ${command}%ROWTYPE;
    lim text := p_limit_ms::text;
BEGIN
    -- The lease: a worker that stops, hangs or vanishes loses the transaction, and with it every lock.
    PERFORM set_config('idle_in_transaction_session_timeout', lim, true), set_config('statement_timeout', lim, true),
        set_config('tcp_keepalives_idle', '10', true), set_config('tcp_keepalives_interval', '10', true),
        set_config('tcp_keepalives_count', '3', true);
    IF current_setting('server_version_num')::int >= 170000 THEN
        PERFORM set_config('transaction_timeout', lim, true);
    END IF;

    IF p_key IS NOT NULL AND NOT pg_try_advisory_xact_lock(${schema}.lock_key('commands', p_source, p_key)) THEN
        verdict := 'BUSY';
        RETURN;
    END IF;
    SELECT t.* INTO c FROM ${command} t WHERE t.id = p_id FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        -- First the transaction, then the row again with a younger snapshot: once its transaction has ended for others the row is
        -- seen, or will never be.
        detail := ${schema}.transaction_state(p_xid);
        PERFORM FROM ${command} t WHERE t.id = p_id;
        verdict := CASE WHEN FOUND THEN 'BUSY' WHEN detail = 'in progress' THEN 'UNSEEN' ELSE 'GONE' END;
        RETURN;
    END IF;
    -- The lock must be the row's, whatever the record says.
    IF c.ordering_key IS DISTINCT FROM p_key AND c.ordering_key IS NOT NULL
            AND NOT pg_try_advisory_xact_lock(${schema}.lock_key('commands', p_source, c.ordering_key)) THEN
        verdict := 'BUSY';
        RETURN;
    END IF;

    row_name := c.command_name;
    row_key := c.ordering_key;
    row_status := c.status;
    row_turn := c.turn;
    row_attempts := c.attempts;
    row_max_attempts := c.max_attempts;
    row_place := c.place;
    claim_xid := pg_current_xact_id()::text::bigint;
    IF c.status IN ('COMPLETED', 'CANCELLED') THEN
        verdict := 'SETTLED';
        RETURN;
    END IF;
    row_not_before_ms := ${schema}.millis(c.not_before);
    row_first_failed_ms := ${schema}.millis(c.first_failed_at);
    row_failed_ms := ${schema}.millis(c.failed_at);
    row_reason := c.reason;
    row_error := c.last_error;
    wait_ms := ${schema}.millis_until(greatest(c.run_at, c.not_before));
    IF c.turn > p_turn THEN
        verdict := 'REPEAT';
        wait_ms := ${schema}.millis_until(c.not_before);
        met := ${schema}.waiting_before(c.ordering_key, c.place, c.id);
    ELSIF c.status = 'DEAD' THEN
        verdict := 'DEAD';
    ELSIF p_bury THEN
        verdict := 'RUN';
    ELSIF wait_ms > 0 THEN
        verdict := 'EARLY';
    ELSE
        met := ${schema}.waiting_before(c.ordering_key, coalesce(c.place, p_place), c.id);
        verdict := CASE WHEN met IS NULL THEN 'RUN' ELSE 'BEHIND' END;
    END IF;
    row_content_type := c.content_type;
    row_headers := c.headers;
    row_tenant := c.tenant_id;
    row_user := c.user_id;
    row_roles := c.user_roles;
    row_correlation := c.correlation_id;
    row_causation := c.causation_id;
    row_traceparent := c.traceparent;
    IF verdict <> 'BEHIND' THEN
        row_payload := c.payload;
        row_binary := c.payload_binary;
    END IF;
    IF verdict = 'RUN' THEN
        lag_ms := greatest(0, EXTRACT(epoch FROM clock_timestamp()
            - CASE WHEN isfinite(c.run_at) THEN greatest(c.run_at, c.not_before) ELSE coalesce(c.not_before, c.created_at) END) * 1000)::bigint;
        -- What the row's own transaction may and may not do with the row: see take_command and schedule_command.
        PERFORM set_config('tailrace.running_command', p_id::text, true);
    END IF;
END
$sql$;

-- Done, if the claim is still the caller's: the same transaction, the same turn. False otherwise, and then nothing may commit.
-- A row that is COMPLETED here was completed by this very transaction (schedule_command of a successor): nobody else had the lock.
CREATE FUNCTION ${schema}.complete_command(p_id uuid, p_turn integer, p_claim_xid bigint) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
BEGIN
    IF pg_current_xact_id_if_assigned()::text::bigint IS DISTINCT FROM p_claim_xid THEN
        RETURN false;
    END IF;
    UPDATE ${command} c SET status = 'COMPLETED', completed_at = clock_timestamp(), not_before = NULL, hold = NULL
        WHERE c.id = p_id AND c.turn <= p_turn AND c.status IN ('PENDING', 'COMPLETED');
    RETURN FOUND;
END
$sql$;

-- The row waits: until p_until_ms (milliseconds since 1970) or for p_wait_ms from now, by the clock of the database. p_used is the
-- number of attempts it used, 0 or 1. No row when the claim is no longer the caller's.
CREATE FUNCTION ${schema}.stamp_waiting(
        p_id uuid, p_turn integer, p_claim_xid bigint, p_place bigint, p_used integer, p_wait_ms bigint, p_until_ms bigint, p_error text)
    RETURNS TABLE (turn integer, attempts integer, place bigint, wait_ms bigint, not_before_ms bigint, first_failed_ms bigint,
        failed_ms bigint)
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    UPDATE ${command} c SET
            turn = greatest(c.turn, p_turn) + 1,
            attempts = c.attempts + p_used,
            place = coalesce(c.place, p_place),
            not_before = coalesce(to_timestamp(p_until_ms / 1000.0), clock_timestamp() + p_wait_ms * interval '1 millisecond'),
            last_error = coalesce(p_error, c.last_error),
            first_failed_at = CASE WHEN p_used > 0 THEN coalesce(c.first_failed_at, clock_timestamp()) ELSE c.first_failed_at END,
            failed_at = CASE WHEN p_used > 0 THEN clock_timestamp() ELSE c.failed_at END
        WHERE c.id = p_id AND c.turn <= p_turn AND c.status = 'PENDING'
            AND pg_current_xact_id_if_assigned()::text::bigint = p_claim_xid
        RETURNING c.turn, c.attempts, c.place, ${schema}.millis_until(c.not_before), ${schema}.millis(c.not_before),
            ${schema}.millis(c.first_failed_at), ${schema}.millis(c.failed_at);
$sql$;

-- The row is dead. No row when the claim is no longer the caller's.
CREATE FUNCTION ${schema}.stamp_dead(
        p_id uuid, p_turn integer, p_claim_xid bigint, p_place bigint, p_used integer, p_reason text, p_error text)
    RETURNS TABLE (turn integer, attempts integer, place bigint, wait_ms bigint, not_before_ms bigint, first_failed_ms bigint,
        failed_ms bigint)
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    UPDATE ${command} c SET
            status = 'DEAD',
            turn = greatest(c.turn, p_turn) + 1,
            attempts = c.attempts + p_used,
            place = coalesce(c.place, p_place),
            not_before = NULL,
            hold = NULL,
            reason = p_reason,
            last_error = coalesce(p_error, c.last_error),
            first_failed_at = coalesce(c.first_failed_at, clock_timestamp()),
            failed_at = clock_timestamp(),
            announced_at = NULL
        WHERE c.id = p_id AND c.turn <= p_turn AND c.status = 'PENDING'
            AND pg_current_xact_id_if_assigned()::text::bigint = p_claim_xid
        RETURNING c.turn, c.attempts, c.place, 0::bigint, NULL::bigint, ${schema}.millis(c.first_failed_at),
            ${schema}.millis(c.failed_at);
$sql$;

-- Rows queued behind one that waits at p_after: they wait too, and use nothing. Only what is pending at its record's turn, is due
-- (a row that is not due and has no place must get none) and stands behind; returns what it stamped, the rest is claimed one by one.
-- Locks: the key's advisory lock is the caller's already; the rows in id order, SKIP LOCKED.
CREATE FUNCTION ${schema}.stamp_behind(p_key text, p_after bigint, p_ids uuid[], p_turns integer[], p_places bigint[])
    RETURNS TABLE (id uuid, turn integer, attempts integer, place bigint, first_failed_ms bigint, failed_ms bigint)
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    WITH locked AS (
        SELECT c.id, q.turn AS record_turn, coalesce(c.place, q.place) AS place
            FROM unnest(p_ids, p_turns, p_places) AS q (id, turn, place)
            JOIN ${command} c ON c.id = q.id
            WHERE c.status = 'PENDING' AND c.turn = q.turn AND c.ordering_key = p_key
                AND coalesce(c.place, q.place) > p_after
                AND greatest(c.run_at, c.not_before) <= clock_timestamp()
            ORDER BY c.id
            FOR UPDATE OF c SKIP LOCKED)
    UPDATE ${command} c SET turn = locked.record_turn + 1, place = locked.place, not_before = NULL
        FROM locked WHERE c.id = locked.id
        RETURNING c.id, c.turn, c.attempts, c.place, ${schema}.millis(c.first_failed_at), ${schema}.millis(c.failed_at);
$sql$;

-- The dead letters of these rows are on their way for good. A row that is dead and stands null was announced and not noted, or will be
-- announced by the next owner of its record, whose offset has not passed; nothing else reads announced_at yet.
CREATE FUNCTION ${schema}.announced_commands(p_ids uuid[], p_turns integer[]) RETURNS void
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    UPDATE ${command} c SET announced_at = clock_timestamp()
        FROM unnest(p_ids, p_turns) AS q (id, turn)
        WHERE c.id = q.id AND c.turn = q.turn AND c.status = 'DEAD' AND c.announced_at IS NULL;
$sql$;

REVOKE ALL ON FUNCTION
    ${schema}.claim_command(uuid, text, text, bigint, integer, bigint, boolean, integer),
    ${schema}.complete_command(uuid, integer, bigint),
    ${schema}.stamp_waiting(uuid, integer, bigint, bigint, integer, bigint, bigint, text),
    ${schema}.stamp_dead(uuid, integer, bigint, bigint, integer, text, text),
    ${schema}.stamp_behind(text, bigint, uuid[], integer[], bigint[]),
    ${schema}.announced_commands(uuid[], integer[])
    FROM PUBLIC;
