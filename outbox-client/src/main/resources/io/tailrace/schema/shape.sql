-- What stands in a schema, one line for each aspect, free of the names that can be configured. Reads catalogs only: no locks that
-- anybody would feel. Parameters: schema, outbox, command table; run with search_path = pg_catalog, so that names come qualified.
WITH place AS (
    SELECT n.oid AS schema, quote_ident(n.nspname) || '.' AS prefix, ?::text AS outbox, ?::text AS command
    FROM pg_namespace n WHERE n.nspname = ?
), relation AS (
    SELECT c.oid, c.relkind, c.relpersistence, c.relrowsecurity,
        CASE c.relname WHEN p.outbox THEN 'outbox' WHEN p.command THEN 'internal_command' ELSE c.relname::text END AS name
    FROM pg_class c JOIN place p ON c.relnamespace = p.schema
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
), line (relation, kind, name, definition) AS (
    SELECT name, 'relation', ''::text, CASE relpersistence WHEN 'u' THEN 'unlogged ' ELSE '' END
        || CASE relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table' WHEN 'f' THEN 'foreign table' ELSE 'view' END
        || CASE
            WHEN relkind <> 'p' THEN ''
            WHEN EXISTS (SELECT FROM pg_partition_tree(relation.oid) t JOIN pg_class c ON c.oid = t.relid
                WHERE t.isleaf AND (c.relpersistence <> 'p' OR c.relkind = 'f')) THEN ' with a partition that is not logged'
            WHEN (SELECT partdefid = 0 FROM pg_partitioned_table WHERE partrelid = relation.oid) THEN ' without a DEFAULT partition'
            ELSE '' END
        FROM relation
    UNION ALL
    SELECT r.name, 'column', a.attname::text, format_type(a.atttypid, a.atttypmod)
        FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT r.name, 'nullability', a.attname::text::text, CASE WHEN a.attnotnull THEN 'NOT NULL' ELSE 'NULL' END
        FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT r.name, 'default', a.attname::text,
            CASE WHEN a.attgenerated <> '' THEN 'generated ' WHEN a.attidentity <> '' THEN 'identity ' ELSE '' END
            || coalesce(pg_get_expr(d.adbin, d.adrelid), 'none')
        FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_attrdef d ON d.adrelid = r.oid AND d.adnum = a.attnum
    UNION ALL
    SELECT r.name, CASE WHEN i.indisunique THEN 'unique index' ELSE 'index' END,
            substring(pg_get_indexdef(i.indexrelid) FROM ' USING (.*)$'),
            CASE WHEN i.indisvalid THEN 'valid' ELSE 'invalid' END
        FROM relation r JOIN pg_index i ON i.indrelid = r.oid
        WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)
    UNION ALL
    SELECT r.name, CASE k.contype WHEN 'c' THEN 'check' WHEN 'f' THEN 'foreign key' ELSE 'constraint' END,
            pg_get_constraintdef(k.oid), 'present'
        FROM relation r JOIN pg_constraint k ON k.conrelid = r.oid AND k.contype IN ('c', 'f', 'p', 'u', 'x')
    UNION ALL
    SELECT '', 'function', f.proname::text || '(' || pg_get_function_identity_arguments(f.oid) || ')',
            'returns ' || pg_get_function_result(f.oid)
            || CASE WHEN f.prosecdef THEN ', security definer, ' || coalesce(array_to_string(f.proconfig, ', '), 'no search_path') ELSE '' END
        FROM place p JOIN pg_proc f ON f.pronamespace = p.schema
)
SELECT l.relation, l.kind,
    replace(replace(replace(l.name, p.prefix, '<schema>.'), '<schema>.' || quote_ident(p.outbox), '<schema>.outbox'),
        '<schema>.' || quote_ident(p.command), '<schema>.internal_command'),
    replace(replace(replace(l.definition, p.prefix, '<schema>.'), '<schema>.' || quote_ident(p.outbox), '<schema>.outbox'),
        '<schema>.' || quote_ident(p.command), '<schema>.internal_command')
FROM line l CROSS JOIN place p
