-- External effects: a handler that works outside of the database has its row without a transaction, for as long as it renews its lease.
-- The token of the claim guards every end of it: whoever has another one, or none, writes nothing. The turn does not rise with such a claim, so
-- that the record which led to it, whose offset has not passed, leads its next owner to the row and not past it.

-- Nearly empty: what external handlers have now, or had when they were last heard of.
CREATE INDEX ON ${command} (ordering_key) WHERE claim_token IS NOT NULL AND status = 'PENDING';

-- Takes a command for one transaction and says what to do with it:
--   BUSY     another transaction has the key or the row, or an external handler has one of the two: step back, use nothing
--   UNSEEN   the row's transaction is still in progress for others: wait
--   GONE     there is no row and will be none; "detail" is what became of its transaction
--   SETTLED  completed or cancelled
--   REPEAT   the row has a higher turn: another worker settled this one; repeat its outcome, run nothing
--   DEAD     dead at this very turn
--   EARLY    not due by the clock of the database for another "wait_ms"; before the order guard, because a row that is not due and
--            has no place must get none: it would block its key
--   EXPIRED  an external handler had it and is not heard of any more: nobody has it now, and an attempt is used
--   BEHIND   a row of the key with a smaller place waits: "met"
--   RUN      it is the caller's until the transaction ends
-- Locks, in this order: advisory on (commands, source, key); the row, FOR UPDATE. SKIP LOCKED is NOWAIT without an error to catch,
-- and so without a subtransaction per claim. Index: the exclusion constraint on id; (ordering_key) of what external handlers have.
CREATE OR REPLACE FUNCTION ${schema}.claim_command(
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
    -- In the hands of an external handler, which holds no lock: its lease is one.
    IF c.status = 'PENDING' AND c.claimed_until > clock_timestamp() THEN
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
    ELSIF c.claim_token IS NOT NULL THEN
        verdict := 'EXPIRED';
        UPDATE ${command} t SET claim_token = NULL, claimed_until = NULL WHERE t.id = p_id;
    ELSE
        met := ${schema}.waiting_before(c.ordering_key, coalesce(c.place, p_place), c.id);
        verdict := CASE WHEN met IS NULL THEN 'RUN' ELSE 'BEHIND' END;
        -- One with a greater place may be out already: a dead row that was requeued comes behind what ran meanwhile.
        IF met IS NULL AND c.ordering_key IS NOT NULL AND EXISTS (
                SELECT FROM ${command} t WHERE t.ordering_key = c.ordering_key AND t.claim_token IS NOT NULL AND t.status = 'PENDING'
                    AND t.claimed_until > clock_timestamp()) THEN
            verdict := 'BUSY';
            RETURN;
        END IF;
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

-- Rows queued behind one that waits at p_after: they wait too, and use nothing. Only what is pending at its record's turn, is due
-- (a row that is not due and has no place must get none), stands behind and is with no external handler; returns what it stamped, the rest is claimed one by one.
-- Locks: the key's advisory lock is the caller's already; the rows in id order, SKIP LOCKED.
CREATE OR REPLACE FUNCTION ${schema}.stamp_behind(p_key text, p_after bigint, p_ids uuid[], p_turns integer[], p_places bigint[])
    RETURNS TABLE (id uuid, turn integer, attempts integer, place bigint, first_failed_ms bigint, failed_ms bigint)
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    WITH locked AS (
        SELECT c.id, q.turn AS record_turn, coalesce(c.place, q.place) AS place
            FROM unnest(p_ids, p_turns, p_places) AS q (id, turn, place)
            JOIN ${command} c ON c.id = q.id
            WHERE c.status = 'PENDING' AND c.turn = q.turn AND c.ordering_key = p_key AND c.claim_token IS NULL
                AND coalesce(c.place, q.place) > p_after
                AND greatest(c.run_at, c.not_before) <= clock_timestamp()
            ORDER BY c.id
            FOR UPDATE OF c SKIP LOCKED)
    UPDATE ${command} c SET turn = locked.record_turn + 1, place = locked.place, not_before = NULL
        FROM locked WHERE c.id = locked.id
        RETURNING c.id, c.turn, c.attempts, c.place, ${schema}.millis(c.first_failed_at), ${schema}.millis(c.failed_at);
$sql$;

-- Hands a row that was claimed in this transaction out to an external handler. False when the claim is not the caller's.
CREATE FUNCTION ${schema}.begin_external(
        p_id uuid, p_turn integer, p_claim_xid bigint, p_place bigint, p_token uuid, p_lease_ms bigint) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
BEGIN
    UPDATE ${command} c SET
            claim_token = p_token,
            claimed_until = clock_timestamp() + p_lease_ms * interval '1 millisecond',
            place = coalesce(c.place, p_place)
        WHERE c.id = p_id AND c.turn <= p_turn AND c.status = 'PENDING'
            AND pg_current_xact_id_if_assigned()::text::bigint = p_claim_xid;
    RETURN FOUND;
END
$sql$;

-- The handler is at work still. False when the claim is lost: somebody has used an attempt for it, or an operator has changed the row. One that
-- has expired is good again as long as nobody has noticed.
CREATE FUNCTION ${schema}.renew_external(p_id uuid, p_token uuid, p_lease_ms bigint) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
BEGIN
    UPDATE ${command} c SET claimed_until = clock_timestamp() + p_lease_ms * interval '1 millisecond'
        WHERE c.id = p_id AND c.claim_token = p_token AND c.status = 'PENDING';
    RETURN FOUND;
END
$sql$;

-- Takes the row back for this transaction, in which its end is stamped as that of any other. Null when the claim is lost; otherwise the
-- transaction, which is what the stamps ask for.
-- Locks: advisory on (commands, source, key), as a claim; the row. Both are waited for, 5 s at most: those who look at a row that is out
-- step back at once.
CREATE FUNCTION ${schema}.end_external(
        p_id uuid, p_source text, p_key text, p_turn integer, p_token uuid, p_limit_ms integer) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
DECLARE
    lim text := p_limit_ms::text;
BEGIN
    PERFORM set_config('idle_in_transaction_session_timeout', lim, true), set_config('statement_timeout', lim, true),
        set_config('lock_timeout', '5000', true);
    IF p_key IS NOT NULL THEN
        PERFORM pg_advisory_xact_lock(${schema}.lock_key('commands', p_source, p_key));
    END IF;
    UPDATE ${command} c SET claim_token = NULL, claimed_until = NULL
        WHERE c.id = p_id AND c.claim_token = p_token AND c.turn <= p_turn AND c.status = 'PENDING';
    RETURN CASE WHEN FOUND THEN pg_current_xact_id()::text::bigint END;
END
$sql$;

REVOKE ALL ON FUNCTION
    ${schema}.begin_external(uuid, integer, bigint, bigint, uuid, bigint),
    ${schema}.renew_external(uuid, uuid, bigint),
    ${schema}.end_external(uuid, text, text, integer, uuid, integer)
    FROM PUBLIC;
