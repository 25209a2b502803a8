package io.tailrace.proof.child;

import io.tailrace.contract.config.TailraceConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What an executor is told.
 *
 * @param site where everything is
 * @param name of this one
 * @param beside whether handlers write their effects over a connection of their own: the control
 */
public record ExecutorSite(Site site, String name, boolean beside) {

    /** What all commands are called. */
    public static final String COMMAND = "prove";

    /** A table: an effect for each run that came to its end, in the order of having them. */
    public static final String EFFECTS = "proof_effect";

    /** A table: what runs have come to that left no effect and used no attempt. */
    public static final String NOTES = "proof_note";

    /** A table: has a row when everything is mended. */
    public static final String MENDED = "proof_mended";

    /** Makes the tables. */
    public static final String TABLES = """
            CREATE TABLE proof_effect (
                n bigint GENERATED ALWAYS AS IDENTITY, command_id uuid NOT NULL, executor text NOT NULL,
                at timestamptz NOT NULL DEFAULT clock_timestamp());
            CREATE TABLE proof_note (command_id uuid NOT NULL, what text NOT NULL);
            CREATE INDEX ON proof_note (command_id);
            CREATE TABLE proof_mended (at timestamptz NOT NULL DEFAULT clock_timestamp())""";

    /** After that an executor that does not answer is succeeded. */
    public static final Duration SESSION = Duration.ofSeconds(4);

    /** Longest run of a handler. */
    public static final Duration TIMEOUT = Duration.ofSeconds(4);

    /** After that the server ends the transaction of an executor that says nothing: 5 s beyond the handler. */
    public static final Duration LEASE = TIMEOUT.plusSeconds(5);

    /** Beyond what a command is ever told to fail: who uses these up has burned some. */
    public static final int MAX_ATTEMPTS = 4;

    /** All waits of a command together, jitter included: an outage is longer. */
    public static final Duration RETRY_BUDGET = Duration.ofMillis((250 + 500 + 1_000) * 12 / 10);

    private static final Map<String, Object> RETRY = Map.of("base", "250ms", "cap", "1s", "max-attempts", MAX_ATTEMPTS);

    private static final int WORKERS = 6;

    /** The configuration of an executor whose Kafka clients stand still where the parent wants it. */
    public TailraceConfig config() {
        Map<String, Object> file = new HashMap<>(site.file());
        file.put(
                "kafka",
                Map.of(
                        "bootstrap-servers",
                        site.bootstrapServers(),
                        "properties",
                        Map.of(
                                "session.timeout.ms", Long.toString(SESSION.toMillis()),
                                "heartbeat.interval.ms", "500",
                                "interceptor.classes", Halts.class.getName())));
        file.put("executor", Map.of("workers", WORKERS, "handler-timeout", TIMEOUT.toMillis() + "ms", "retry", RETRY));
        return Site.read(file);
    }

    /** The configuration of the router, and of the hand of an operator. */
    public static TailraceConfig routerConfig(Site site, Path state) {
        Map<String, Object> file = new HashMap<>(site.file());
        file.put("router", Map.of("instance-id", "router", "state-directory", state.toString()));
        return Site.read(file);
    }

    /** For the command line of a child. */
    public List<String> arguments() {
        List<String> all = new ArrayList<>(site.arguments());
        all.addAll(List.of(name, Boolean.toString(beside)));
        return all;
    }

    static ExecutorSite of(String[] arguments) {
        return new ExecutorSite(Site.of(arguments), arguments[3], Boolean.parseBoolean(arguments[4]));
    }
}
