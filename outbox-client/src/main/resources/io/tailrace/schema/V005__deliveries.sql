-- How a worker of a subscription claims an event and writes down what became of it: what V002 is to commands. The row is the only
-- authority here too, but an event that has never failed has none: a success writes it in the handler's transaction, a failure writes it
-- first. PL/pgSQL, VOLATILE, READ COMMITTED: each statement has a snapshot of its own. Needs nothing but the inbox.

-- An instant in milliseconds since 1970, rounded up so that nothing is early.
CREATE FUNCTION ${schema}.delivery_millis(instant timestamptz) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN pg_catalog.ceil(EXTRACT(epoch FROM instant) * 1000)::bigint;

-- Milliseconds from now until an instant, rounded up, 0 when there is none or it has passed.
CREATE FUNCTION ${schema}.delivery_wait(instant timestamptz) RETURNS bigint
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT CASE
        WHEN instant IS NULL OR instant <= clock_timestamp() THEN 0
        ELSE ceil(EXTRACT(epoch FROM instant - clock_timestamp()) * 1000)::bigint
    END;
$sql$;

-- The waiting row of a key that stands before a place, if there is one: the order guard.
-- Index: (subscription, source, ordering_key, place), partial, nearly empty.
CREATE FUNCTION ${schema}.delivery_before(p_subscription text, p_source text, p_key text, p_place bigint, p_asking uuid) RETURNS uuid
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT d.event_id FROM ${schema}.delivery d
        WHERE d.subscription = p_subscription AND d.source = p_source AND d.ordering_key = p_key AND d.place < p_place
            AND d.place IS NOT NULL AND d.status IN ('PENDING', 'DEAD')
            AND d.status = 'PENDING' AND d.event_id <> p_asking
        ORDER BY d.place LIMIT 1;
$sql$;

