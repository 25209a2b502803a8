-- INSERT only, and only the columns that are carried: what is not published costs neither WAL decoding nor wire. A partitioned
-- outbox is published under its own name.
CREATE PUBLICATION ${publication} FOR TABLE
    ${outbox} (${outbox_columns}),
    ${command} (${command_columns})
    WITH (publish = 'insert', publish_via_partition_root = true);
