package io.tailrace.testkit;

import io.tailrace.embedded.EmbeddedPostgres;
import org.jspecify.annotations.Nullable;

/** One PostgreSQL and one broker for all tests of this JVM, each started when the first test asks for it. */
final class SharedServers {

    private static final SharedServers INSTANCE = new SharedServers();

    private @Nullable EmbeddedPostgres postgres;
    private @Nullable KafkaServer kafka;

    private SharedServers() {}

    static SharedServers instance() {
        return INSTANCE;
    }

    synchronized EmbeddedPostgres postgres() {
        EmbeddedPostgres server = postgres;
        if (server == null) {
            server = EmbeddedPostgres.builder().start();
            postgres = server;
        }
        return server;
    }

    synchronized KafkaServer kafka() {
        KafkaServer server = kafka;
        if (server == null) {
            server = KafkaServer.launch();
            kafka = server;
        }
        return server;
    }

    /** A test may have taken a server away and failed before it brought it back. */
    synchronized void mend() {
        if (postgres != null) {
            postgres.start();
        }
        if (kafka != null) {
            kafka.start();
        }
    }
}
