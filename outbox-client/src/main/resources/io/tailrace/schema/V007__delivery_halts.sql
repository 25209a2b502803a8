-- Keys of a subscription that stop at a dead event until an operator has acted (on-dead-letter: halt-key): what V007__command_halts.sql is to
-- commands. Needs nothing but the inbox.

-- Means something as long as the row is dead. Never true of a row without an ordering key.
ALTER TABLE ${schema}.delivery ADD COLUMN halts boolean NOT NULL DEFAULT false;

-- The waiting row of a key that stands before a place, if there is one: the order guard. A dead row at which the key stops is one.
-- Index: (subscription, source, ordering_key, place), partial, nearly empty.
CREATE OR REPLACE FUNCTION ${schema}.delivery_before(p_subscription text, p_source text, p_key text, p_place bigint, p_asking uuid) RETURNS uuid
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT d.event_id FROM ${schema}.delivery d
        WHERE d.subscription = p_subscription AND d.source = p_source AND d.ordering_key = p_key AND d.place < p_place
            AND d.place IS NOT NULL AND d.status IN ('PENDING', 'DEAD')
            AND (d.status = 'PENDING' OR d.halts) AND d.event_id <> p_asking
        ORDER BY d.place LIMIT 1;
$sql$;

-- Takes an event for one transaction and says what to do with it:
--   BUSY     another transaction has the key or the row: step back, use nothing
--   SETTLED  completed or cancelled, or dead and known to be by all
--   REPEAT   the row has a higher turn: another worker settled this one; repeat its outcome, run nothing
--   DEAD     dead at this very turn, and nobody has replayed it
--   EARLY    not due by the clock of the database for another "wait_ms"
--   BEHIND   a row of the key with a smaller place waits, or is dead and its key stops there: "met"
--   RUN      it is the caller's until the transaction ends
-- A dead row that is replayed at its turn is pending again, with a new budget, if this transaction commits.
-- Locks, in this order: advisory on (subscription, source, key); advisory on (subscription, id), which those who know no row yet have in
-- common; the row, FOR UPDATE. Index: primary key.
CREATE OR REPLACE FUNCTION ${schema}.claim_delivery(
        p_subscription text, p_id uuid, p_source text, p_key text, p_place bigint, p_turn integer, p_replay boolean, p_bury boolean,
        p_since_ms bigint, p_limit_ms integer,
        OUT verdict text, OUT wait_ms bigint, OUT met uuid, OUT claim_xid bigint, OUT lag_ms bigint, OUT row_status text,
        OUT row_turn integer, OUT row_attempts integer, OUT row_place bigint, OUT row_not_before_ms bigint,
        OUT row_first_failed_ms bigint, OUT row_failed_ms bigint, OUT row_reason text, OUT row_error text)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
DECLARE
    d ${schema}.delivery%ROWTYPE;
    known boolean;
    lim text := p_limit_ms::text;
