package io.tailrace.testing;

import io.tailrace.client.Command;
import io.tailrace.client.OriginProvider;
import io.tailrace.client.TailraceClient;
import io.tailrace.contract.config.ExecutorConfig;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Origin;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.run.RunGuard;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * Tests what an application schedules and publishes, and its handlers, over one connection to a database with the tables of Tailrace. No
 * Kafka, no threads that stay behind, and no test framework is needed: what is expected and not so is an {@link AssertionError}.
 *
 * <p>The connection is the test's. Nothing here opens, commits, rolls back or closes one; commands run in its transaction, one after the other,
 * each in a savepoint, so that a test that rolls back at its end leaves nothing. Rows are claimed and stamped by the functions of the
 * schema, and what becomes of a run is decided as by an executor, but for chance: a wait after a failure is the policy's without jitter.
 *
 * <p>Not thread-safe.
 */
public final class TailraceTesting {

    /** A handler that schedules its own successor to run at once would be drained for ever. */
    private static final int MOST_ROUNDS = 1_000;

    private final Connection connection;
    private final Handlers handlers;
    private final OriginProvider origin;
    private final TableNames tables;
    private final Rows rows;
    private final OneByOne oneByOne;
    private final TestClock clock = new TestClock();

    private TailraceTesting(Builder builder) {
        this.connection = builder.connection;
        this.handlers = builder.handlers;
        this.origin = builder.origin;
        this.tables = builder.tables;
        this.rows = new Rows(builder.tables);
        this.oneByOne = new OneByOne(connection, rows, handlers, builder.tables, builder.executor, clock);
    }

    /** With tables of the usual names, and without handlers: for what was scheduled and published. */
    public static TailraceTesting on(Connection connection) {
        return builder(connection).build();
    }

    /** With tables of the usual names, and these handlers. */
    public static TailraceTesting on(Connection connection, Handlers handlers) {
        return builder(connection).handlers(handlers).build();
    }

    /** To say more. */
    public static Builder builder(Connection connection) {
        return new Builder(connection);
    }

    /**
     * Makes what {@link #setClock} needs in a database, a schema {@code tailrace_testing} with functions. It is made when it is first needed, too,
     * in the transaction of the test: tests that run at the same time on one database would then wait for each other, and want it made, and
     * committed, before.
     */
    public static void install(Connection connection) throws SQLException {
        SqlClock.install(connection);
    }

    /** The commands that this connection sees, in the order in which they were inserted. */
    public Found<ScheduledCommand> scheduled() throws SQLException {
        return new Found<>("command scheduled", rows.commands(connection));
    }

    /** Those of a name. */
    public Found<ScheduledCommand> scheduled(String name) throws SQLException {
        return scheduled().named(name);
    }

    /** The events in the outbox that this connection sees, in the order in which they were inserted. Those that are messages nobody can see. */
    public Found<PublishedEvent> published() throws SQLException {
        return new Found<>("event published", rows.events(connection));
    }

    /** Those of a name. */
    public Found<PublishedEvent> published(String name) throws SQLException {
        return published().named(name);
    }

    /**
     * Runs every command that is due at the clock's time and has a handler here, until none is, also those that handlers schedule meanwhile.
     * In the order in which they became due; those of a key one after the other, and not behind one that waits. Commands without a handler here
     * are left alone, and so are those whose name is held.
     *
     * @return the runs, in order
     * @throws IllegalStateException if the connection is in autocommit mode, or there is no end to it
     * @throws SQLException if the transaction is of no more use
     */
    public Found<Run> drain() throws SQLException {
        requireTransaction();
        List<Run> all = new ArrayList<>();
        try (RunGuard guard = new RunGuard()) {
            int before = -1;
            for (int rounds = 0; all.size() > before; rounds++) {
                if (rounds == MOST_ROUNDS) {
                    throw new IllegalStateException(
                            "after %d rounds, each of what the one before has left or scheduled, there is still something due; the last run was: %s"
                                    .formatted(MOST_ROUNDS, all.get(all.size() - 1)));
                }
                before = all.size();
                for (Rows.Due row : rows.due(connection, clock.setting())) {
                    if (handlers.find(row.name()).isPresent()) {
                        oneByOne.run(row, guard).ifPresent(all::add);
                    }
                }
            }
        }
        return new Found<>("run of a command", all);
    }

