-- What Tailrace cannot do without.
DO $sql$
BEGIN
    IF pg_catalog.current_setting('server_version_num')::int / 10000 NOT BETWEEN 15 AND 18 THEN
        RAISE EXCEPTION 'PostgreSQL % is not supported; Tailrace runs on 15 to 18', pg_catalog.current_setting('server_version');
    ELSIF pg_catalog.current_setting('server_encoding') <> 'UTF8' THEN
        RAISE EXCEPTION 'the database is encoded in %; payloads keep their bytes only in UTF8', pg_catalog.current_setting('server_encoding');
    ELSIF ${captured} AND pg_catalog.current_setting('wal_level') <> 'logical' THEN
        RAISE EXCEPTION 'wal_level is %; run ALTER SYSTEM SET wal_level = ''logical'' and restart the server',
            pg_catalog.current_setting('wal_level');
    END IF;
END
$sql$;
