package io.tailrace.cli;

import io.tailrace.broker.ClientSettings;
import io.tailrace.contract.config.TailraceConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;

/** What a verb needs to be there. Asked for a sign of life first, because the clients themselves take up to a minute to say no. */
enum Server {
    POSTGRES("PostgreSQL") {
        @Override
        String place(TailraceConfig config) {
            return config.source().host() + ":" + config.source().port();
        }

        @Override
        String keys(TailraceConfig config, boolean several) {
            return several ? "host, port of source " + config.source().name() : "source.host, source.port";
        }

        @Override
        Optional<String> ask(TailraceConfig config) {
            try (Connection connection = SourceConnection.open(config.source())) {
                return Optional.empty();
            } catch (SQLException refused) {
                String state = refused.getSQLState();
                boolean silent = state == null || state.startsWith("08");
                return Optional.of(silent ? SILENT : " says: " + refused.getMessage());
            }
        }
    },

    KAFKA("Kafka") {
        @Override
        String place(TailraceConfig config) {
            return config.kafka().bootstrapServers();
        }

        @Override
        String keys(TailraceConfig config, boolean several) {
            return "kafka.bootstrap-servers";
        }

        @Override
        Optional<String> ask(TailraceConfig config) {
            Map<String, Object> settings = new HashMap<>(ClientSettings.admin(config.kafka()));
            settings.put("default.api.timeout.ms", Long.toString(PATIENCE.toMillis()));
            settings.put("request.timeout.ms", Long.toString(PATIENCE.toMillis()));
            try (Admin admin = Admin.create(settings)) {
                try {
                    admin.describeCluster().nodes().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
                    return Optional.empty();
                } finally {
                    // Or the close waits for the answer that does not come.
                    admin.close(Duration.ZERO);
                }
            } catch (ExecutionException failed) {
                Throwable why = failed.getCause();
                if (why == null || why instanceof org.apache.kafka.common.errors.TimeoutException) {
                    return Optional.of(SILENT);
                }
                return Optional.of(" cannot be used: " + why.getMessage());
            } catch (TimeoutException late) {
                return Optional.of(SILENT);
            } catch (KafkaException unusable) {
                // "Failed to create new KafkaAdminClient"; the cause says why.
                Throwable why = unusable.getCause() == null ? unusable : unusable.getCause();
                return Optional.of(" cannot be used: " + why.getMessage());
            } catch (InterruptedException interrupted) {
                throw new InterruptException(interrupted);
            }
        }
    };

    private static final String SILENT = " does not answer. Is it running?";

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final String title;

    Server(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    abstract String place(TailraceConfig config);

    /** Where {@link #place} is configured. */
    abstract String keys(TailraceConfig config, boolean several);

    /** What follows the name of a server that cannot be used. */
    abstract Optional<String> ask(TailraceConfig config);

    /**
     * A sentence with its address and the keys to change; empty when it answers.
     *
     * @param config with one source if the database is asked
     * @param several whether the file has more than that one
     */
    Optional<String> problem(TailraceConfig config, boolean several, String file) {
        return ask(config)
                .map(end -> "%s at %s (%s in %s)%s".formatted(title, place(config), keys(config, several), file, end));
    }

    /** The same of each source, where it is a matter of sources. */
    List<String> problems(TailraceConfig config, boolean several, String file) {
        List<TailraceConfig> each = this == POSTGRES ? config.eachSource() : List.of(config);
        return each.stream()
                .flatMap(one -> problem(one, several, file).stream())
                .toList();
    }
}
