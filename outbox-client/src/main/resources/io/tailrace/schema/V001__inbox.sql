-- The inbox of a handler's database: one row for each (subscription, event) that was handled, waits or died. It is the duplicate
-- guard of every subscription and needs nothing else of Tailrace, so a consumer's own database can have it alone.

-- Advisory locks are numbers in one space per database. Everybody who claims derives them here, so that they meet.
-- A key: one transaction at a time, whichever partitions and members feed it.
CREATE FUNCTION ${schema}.lock_key(subscription text, source text, ordering_key text) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN pg_catalog.hashtextextended(ordering_key COLLATE "C",
           pg_catalog.hashtextextended(source COLLATE "C",
           pg_catalog.hashtextextended(subscription COLLATE "C", 0)));

-- A row that may not exist yet: (subscription, event id).
CREATE FUNCTION ${schema}.lock_key(subscription text, event_id uuid) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN pg_catalog.uuid_hash_extended(event_id, pg_catalog.hashtextextended(subscription COLLATE "C", 1));

CREATE TABLE ${schema}.delivery (
    subscription    text NOT NULL CHECK (length(subscription) BETWEEN 1 AND 64),
    event_id        uuid NOT NULL,
    event_name      text,
    source          text,
    ordering_key    text CHECK (length(ordering_key) <= 512),
    raw_partition   integer,
    raw_offset      bigint,
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
    PRIMARY KEY (subscription, event_id)
);

COMMENT ON TABLE ${schema}.delivery IS
    'Inbox: what each subscription did with each event. A row is the only authority on attempts and on DEAD.';

-- The order guard asks for a waiting row of the key with a smaller place. Nearly empty: rows that went well never enter it.
CREATE INDEX ON ${schema}.delivery (subscription, source, ordering_key, place)
    WHERE place IS NOT NULL AND status IN ('PENDING', 'DEAD');

-- Says whether the caller is the one to handle an event, and keeps everybody else away until the caller's transaction ends:
-- RUN (nobody has), DONE (somebody has, in a committed transaction or earlier in this one), RUNNING (another transaction is
-- at it now), WAITING (a failure of it waits for its retry or has died; the executor owns it).
-- Locks: advisory, transaction, (subscription, id). Index: primary key.
CREATE FUNCTION ${schema}.begin_delivery(subscription text, event_id uuid) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
#variable_conflict use_column
DECLARE
    found_status text;
BEGIN
    IF NOT pg_try_advisory_xact_lock(${schema}.lock_key(begin_delivery.subscription, begin_delivery.event_id)) THEN
        RETURN 'RUNNING';
    END IF;
    -- A statement of its own: its snapshot is younger than the lock, so it sees what the last holder committed.
    SELECT d.status INTO found_status FROM ${schema}.delivery d
        WHERE d.subscription = begin_delivery.subscription AND d.event_id = begin_delivery.event_id;
    RETURN CASE
        WHEN found_status IS NULL THEN 'RUN'
        WHEN found_status IN ('COMPLETED', 'CANCELLED') THEN 'DONE'
        ELSE 'WAITING'
    END;
END
$sql$;

-- Writes the duplicate guard once the work is done. Should another transaction have written it although the lock was held (one
-- that does not know the lock, or a caller with an older snapshot), the primary key refuses and the work is undone with it.
-- Locks: the new row. Index: primary key.
CREATE FUNCTION ${schema}.complete_delivery(subscription text, event_id uuid) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
    INSERT INTO ${schema}.delivery (subscription, event_id, status, completed_at)
        VALUES (complete_delivery.subscription, complete_delivery.event_id, 'COMPLETED', clock_timestamp());
$sql$;

REVOKE ALL ON FUNCTION ${schema}.begin_delivery(text, uuid), ${schema}.complete_delivery(text, uuid) FROM PUBLIC;
