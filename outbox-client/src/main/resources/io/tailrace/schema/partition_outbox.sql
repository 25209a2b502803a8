-- The outbox becomes the DEFAULT partition of a partitioned table of the same name and shape, by occurred_at, with the rows that it
-- has. In one transaction, which waits for those that write to it now: no row is missed, none is published twice.
SET LOCAL lock_timeout = '5s';
LOCK TABLE ${outbox} IN ACCESS EXCLUSIVE MODE;
DO $sql$
DECLARE
    granted record;
BEGIN
    IF (SELECT relkind <> 'r' FROM pg_catalog.pg_class WHERE oid = ${outbox_text}::regclass) THEN
        RAISE EXCEPTION '% is partitioned already', ${outbox_text};
    END IF;
    ALTER TABLE ${outbox} RENAME TO ${outbox_default_name};
    CREATE TABLE ${outbox} (LIKE ${outbox_default} INCLUDING ALL) PARTITION BY RANGE (occurred_at);
    ALTER TABLE ${outbox} ATTACH PARTITION ${outbox_default} DEFAULT;
    -- Who inserts by the root needs no right on a partition; so who may insert goes on as before.
    FOR granted IN
        SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(grantee)) END AS role,
            privilege_type AS privilege, CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END AS further
        FROM pg_catalog.pg_class, pg_catalog.aclexplode(relacl)
        WHERE oid = ${outbox_default_text}::regclass
    LOOP
        EXECUTE pg_catalog.format('GRANT %s ON %s TO %s%s', granted.privilege, ${outbox_text}, granted.role, granted.further);
    END LOOP;
END
$sql$;
ALTER PUBLICATION ${publication} SET TABLE
    ${outbox} (${outbox_columns}),
    ${command} (${command_columns});
