package io.tailrace.benchmarks.harness;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.contender.Site;
import java.util.List;

/**
 * Commands as each contender keeps them, all with the same payload; and what handlers write. In every statement {@code n} is the
 * command's number.
 */
final class CommandSql {

    private static final String NAME = "'send-reminder'";

    private static final String COMMANDS = Site.tables().qualified(Site.tables().internalCommand());

    /** What a trial empties. */
    static final List<String> NAMES =
            List.of(COMMANDS, Site.tables().qualified(Site.tables().outbox()), "scheduled_tasks", "job", "effect");

    /** The first two as their peers' guides have them: db-scheduler's with its indexes. */
    static final String TABLES = """
            CREATE TABLE scheduled_tasks (
                task_name            text NOT NULL,
                task_instance        text NOT NULL,
                task_data            bytea,
                execution_time       timestamptz NOT NULL,
                picked               boolean NOT NULL,
                picked_by            text,
                last_success         timestamptz,
                last_failure         timestamptz,
                consecutive_failures integer,
                last_heartbeat       timestamptz,
                version              bigint NOT NULL,
                priority             smallint,
                PRIMARY KEY (task_name, task_instance)
            );
            CREATE INDEX ON scheduled_tasks (execution_time);
            CREATE INDEX ON scheduled_tasks (last_heartbeat);
            CREATE TABLE job (
                id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                key      text,
                payload  json,
                run_at   timestamptz NOT NULL,
                attempts integer NOT NULL DEFAULT 0,
                done_at  timestamptz
            );
            CREATE INDEX ON job (run_at, id) WHERE done_at IS NULL;
            CREATE TABLE effect (
                seq          bigint GENERATED ALWAYS AS IDENTITY,
                number       bigint NOT NULL,
                key          text NOT NULL,
                began_micros bigint NOT NULL,
                written_at   timestamptz NOT NULL DEFAULT clock_timestamp()
            )""";

    private CommandSql() {}

    /**
     * Which keys commands have, and which of them fail when they are run first; expressions over {@code n}.
     *
     * @param key of the command
     * @param fails whether it fails
     */
    record Kind(String key, String fails) {

        /** Of so many keys, and none fails. */
        static Kind ofKeys(int keys) {
            return new Kind("'order-' || n %% %d".formatted(keys).replace("%%", "%"), "false");
        }

        /** All have one key. */
        static Kind hot() {
            return new Kind("'hot'", "false");
        }

        /** The same, of which these fail. */
        Kind failing(String which) {
            return new Kind(key, which);
        }
    }

    /** Writes the commands whose numbers a query gives as {@code n}, all due now. */
    static String write(Contender contender, String numbers, Kind kind) {
        String payload =
                "replace(%s, '~\",\"customer', CASE WHEN %s THEN '~\",\"failsFirst\":true,\"customer' ELSE '~\",\"customer' END)"
                        .formatted("(" + RowSql.PAYLOAD + ")", kind.fails());
        String key = kind.key();
        return switch (contender) {
            case PEER_DB_SCHEDULER ->
                "INSERT INTO scheduled_tasks (task_name, task_instance, task_data, execution_time, picked, version) SELECT %s,"
                                .formatted(NAME)
                        + " %s || '/' || n, convert_to(%s, 'UTF8'), clock_timestamp(), false, 1 FROM %s"
                                .formatted(key, payload, numbers);
            case PEER_SKIP_LOCKED ->
                "INSERT INTO job (key, payload, run_at) SELECT %s, (%s)::json, clock_timestamp() FROM %s"
                        .formatted(key, payload, numbers);
            case TAILRACE_COMMANDS ->
                "INSERT INTO %s (command_name, ordering_key, payload) SELECT %s, %s, (%s)::json FROM %s"
                        .formatted(COMMANDS, NAME, key, payload, numbers);
            default -> throw new IllegalArgumentException(contender.text() + " runs no commands");
        };
    }

    /** Writes commands {@code from} to {@code to} - 1, so many to a transaction, within the server. */
    static String fill(Contender contender, int from, int to, int perTransaction, Kind kind) {
        String numbers = "generate_series(number, least(number + %d, %d)) n".formatted(perTransaction - 1, to - 1);
        return """
                DO $fill$
                BEGIN
                    FOR number IN %d .. %d BY %d LOOP
                        %s;
                        COMMIT;
                    END LOOP;
                END $fill$""".formatted(from, to - 1, perTransaction, write(contender, numbers, kind));
    }
}
