package io.tailrace.embedded;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL and a broker that are started side by side and closed together.
 *
 * @param postgres the database server
 * @param broker the Kafka broker
 */
public record EmbeddedStack(EmbeddedPostgres postgres, EmbeddedBroker broker) implements AutoCloseable {

    /** On free ports with temporary data, stopped at the latest when the JVM exits. */
    public static EmbeddedStack start() {
        return start(EmbeddedPostgres.builder(), EmbeddedBroker.builder());
    }

    /** On fixed ports (0 takes a free one), the data kept in {@code postgres} and {@code kafka} below a directory. */
    public static EmbeddedStack start(Path directory, int postgresPort, int brokerPort, boolean stopOnExit) {
        return start(
                EmbeddedPostgres.builder()
                        .dataDirectory(directory.resolve("postgres"))
                        .port(postgresPort)
                        .stopOnExit(stopOnExit),
                EmbeddedBroker.builder()
                        .dataDirectory(directory.resolve("kafka"))
                        .port(brokerPort)
                        .stopOnExit(stopOnExit));
    }

    /** Starts both as told. If one does not come up the other is closed. */
    public static EmbeddedStack start(EmbeddedPostgres.Builder postgres, EmbeddedBroker.Builder broker) {
        CompletableFuture<EmbeddedPostgres> database = CompletableFuture.supplyAsync(postgres::start);
        EmbeddedBroker kafka = null;
        try {
            kafka = broker.start();
            return new EmbeddedStack(database.join(), kafka);
        } catch (CompletionException e) {
            closeBoth(database, kafka);
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        } catch (RuntimeException | Error e) {
            closeBoth(database, kafka);
            throw e;
        }
    }

    @Override
    public void close() {
        try {
            broker.close();
        } finally {
            postgres.close();
        }
    }

    private static void closeBoth(CompletableFuture<EmbeddedPostgres> database, @Nullable EmbeddedBroker kafka) {
        if (kafka != null) {
            kafka.close();
        }
        database.handle((started, failure) -> started)
                .thenAccept(started -> {
                    if (started != null) {
                        started.close();
                    }
                })
                .join();
    }
}
