package io.tailrace.schema;

import io.tailrace.contract.name.TableNames;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;

/** Makes a partitioned table of the outbox, so that old rows can be dropped by the partition. */
final class PartitionedOutbox {

    private static final int MOST_BYTES = 63;

    private PartitionedOutbox() {}

    static String sql(TableNames tables, Ownership ownership) {
        TableNames partition = new TableNames(tables.schema(), defaultOf(tables.outbox()), tables.internalCommand());
        return Template.of(tables)
                .with(ownership)
                .with("outbox_text", Template.literal(tables.qualified(tables.outbox())))
                .with("outbox_default_name", TableNames.quoted(partition.outbox()))
                .with("outbox_default", partition.qualified(partition.outbox()))
                .with("outbox_default_text", Template.literal(partition.qualified(partition.outbox())))
                .fillResource("partition_outbox.sql");
    }

    /** @return false when it is partitioned already */
    static boolean make(Connection connection, TableNames tables, Ownership ownership) throws SQLException {
        boolean isPlain = Jdbc.exists(
                connection,
                "SELECT FROM pg_catalog.pg_class WHERE oid = ?::regclass AND relkind = 'r'",
                tables.qualified(tables.outbox()));
        if (isPlain) {
            Jdbc.transaction(connection, () -> Jdbc.run(connection, sql(tables, ownership)));
        }
        return isPlain;
    }

    private static String defaultOf(String outbox) {
        String name = outbox + "_default";
        return name.getBytes(StandardCharsets.UTF_8).length <= MOST_BYTES ? name : "outbox_default";
    }
}
