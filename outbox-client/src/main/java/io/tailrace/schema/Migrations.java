package io.tailrace.schema;

import java.util.List;

/**
 * Every migration, in the order in which they are applied. A new one is a new line here, a new file beside the others, and a run of
 * the test of the shape files with {@code -Dtailrace.shape.update}, whose change is read before it is committed.
 */
final class Migrations {

    static final List<Migration> ALL = List.of(
            new Migration(1, "inbox", Scope.INBOX, List.of("delivery")),
            new Migration(1, "tables", Scope.ALL, List.of("outbox", "internal_command", "source", "pause")),
            new Migration(2, "claim", Scope.ALL, List.of()),
            new Migration(3, "messages", Scope.ALL, List.of()),
            new Migration(4, "holds", Scope.ALL, List.of()),
            new Migration(5, "deliveries", Scope.INBOX, List.of()),
            new Migration(6, "external", Scope.ALL, List.of()),
            new Migration(7, "delivery_halts", Scope.INBOX, List.of()),
            new Migration(7, "command_halts", Scope.ALL, List.of()),
            new Migration(8, "held_events", Scope.ALL, List.of()),
            new Migration(9, "deliveries_by_id", Scope.INBOX, List.of()),
            new Migration(9, "commands_by_id", Scope.ALL, List.of()),
            new Migration(10, "renew", Scope.ALL, List.of()),
            new Migration(11, "delivery_guard", Scope.INBOX, List.of()),
            new Migration(11, "command_guard", Scope.ALL, List.of()));

    /** The one that makes the source table. */
    static final Migration SOURCE_TABLE = ALL.get(1);

    private Migrations() {}

    static List<Migration> of(Scope scope) {
        return ALL.stream()
                .filter(migration -> scope.contains(migration.part()))
                .toList();
    }
}