-- Takes an event for one transaction and says what to do with it:
--   BUSY     another transaction has the key or the row: step back, use nothing
--   SETTLED  completed or cancelled, or dead and known to be by all
--   REPEAT   the row has a higher turn: another worker settled this one; repeat its outcome, run nothing
--   DEAD     dead at this very turn, and nobody has replayed it
--   EARLY    not due by the clock of the database for another "wait_ms"
--   BEHIND   a row of the key with a smaller place waits: "met"
--   RUN      it is the caller's until the transaction ends
-- A dead row that is replayed at its turn is pending again, with a new budget, if this transaction commits.
-- Locks, in this order: advisory on (subscription, source, key); advisory on (subscription, id), which those who know no row yet have in
-- common; the row, FOR UPDATE. Index: primary key.
CREATE FUNCTION ${schema}.claim_delivery(
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
        UPDATE ${schema}.delivery t SET status = 'PENDING', attempts = 0, announced_at = NULL
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

-- Makes the row of an event that has none, to be stamped in the same transaction. Index: primary key.
CREATE FUNCTION ${schema}.open_delivery(
        p_subscription text, p_id uuid, p_turn integer, p_name text, p_source text, p_key text, p_raw_partition integer,
        p_raw_offset bigint)
    RETURNS void
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    INSERT INTO ${schema}.delivery (subscription, event_id, turn, event_name, source, ordering_key, raw_partition, raw_offset)
        VALUES (p_subscription, p_id, p_turn, p_name, p_source, p_key, p_raw_partition, p_raw_offset)
        ON CONFLICT (subscription, event_id) DO NOTHING;
$sql$;

-- Done, if the claim is still the caller's: the same transaction, the same turn. False otherwise, and then nothing may commit.
-- A row that is COMPLETED here was completed by this very transaction: the handler has used the inbox itself.
CREATE FUNCTION ${schema}.complete_claimed_delivery(
        p_subscription text, p_id uuid, p_turn integer, p_claim_xid bigint, p_name text, p_source text, p_key text,
        p_raw_partition integer, p_raw_offset bigint)
    RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
BEGIN
    IF pg_current_xact_id_if_assigned()::text::bigint IS DISTINCT FROM p_claim_xid THEN
        RETURN false;
    END IF;
    UPDATE ${schema}.delivery d SET status = 'COMPLETED', completed_at = clock_timestamp(), not_before = NULL, hold = NULL
        WHERE d.subscription = p_subscription AND d.event_id = p_id AND d.turn <= p_turn AND d.status IN ('PENDING', 'COMPLETED');
    IF FOUND THEN
        RETURN true;
    END IF;
    INSERT INTO ${schema}.delivery (subscription, event_id, turn, event_name, source, ordering_key, raw_partition, raw_offset, status,
            completed_at)
        VALUES (p_subscription, p_id, p_turn, p_name, p_source, p_key, p_raw_partition, p_raw_offset, 'COMPLETED', clock_timestamp())
        ON CONFLICT (subscription, event_id) DO NOTHING;
    RETURN FOUND;
END
$sql$;

-- The row waits: until p_until_ms (milliseconds since 1970) or for p_wait_ms from now, by the clock of the database. p_used is the
-- number of attempts it used, 0 or 1. No row when the claim is no longer the caller's.
CREATE FUNCTION ${schema}.stamp_delivery_waiting(
        p_subscription text, p_id uuid, p_turn integer, p_claim_xid bigint, p_place bigint, p_used integer, p_wait_ms bigint,
        p_until_ms bigint, p_error text)
    RETURNS TABLE (turn integer, attempts integer, place bigint, wait_ms bigint, not_before_ms bigint, first_failed_ms bigint,
        failed_ms bigint)
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    UPDATE ${schema}.delivery d SET
            turn = greatest(d.turn, p_turn) + 1,
            attempts = d.attempts + p_used,
            place = coalesce(d.place, p_place),
            not_before = coalesce(to_timestamp(p_until_ms / 1000.0), clock_timestamp() + p_wait_ms * interval '1 millisecond'),
            last_error = coalesce(p_error, d.last_error),
            first_failed_at = CASE WHEN p_used > 0 THEN coalesce(d.first_failed_at, clock_timestamp()) ELSE d.first_failed_at END,
            failed_at = CASE WHEN p_used > 0 THEN clock_timestamp() ELSE d.failed_at END
        WHERE d.subscription = p_subscription AND d.event_id = p_id AND d.turn <= p_turn AND d.status = 'PENDING'
            AND pg_current_xact_id_if_assigned()::text::bigint = p_claim_xid
        RETURNING d.turn, d.attempts, d.place, ${schema}.delivery_wait(d.not_before), ${schema}.delivery_millis(d.not_before),
            ${schema}.delivery_millis(d.first_failed_at), ${schema}.delivery_millis(d.failed_at);
$sql$;

-- The row is dead. No row when the claim is no longer the caller's.
CREATE FUNCTION ${schema}.stamp_delivery_dead(
        p_subscription text, p_id uuid, p_turn integer, p_claim_xid bigint, p_place bigint, p_used integer, p_reason text, p_error text)
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
            announced_at = NULL
        WHERE d.subscription = p_subscription AND d.event_id = p_id AND d.turn <= p_turn AND d.status = 'PENDING'
            AND pg_current_xact_id_if_assigned()::text::bigint = p_claim_xid
        RETURNING d.turn, d.attempts, d.place, 0::bigint, NULL::bigint, ${schema}.delivery_millis(d.first_failed_at),
            ${schema}.delivery_millis(d.failed_at);
$sql$;

-- Events queued behind one that waits at p_after: they wait too, and use nothing. Only what stands behind, is pending at its record's
-- turn and due, or has no row yet; returns what it stamped, the rest is claimed one by one.
-- Locks: the key's advisory lock is the caller's already, so no other worker is at any of them; the rows in id order, SKIP LOCKED. An
-- application that handles one of them through the inbox just now is waited for, or has its work undone by the primary key.
CREATE FUNCTION ${schema}.stamp_deliveries_behind(
        p_subscription text, p_source text, p_key text, p_after bigint, p_ids uuid[], p_turns integer[], p_places bigint[],
        p_names text[], p_raw_partitions integer[], p_raw_offsets bigint[])
    RETURNS TABLE (id uuid, turn integer, attempts integer, place bigint, first_failed_ms bigint, failed_ms bigint)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        WITH locked AS (
            SELECT d.event_id, q.turn AS record_turn, coalesce(d.place, q.place) AS place
                FROM unnest(p_ids, p_turns, p_places) AS q (id, turn, place)
                JOIN ${schema}.delivery d ON d.subscription = p_subscription AND d.event_id = q.id
                WHERE d.status = 'PENDING' AND d.turn = q.turn AND d.ordering_key = p_key AND coalesce(d.place, q.place) > p_after
                    AND (d.not_before IS NULL OR d.not_before <= clock_timestamp())
                ORDER BY d.event_id
                FOR UPDATE OF d SKIP LOCKED)
        UPDATE ${schema}.delivery d SET turn = locked.record_turn + 1, place = locked.place, not_before = NULL
            FROM locked WHERE d.subscription = p_subscription AND d.event_id = locked.event_id
            RETURNING d.event_id, d.turn, d.attempts, d.place, ${schema}.delivery_millis(d.first_failed_at),
                ${schema}.delivery_millis(d.failed_at);
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

-- The dead letters of these rows are on their way for good.
CREATE FUNCTION ${schema}.announced_deliveries(p_subscription text, p_ids uuid[], p_turns integer[]) RETURNS void
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    UPDATE ${schema}.delivery d SET announced_at = clock_timestamp()
        FROM unnest(p_ids, p_turns) AS q (id, turn)
        WHERE d.subscription = p_subscription AND d.event_id = q.id AND d.turn = q.turn AND d.status = 'DEAD' AND d.announced_at IS NULL;
$sql$;

REVOKE ALL ON FUNCTION
    ${schema}.claim_delivery(text, uuid, text, text, bigint, integer, boolean, boolean, bigint, integer),
    ${schema}.open_delivery(text, uuid, integer, text, text, text, integer, bigint),
    ${schema}.complete_claimed_delivery(text, uuid, integer, bigint, text, text, text, integer, bigint),
    ${schema}.stamp_delivery_waiting(text, uuid, integer, bigint, bigint, integer, bigint, bigint, text),
    ${schema}.stamp_delivery_dead(text, uuid, integer, bigint, bigint, integer, text, text),
    ${schema}.stamp_deliveries_behind(text, text, text, bigint, uuid[], integer[], bigint[], text[], integer[], bigint[]),
    ${schema}.announced_deliveries(text, uuid[], integer[])
    FROM PUBLIC;
