package io.tailrace.contract.config;

import io.tailrace.contract.name.TableNames;
import java.util.Objects;

/**
 * One PostgreSQL database whose tables are captured and whose commands are run.
 *
 * @param host a direct address: a replication connection cannot go through a pooler
 * @param port 1 to 65535
 * @param database its name, which also names slot and publication
 * @param user needs LOGIN and REPLICATION for the engine, and the tables for the executor
 * @param password of that user, may be empty
 * @param sslMode disable, allow, prefer, require, verify-ca or verify-full
 * @param tables where the tables stand
 */
public record SourceConfig(
        String host, int port, String database, String user, Secret password, String sslMode, TableNames tables) {

    public SourceConfig {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(database, "database");
        Objects.requireNonNull(user, "user");
        Objects.requireNonNull(password, "password");
        Objects.requireNonNull(sslMode, "sslMode");
        Objects.requireNonNull(tables, "tables");
        Keys.PORT.require(port);
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
