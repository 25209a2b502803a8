package io.tailrace.contract.config;

import io.tailrace.contract.name.TableNames;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * One PostgreSQL database whose tables are captured and whose commands are run.
 *
 * @param name the database, unless another one is given: slot, publication, {@code ce_source}, groups and transactional ids are named
 *     after it
 * @param host a direct address: a replication connection cannot go through a pooler
 * @param port 1 to 65535
 * @param database its name
 * @param user needs LOGIN and REPLICATION for the engine, and the tables for the executor
 * @param password of that user, may be empty
 * @param sslMode disable, allow, prefer, require, verify-ca or verify-full
 * @param tables where the tables stand
 */
public record SourceConfig(
        String name,
        String host,
        int port,
        String database,
        String user,
        Secret password,
        String sslMode,
        TableNames tables) {

    /** As long as the name of a database. */
    static final int MAX_NAME_LENGTH = 63;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1," + MAX_NAME_LENGTH + "}");

    public SourceConfig {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(database, "database");
        Objects.requireNonNull(user, "user");
        Objects.requireNonNull(password, "password");
        Objects.requireNonNull(sslMode, "sslMode");
        Objects.requireNonNull(tables, "tables");
        Keys.SOURCE.port.require(port);
        // A database may be called anything.
        if (!name.equals(database) && !NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("name '%s' must be 1 to %d characters of A-Z, a-z, 0-9, '_', '-' and '.'"
                    .formatted(name, MAX_NAME_LENGTH));
        }
    }

    /** A source that is called as its database. */
    public SourceConfig(
            String host, int port, String database, String user, Secret password, String sslMode, TableNames tables) {
        this(database, host, port, database, user, password, sslMode, tables);
    }

    /** Whether both name the same tables of the same database, as far as the two texts tell. */
    boolean sharesTablesWith(SourceConfig other) {
        return host.equalsIgnoreCase(other.host)
                && port == other.port
                && database.equals(other.database)
                && tables.equals(other.tables);
    }

    /** For the PostgreSQL JDBC driver; without user and password. */
    public String jdbcUrl() {
        return "jdbc:postgresql://%s:%d/%s?sslmode=%s"
                .formatted(
                        host,
                        port,
                        java.net.URLEncoder.encode(database, java.nio.charset.StandardCharsets.UTF_8),
                        sslMode);
    }
}
