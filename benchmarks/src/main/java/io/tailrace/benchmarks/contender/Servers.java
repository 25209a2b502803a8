package io.tailrace.benchmarks.contender;

/**
 * Where the servers of a run are, both on this machine.
 *
 * @param postgresPort of the server that holds the contender's tables; superuser {@code postgres}, no password
 * @param bootstrapServers of the broker
 */
record Servers(int postgresPort, String bootstrapServers) {

    static final String HOST = "127.0.0.1";
    static final String USER = "postgres";

    String jdbcUrl(Site site) {
        return "jdbc:postgresql://" + HOST + ":" + postgresPort + "/" + site.database() + "?user=" + USER;
    }
}
