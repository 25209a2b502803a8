package io.tailrace.contract.config;

import io.tailrace.contract.name.TableNames;
import java.util.List;

/** The keys of a source, wherever one stands. */
final class SourceKeys {

    /** Its last segment: a source without it is called as its database. */
    static final String NAME = "name";

    final Key<String> name;
    final Key<String> host;
    final Key<Integer> port;
    final Key<String> database;
    final Key<String> user;
    final Key<String> password;
    final Key<String> sslMode;
    final Key<String> schema;
    final Key<String> outbox;
    final Key<String> internalCommand;

    /** @param section where they stand, such as {@code source} */
    SourceKeys(String section) {
        name = Key.of(
                section + "." + NAME,
                ValueType.TEXT,
                ("Takes the place of the database in everything that is named after it: slot, publication, `ce_source`, groups and"
                                + " transactional ids. 1 to %d characters of A-Z, a-z, 0-9, `_`, `-` and `.`. Chosen once, like"
                                + " the namespace: under another one it would be another source.")
                        .formatted(SourceConfig.MAX_NAME_LENGTH));
        host = Key.of(
                        section + ".host",
                        ValueType.TEXT,
                        "PostgreSQL server. A direct address: a replication connection cannot go through a pooler.")
                .byDefault("localhost");
        port = Key.of(section + ".port", ValueType.NUMBER, "Port of the PostgreSQL server.")
                .between(1, 65_535)
                .byDefault(5432);
        database = Key.of(
                section + ".database",
                ValueType.TEXT,
                "The database whose tables are captured and whose commands are run.");
        user = Key.of(
                section + ".user",
                ValueType.TEXT,
                "Needs LOGIN and REPLICATION for the engine, and the tables for the executor and the operator's verbs.");
        password = Key.of(section + ".password", ValueType.TEXT, "Password of that user; may be empty.")
                .byDefault("")
                .asSecret();
        sslMode = Key.of(
                        section + ".sslmode",
                        ValueType.oneOf(List.of("disable", "allow", "prefer", "require", "verify-ca", "verify-full")),
                        "How the connection to PostgreSQL is encrypted, as libpq means it.")
                .byDefault("prefer");
        schema = Key.of(section + ".tables.schema", ValueType.TEXT, "Schema of all tables and functions.")
                .byDefault(TableNames.DEFAULT.schema());
        outbox = Key.of(section + ".tables.outbox", ValueType.TEXT, "Table of the events.")
                .byDefault(TableNames.DEFAULT.outbox());
        internalCommand = Key.of(section + ".tables.internal-command", ValueType.TEXT, "Table of the commands.")
                .byDefault(TableNames.DEFAULT.internalCommand());
    }

    /** In the order of the reference page. */
    List<Key<?>> all() {
        return List.of(name, host, port, database, user, password, sslMode, schema, outbox, internalCommand);
    }
}
