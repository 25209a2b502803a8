-- External effects: an operator's word raises the turn of a row whose claim has expired, and so ends that claim. The renewal of V006 did
-- not look at the turn, and gave such a row a lease of which the end could not be written any more. It stays for executors of before.

-- The handler is at work still. False when the claim is lost: somebody has used an attempt for it, or an operator has changed the row. One that
-- has expired is good again as long as nobody has noticed.
CREATE FUNCTION ${schema}.renew_external(p_id uuid, p_turn integer, p_token uuid, p_lease_ms bigint) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $sql$
BEGIN
    UPDATE ${command} c SET claimed_until = clock_timestamp() + p_lease_ms * interval '1 millisecond'
        WHERE c.id = p_id AND c.claim_token = p_token AND c.turn <= p_turn AND c.status = 'PENDING';
    RETURN FOUND;
END
$sql$;

REVOKE ALL ON FUNCTION ${schema}.renew_external(uuid, integer, uuid, bigint) FROM PUBLIC;