    /**
     * Schedules a command and runs it, whether it is due or not.
     *
     * @throws IllegalStateException as {@link #run(UUID)}
     */
    public Run run(Command command) throws SQLException {
        requireTransaction();
        UUID id = TailraceClient.builder()
                .tables(tables)
                .origin(origin)
                .build()
                .commands()
                .schedule(connection, command);
        return run(id);
    }

    /**
     * Runs one command, whether it is due or not.
     *
     * @throws IllegalStateException if it cannot be run: there is none, it is done, no handler here answers to it, one of its key stands before it
     */
    public Run run(UUID id) throws SQLException {
        requireTransaction();
        Rows.Due row =
                rows.one(connection, id).orElseThrow(() -> new IllegalStateException("there is no command " + id));
        if (handlers.find(row.name()).isEmpty()) {
            throw new IllegalStateException("no handler here answers to '%s', those there are answer to %s"
                    .formatted(row.name(), handlers.names()));
        }
        try (RunGuard guard = new RunGuard()) {
            return oneByOne.run(row, guard)
                    .orElseThrow(() -> new IllegalStateException(
                            "command %s (%s) cannot be run: %s".formatted(id, row.name(), oneByOne.verdict())));
        }
    }

    /** For the code under test: the time of this machine until it is set, and then the one that was set. */
    public Clock clock() {
        return clock;
    }

    /**
     * Sets the clock, forwards or back; from now on it stands still. What is due is judged by it, retries wait from it on, and SQL of handlers
     * that asks for {@code now()} or {@code clock_timestamp()} is told it, so that delays are counted from it. Within a handler an
     * unqualified {@code CREATE} would go into the schema {@code tailrace_testing}.
     */
    public void setClock(Instant instant) throws SQLException {
        SqlClock.install(connection);
        clock.set(instant);
    }

    /** Lets time pass. A clock that was not set yet is set from the time of the database on. */
    public void advance(Duration time) throws SQLException {
        Instant setting = clock.setting();
        setClock((setting == null ? rows.now(connection) : setting).plus(time));
    }

    /**
     * Does something of the application's at the clock's time, as a handler would: {@code now()} and delays that are scheduled are of that time. What
     * is scheduled otherwise, with a delay or to run at once, is of the true time.
     */
    public <T> T atClock(Work<T> work) throws Exception {
        Instant setting = clock.setting();
        if (setting == null) {
            return work.over(connection);
        }
        return SqlClock.during(
                connection, Duration.between(rows.now(connection), setting), () -> work.over(connection));
    }

    /**
     * Something of the application's.
     *
     * @param <T> what comes of it
     */
    @FunctionalInterface
    public interface Work<T> {

        /** Does it over the connection of the test. */
        T over(Connection connection) throws Exception;
    }

    private void requireTransaction() throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "the connection is in autocommit mode, and a command runs in a transaction; call setAutoCommit(false) first");
        }
    }

    /** Not thread-safe. */
    public static final class Builder {

        private final Connection connection;
        private TableNames tables = TableNames.DEFAULT;
        private Handlers handlers = Handlers.none();
        private OriginProvider origin = () -> Origin.NONE;
        private ExecutorConfig executor = new ExecutorConfig(
                1,
                RetryPolicy.COMMANDS,
                Map.of(),
                Duration.ofSeconds(60),
                ExecutorConfig.MissingHandler.DEAD,
                Duration.ofSeconds(5));

        private Builder(Connection connection) {
            this.connection = Objects.requireNonNull(connection, "connection");
        }

        /** Where the tables stand, if not under the usual names. */
        public Builder tables(TableNames names) {
            this.tables = names;
            return this;
        }

        /** What runs, interceptors and upcasters among it. */
        public Builder handlers(Handlers all) {
            this.handlers = all;
            return this;
        }

        /** On whose behalf {@link TailraceTesting#run(Command)} schedules. */
        public Builder origin(OriginProvider provider) {
            this.origin = provider;
            return this;
        }

        /** Retry policies and the handler timeout of the application; else those of an executor to which nothing is said. */
        public Builder executor(ExecutorConfig config) {
            this.executor = config;
            return this;
        }

        /** The kit. */
        public TailraceTesting build() {
            return new TailraceTesting(this);
        }
    }
}
