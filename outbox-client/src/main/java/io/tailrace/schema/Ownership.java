package io.tailrace.schema;

import io.tailrace.contract.name.Namespace;
import java.util.Objects;

/**
 * To whom the tables of a database belong. Two engines on the same tables would publish every row twice, so this is written down once.
 *
 * @param namespace of the application
 * @param slot the replication slot
 * @param publication the publication
 */
public record Ownership(String namespace, String slot, String publication) {

    public Ownership {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(slot, "slot");
        Objects.requireNonNull(publication, "publication");
        if (!slot.matches("[a-z0-9_]{1,63}")) {
            throw new IllegalArgumentException("slot '" + slot + "' must be 1 to 63 of a-z, 0-9 and '_'");
        }
    }

    /** The names that follow from namespace and source: its database, unless it is configured with a name of its own. */
    public static Ownership of(Namespace namespace, String source) {
        return new Ownership(namespace.value(), namespace.slot(source), namespace.publication(source));
    }
}