BEGIN
    -- The lease: a worker that stops, hangs or vanishes loses the transaction, and with it every lock.
    PERFORM set_config('idle_in_transaction_session_timeout', lim, true), set_config('statement_timeout', lim, true),
        set_config('tcp_keepalives_idle', '10', true), set_config('tcp_keepalives_interval', '10', true),
        set_config('tcp_keepalives_count', '3', true);
    IF current_setting('server_version_num')::int >= 170000 THEN
        PERFORM set_config('transaction_timeout', lim, true);
    END IF;

    verdict := 'BUSY';
    IF p_key IS NOT NULL AND NOT pg_try_advisory_xact_lock(${schema}.lock_key(p_subscription, p_source, p_key)) THEN
        RETURN;
    END IF;
    IF NOT pg_try_advisory_xact_lock(${schema}.lock_key(p_subscription, p_id)) THEN
        RETURN;
    END IF;
    SELECT t.* INTO d FROM ${schema}.delivery t WHERE t.subscription = p_subscription AND t.event_id = p_id FOR UPDATE SKIP LOCKED;
    known := FOUND;
    IF NOT known THEN
        PERFORM FROM ${schema}.delivery t WHERE t.subscription = p_subscription AND t.event_id = p_id;
        IF FOUND THEN
            RETURN; -- Somebody has it who does not know the lock, an operator with psql perhaps.
        END IF;
    ELSIF d.ordering_key IS DISTINCT FROM p_key AND d.ordering_key IS NOT NULL
            AND NOT pg_try_advisory_xact_lock(${schema}.lock_key(p_subscription, p_source, d.ordering_key)) THEN
        RETURN;
    END IF;

    claim_xid := pg_current_xact_id()::text::bigint;
    row_status := coalesce(d.status, 'PENDING');
    row_turn := coalesce(d.turn, 0);
    row_attempts := coalesce(d.attempts, 0);
    row_place := d.place;
    -- Dead, and its letter is on its way: an event that comes from a second topic after that has nothing to add.
    IF row_status IN ('COMPLETED', 'CANCELLED') OR (row_status = 'DEAD' AND d.announced_at IS NOT NULL AND p_turn = 0) THEN
        verdict := 'SETTLED';
        RETURN;
    END IF;
    row_not_before_ms := ${schema}.delivery_millis(d.not_before);
    row_first_failed_ms := ${schema}.delivery_millis(d.first_failed_at);
    row_failed_ms := ${schema}.delivery_millis(d.failed_at);
    row_reason := d.reason;
    row_error := d.last_error;
    wait_ms := ${schema}.delivery_wait(d.not_before);
    IF row_turn > p_turn THEN
        verdict := 'REPEAT';
        met := ${schema}.delivery_before(p_subscription, p_source, p_key, d.place, p_id);
        RETURN;
    ELSIF row_status = 'DEAD' AND NOT p_replay THEN
        verdict := 'DEAD';
        RETURN;
    ELSIF row_status = 'DEAD' THEN
        UPDATE ${schema}.delivery t SET status = 'PENDING', attempts = 0, announced_at = NULL, halts = false
            WHERE t.subscription = p_subscription AND t.event_id = p_id;
        row_status := 'PENDING';
        row_attempts := 0;
    END IF;
    IF p_bury THEN
        verdict := 'RUN';
    ELSIF wait_ms > 0 THEN
        verdict := 'EARLY';
    ELSE
        met := ${schema}.delivery_before(p_subscription, p_source, p_key, coalesce(d.place, p_place), p_id);
        verdict := CASE WHEN met IS NULL THEN 'RUN' ELSE 'BEHIND' END;
    END IF;
    lag_ms := greatest(0, EXTRACT(epoch FROM clock_timestamp()
        - coalesce(d.not_before, to_timestamp(p_since_ms / 1000.0), clock_timestamp())) * 1000)::bigint;
END
$sql$;

-- The row is dead, and if it has a key, that may stop at it. No row when the claim is no longer the caller's.
CREATE FUNCTION ${schema}.stamp_delivery_dead(
        p_subscription text, p_id uuid, p_turn integer, p_claim_xid bigint, p_place bigint, p_used integer, p_reason text,
        p_error text, p_halts boolean)
    RETURNS TABLE (turn integer, attempts integer, place bigint, wait_ms bigint, not_before_ms bigint, first_failed_ms bigint,
        failed_ms bigint)
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    UPDATE ${schema}.delivery d SET
            status = 'DEAD',
            turn = greatest(d.turn, p_turn) + 1,
            attempts = d.attempts + p_used,
            place = coalesce(d.place, p_place),
            not_before = NULL,
            hold = NULL,
            reason = p_reason,
            last_error = coalesce(p_error, d.last_error),
            first_failed_at = coalesce(d.first_failed_at, clock_timestamp()),
            failed_at = clock_timestamp(),
            announced_at = NULL,
            halts = p_halts AND d.ordering_key IS NOT NULL
        WHERE d.subscription = p_subscription AND d.event_id = p_id AND d.turn <= p_turn AND d.status = 'PENDING'
            AND pg_current_xact_id_if_assigned()::text::bigint = p_claim_xid
        RETURNING d.turn, d.attempts, d.place, 0::bigint, NULL::bigint, ${schema}.delivery_millis(d.first_failed_at),
            ${schema}.delivery_millis(d.failed_at);
$sql$;

REVOKE ALL ON FUNCTION
    ${schema}.stamp_delivery_dead(text, uuid, integer, bigint, bigint, integer, text, text, boolean)
    FROM PUBLIC;
