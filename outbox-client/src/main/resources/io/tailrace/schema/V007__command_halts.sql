-- Keys that stop at a dead command until an operator has acted (on-dead-letter: halt-key). The dead row says so itself: so the order guard
-- meets it wherever the next command of its key comes from, and whether or not anybody has heard of its death.

-- Means something as long as the row is dead. Never true of a row without an ordering key.
ALTER TABLE ${command} ADD COLUMN halts boolean NOT NULL DEFAULT false;

-- The waiting row of a key that stands before a place, if there is one: the order guard. A dead row at which the key stops is one.
-- Index: (ordering_key, place), partial, nearly empty.
CREATE OR REPLACE FUNCTION ${schema}.waiting_before(before_key text, before_place bigint, asking uuid) RETURNS uuid
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
    SELECT c.id FROM ${command} c
        WHERE c.ordering_key = before_key AND c.place < before_place
            AND c.place IS NOT NULL AND c.status IN ('PENDING', 'DEAD')
            AND (c.status = 'PENDING' OR c.halts) AND c.id <> asking
        ORDER BY c.place LIMIT 1;
$sql$;

-- The row is dead, and if it has a key, that may stop at it. No row when the claim is no longer the caller's.
CREATE FUNCTION ${schema}.stamp_dead(
        p_id uuid, p_turn integer, p_claim_xid bigint, p_place bigint, p_used integer, p_reason text, p_error text, p_halts boolean)
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
            announced_at = NULL,
            halts = p_halts AND c.ordering_key IS NOT NULL
        WHERE c.id = p_id AND c.turn <= p_turn AND c.status = 'PENDING'
            AND pg_current_xact_id_if_assigned()::text::bigint = p_claim_xid
        RETURNING c.turn, c.attempts, c.place, 0::bigint, NULL::bigint, ${schema}.millis(c.first_failed_at),
            ${schema}.millis(c.failed_at);
$sql$;

-- DEAD → PENDING with a new budget; keeps last_error, reason and place. It is the whole act of replaying a dead command. A key that stops at
-- it stops no more: the row waits at its place, as any other does, and those behind it with it.
-- DUPLICATE: a younger pending command has its dedup_key; cancel that one first.
CREATE OR REPLACE FUNCTION ${schema}.requeue_command(id uuid) RETURNS text
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
            claim_token = NULL, claimed_until = NULL, announced_at = NULL, completed_at = NULL, halts = false
        WHERE c.id = requeue_command.id RETURNING c.* INTO command;
    PERFORM ${schema}.emit_control('requeue', command);
    RETURN 'OK';
EXCEPTION
    WHEN unique_violation THEN
        RETURN 'DUPLICATE';
END
$sql$;

-- The key of a dead command goes on without it. The row stays dead and can be requeued later, behind what has gone on. The turn rises: what
-- was said of the row before, and is heard only after this, does not stop the key again. OK also of a dead row at which its key does not
-- stop, so that whoever believes it does is told. NOT_HALTED: it has no key. NOT_HEAD: another row of its key waits before it.
CREATE FUNCTION ${schema}.skip_command(id uuid) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $sql$
#variable_conflict use_column
DECLARE
    taken record;
    command ${command}%ROWTYPE;
BEGIN
    SELECT * INTO taken FROM ${schema}.take_command(skip_command.id);
    command := taken.command;
    IF taken.outcome <> 'OK' THEN
        RETURN taken.outcome;
    ELSIF command.status <> 'DEAD' THEN
        RETURN 'NOT_DEAD';
    ELSIF command.ordering_key IS NULL THEN
        RETURN 'NOT_HALTED';
    ELSIF ${schema}.waiting_before(command.ordering_key, command.place, command.id) IS NOT NULL THEN
        RETURN 'NOT_HEAD';
    END IF;
    UPDATE ${command} c SET turn = c.turn + 1, halts = false WHERE c.id = skip_command.id RETURNING c.* INTO command;
    PERFORM ${schema}.emit_control('skip', command);
    RETURN 'OK';
END
$sql$;

REVOKE ALL ON FUNCTION
    ${schema}.stamp_dead(uuid, integer, bigint, bigint, integer, text, text, boolean),
    ${schema}.skip_command(uuid)
    FROM PUBLIC;
