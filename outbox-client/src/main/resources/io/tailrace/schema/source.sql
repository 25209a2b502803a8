-- The owner of these tables. An engine of another namespace or slot is refused: it would publish every row twice.
INSERT INTO ${schema}.source (namespace, slot, publication, slot_created_lsn)
    SELECT ${namespace_text}, s.slot_name, ${publication_text}, s.confirmed_flush_lsn
    FROM pg_catalog.pg_replication_slots s
    WHERE s.slot_name = ${slot_text} AND s.database = pg_catalog.current_database();
