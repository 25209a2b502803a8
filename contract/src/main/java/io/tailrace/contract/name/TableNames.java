package io.tailrace.contract.name;

import java.util.Objects;

/**
 * Where the tables stand. Any legal PostgreSQL identifier, of up to 63 bytes; {@link #quoted} makes it safe in SQL.
 *
 * @param schema of all tables and functions
 * @param outbox the events
 * @param internalCommand the commands
 */
public record TableNames(String schema, String outbox, String internalCommand) {

    /** The names used unless configured otherwise. */
    public static final TableNames DEFAULT = new TableNames("tailrace", "outbox", "internal_command");

    /** The inbox of a handler's database; stands in the same schema, its name is fixed. */
    public static final String DELIVERY = "delivery";

    /** The one row that names the owner of the tables; stands in the same schema, its name is fixed. */
    public static final String SOURCE = "source";

    public TableNames {
        require(schema, "schema");
        require(outbox, "outbox table");
        require(internalCommand, "command table");
    }

    /** {@code "schema"."name"}, quoted. */
    public String qualified(String name) {
        return quoted(schema) + "." + quoted(name);
    }

    /** A PostgreSQL identifier in double quotes, its own quotes doubled. */
    public static String quoted(String identifier) {
        return '"' + identifier.replace("\"", "\"\"") + '"';
    }

    private static void require(String name, String what) {
        Objects.requireNonNull(name, what);
        int bytes = name.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > 63 || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    what + " '" + name + "' must be an identifier of 1 to 63 bytes without NUL");
        }
    }
}
