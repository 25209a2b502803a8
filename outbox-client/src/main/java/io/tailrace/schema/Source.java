package io.tailrace.schema;

import io.tailrace.contract.name.TableNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The row that names the owner of the tables.
 *
 * @param ownership to whom they belong
 * @param slotCreatedLsn where the slot began, as PostgreSQL prints an LSN
 * @param started whether the engine's first position has been committed to Kafka
 */
public record Source(Ownership ownership, String slotCreatedLsn, boolean started) {

    static Optional<Source> read(Connection connection, TableNames tables) throws SQLException {
        return Jdbc.first(
                connection,
                "SELECT namespace, slot, publication, slot_created_lsn::text, started_at IS NOT NULL FROM "
                        + tables.qualified(TableNames.SOURCE),
                row -> new Source(
                        new Ownership(row.getString(1), row.getString(2), row.getString(3)),
                        row.getString(4),
                        row.getBoolean(5)));
    }

    /** In what the owner differs from another; empty when it is the same. */
    public List<String> contradictions(Ownership other) {
        List<String> found = new ArrayList<>();
        contradiction(found, "namespace", ownership.namespace(), other.namespace());
        contradiction(found, "slot", ownership.slot(), other.slot());
        contradiction(found, "publication", ownership.publication(), other.publication());
        return found;
    }

    private static void contradiction(List<String> found, String what, String owner, String other) {
        if (!owner.equals(other)) {
            found.add("%s %s, not %s".formatted(what, owner, other));
        }
    }
}
