package io.tailrace.schema;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.name.TableNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Tables, functions, publication and slot of a database: printed, made, compared. Stateless. */
public final class Schema {

    private static final System.Logger LOG = System.getLogger(Schema.class.getName());

    private Schema() {}

    /** As {@link #script(TableNames, Scope, Ownership, List)}, granting nobody anything. */
    public static String script(TableNames tables, Scope scope, Ownership ownership) {
        return script(tables, scope, ownership, List.of());
    }

    /**
     * All that {@link #migrate} does to an empty place, as plain SQL to review and to run with psql.
     *
     * @param ownership whose tables they will be; not used for {@link Scope#INBOX}
     * @param roles of applications, which get INSERT and EXECUTE and nothing else
     */
    public static String script(TableNames tables, Scope scope, Ownership ownership, List<String> roles) {
        return Script.of(tables, scope, ownership, roles);
    }

    /** As {@link #migrate(Connection, TableNames, Scope, Ownership, List)}, granting nobody anything. */
    public static MigrationReport migrate(Connection connection, TableNames tables, Scope scope, Ownership ownership)
            throws SQLException {
        return migrate(connection, tables, scope, ownership, List.of());
    }

    /** As {@link #migrate(Connection, TableNames, Scope, Ownership, List, Consumer)}; who is in the way is logged. */
    public static MigrationReport migrate(
            Connection connection, TableNames tables, Scope scope, Ownership ownership, List<String> roles)
            throws SQLException {
        return migrate(connection, tables, scope, ownership, roles, line -> LOG.log(System.Logger.Level.WARNING, line));
    }

    /**
     * Brings a database to this release, under an advisory lock, each version in a transaction of its own. Does nothing that is done
     * already. Waits for transactions that are open while it makes the slot. A version that needs a table which is in use waits for it 2 s at a
     * time, so that nobody else waits longer, and lets the others pass, for three minutes at most.
     *
     * @param connection direct to the server and in autocommit mode, as several transactions are run; it is not closed
     * @param ownership whose tables they are; not used for {@link Scope#INBOX}
     * @param roles of applications, which get INSERT and EXECUTE and nothing else, after everything else stands
     * @param progress hears, a line at a time, which version waits, and whose transactions are in the way
     * @return what was done
     * @throws StartRefused when a table of that name is not ours or has another shape, when the tables belong to another namespace,
     *     slot or publication, or when the server or the role lacks something; the message names all of it and the fix
     */
    public static MigrationReport migrate(
            Connection connection,
            TableNames tables,
            Scope scope,
            Ownership ownership,
            List<String> roles,
            Consumer<String> progress)
            throws SQLException {
        return new Migrator(connection, tables, scope, ownership, BusyTables.TRIES, progress).migrate(roles);
    }

    /**
     * Makes a table that is partitioned by {@code occurred_at} of the outbox, in one transaction. What it held becomes the DEFAULT
     * partition; grants stay, policies of row-level security do not.
     *
     * @param connection as for {@link #migrate}, after which it is called
     * @return false when it is partitioned already, and then nothing is changed
     */
    public static boolean partitionOutbox(Connection connection, TableNames tables, Ownership ownership)
            throws SQLException {
        return PartitionedOutbox.make(connection, tables, ownership);
    }

    /** What {@link #partitionOutbox} does, as plain SQL to run after that of {@link #script}. */
    public static String partitionScript(TableNames tables, Ownership ownership) {
        return "\nBEGIN;\n\n" + PartitionedOutbox.sql(tables, ownership) + "\nCOMMIT;\n";
    }

    /** As {@link #differences(Connection, TableNames, Scope)} for {@link Scope#ALL}. */
    public static List<Difference> differences(Connection connection, TableNames tables) throws SQLException {
        return differences(connection, tables, Scope.ALL);
    }

    /**
     * What is not as this release expects it: columns, types, defaults, nullability, indexes, constraints, functions, and the
     * publication that the source row names. Only reads. What a database has beyond that is no difference unless it refuses rows.
     */
    public static List<Difference> differences(Connection connection, TableNames tables, Scope scope)
            throws SQLException {
        List<Difference> found =
                new ArrayList<>(ShapeComparison.of(tables, Shape.expected(scope), Shape.read(connection, tables)));
        boolean hasSource = found.stream().noneMatch(d -> d.where().equals(tables.qualified(TableNames.SOURCE)));
        if (scope == Scope.ALL && hasSource) {
            Optional<Source> source = Source.read(connection, tables);
            if (source.isPresent()) {
                found.addAll(PublicationCheck.of(
                        connection, tables, source.get().ownership().publication()));
            } else {
                found.add(new Difference(
                        tables.qualified(TableNames.SOURCE),
                        "the row that names the owner",
                        "present",
                        Difference.ABSENT,
                        "run tailrace db migrate"));
            }
        }
        return List.copyOf(found);
    }

    /** What an operator should know although nothing is wrong yet, each with what to do. Only reads. */
    public static List<String> notices(Connection connection, TableNames tables) throws SQLException {
        Optional<Source> source = Source.read(connection, tables);
        return source.isEmpty()
                ? List.of()
                : Slot.notices(connection, source.get().ownership().slot());
    }

    /** The owner of the tables, once they have one. The table must exist. */
    public static Optional<Source> source(Connection connection, TableNames tables) throws SQLException {
        return Source.read(connection, tables);
    }
}
