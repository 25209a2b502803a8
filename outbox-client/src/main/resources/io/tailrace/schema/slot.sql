-- In a transaction of its own: a slot cannot be made in one that has written. It waits for the transactions that are open now.
DO $sql$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_publication WHERE pubname = ${publication_text}) THEN
        RAISE EXCEPTION 'there is no publication %: no slot is made for nothing', ${publication_text};
    ELSIF EXISTS (SELECT FROM pg_catalog.pg_replication_slots WHERE slot_name = ${slot_text}) THEN
        RAISE EXCEPTION 'slot % exists already', ${slot_text};
    ELSIF pg_catalog.current_setting('server_version_num')::int >= 170000 THEN
        -- temporary, two_phase: no; failover: yes, where a standby keeps slots it takes this one over.
        EXECUTE 'SELECT pg_catalog.pg_create_logical_replication_slot($1, $2, false, false, true)' USING ${slot_text}, 'pgoutput';
    ELSE
        EXECUTE 'SELECT pg_catalog.pg_create_logical_replication_slot($1, $2)' USING ${slot_text}, 'pgoutput';
    END IF;
END
$sql$;
