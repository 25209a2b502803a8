package io.tailrace.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A real PostgreSQL on the loopback address, set up for logical decoding and as durable as a production server: a commit is
 * on disk when it returns, so that killing this server or its clients proves something.
 *
 * <p>The superuser is {@code postgres}, without a password. With a data directory of the caller's the data outlives
 * {@link #close}; without one they are removed. Thread-safe; {@link #stop}, {@link #stopImmediate} and {@link #close} may be
 * called in any state and more than once.
 */
public final class EmbeddedPostgres implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedPostgres.class);
    private static final String SUPERUSER = "postgres";
    private static final int START_SECONDS = 60;
    private static final int FAST_STOP_SECONDS = 8;
    private static final int FREE_PORT_TRIES = 5;

    private final Path programs;
    private final Path data;
    private final boolean temporary;
    private final Map<String, String> settings;
    private final Thread exitHook = new Thread(this::closeOnExit, "tailrace-postgres-exit");
    private int port;
    private boolean running;
    private boolean closed;

    private EmbeddedPostgres(Builder builder) {
        this.temporary = builder.dataDirectory == null;
        this.programs = PostgresBinaries.directory();
        this.data = builder.dataDirectory == null
                ? Directories.temporary("tailrace-postgres-")
                : Directories.create(builder.dataDirectory);
        this.settings = Map.copyOf(builder.settings);
    }

    /** Defaults: a free port, a temporary data directory, stopped at the latest when the JVM exits. */
    public static Builder builder() {
        return new Builder();
    }

    /** Not thread-safe. */
    public static final class Builder {
        private @Nullable Path dataDirectory;
        private int port;
        private boolean stopOnExit = true;
        private final Map<String, String> settings = new LinkedHashMap<>();

        private Builder() {
            settings.put("wal_level", "logical");
            settings.put("fsync", "on");
            settings.put("synchronous_commit", "on");
            settings.put("full_page_writes", "on");
            settings.put("max_wal_senders", "20");
            settings.put("max_replication_slots", "20");
            settings.put("max_prepared_transactions", "50");
            settings.put("max_connections", "200");
            settings.put("timezone", "UTC");
        }

        /** Keeps the data there; it may hold those of an earlier run with the same major version. */
        public Builder dataDirectory(Path directory) {
            this.dataDirectory = directory;
            return this;
        }

        /** A TCP port; 0 takes a free one. */
        public Builder port(int value) {
            this.port = value;
            return this;
        }

        /** A server setting, as in {@code postgresql.conf}; replaces the default of the same name. */
        public Builder setting(String name, String value) {
            if (!(name + value).matches("[\\w .,:*/-]*")) {
                throw new IllegalArgumentException("Not a plain server setting: " + name + "=" + value);
            }
            settings.put(name, value);
            return this;
        }

        /**
         * Whether the exit of the JVM stops the server. A caller with a shutdown hook of its own switches this off and closes
         * in its own order: hooks run side by side.
         */
        public Builder stopOnExit(boolean value) {
            this.stopOnExit = value;
            return this;
        }

        /** @throws EmbeddedStartException if the port is taken, the data are another version's, or the server does not come up */
        public EmbeddedPostgres start() {
            EmbeddedPostgres postgres = new EmbeddedPostgres(this);
            try {
                postgres.prepareData();
                postgres.startFirst(port);
            } catch (RuntimeException | Error e) {
                postgres.close();
                throw e;
            }
            if (stopOnExit) {
                Runtime.getRuntime().addShutdownHook(postgres.exitHook);
            }
            return postgres;
        }
    }

    /** The port, the same through every restart. */
    public synchronized int port() {
        return port;
    }

    /** Where the data are. */
    public Path dataDirectory() {
        return data;
    }

    /** JDBC URL of a database, as superuser. */
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/" + database + "?user=" + SUPERUSER;
    }

    /** JDBC URL of the database {@code postgres}. */
    public String jdbcUrl() {
        return jdbcUrl("postgres");
    }

    /** A line for a shell that opens a database in psql. */
    public String psqlLine(String database) {
        return "psql postgresql://" + SUPERUSER + "@127.0.0.1:" + port() + "/" + database;
    }

    /** Makes an empty database if there is none of this name. */
    public void createDatabase(String name) {
        if (!name.matches("[A-Za-z0-9_]{1,63}")) {
            throw new IllegalArgumentException("Not a plain database name: " + name);
        }
        try (Connection connection = DriverManager.getConnection(jdbcUrl());
                Statement statement = connection.createStatement();
                var found = statement.executeQuery("SELECT 1 FROM pg_database WHERE datname = '" + name + "'")) {
            if (!found.next()) {
                statement.execute("CREATE DATABASE \"" + name + "\"");
            }
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot create database " + name, e);
        }
    }

    /** Whether the server was started and not stopped since. */
    public synchronized boolean isRunning() {
        return running;
    }

    /** Stops in order: sessions are ended, all is written. A session that does not end in 8 s is cut off. */
    public synchronized void stop() {
        if (running) {
            halt();
        }
    }

    /** Stops as a crash would: nothing is written, the next start recovers from the log. */
    public synchronized void stopImmediate() {
        if (running) {
            control("stop", "-w", "-m", "immediate");
            running = false;
            LOG.info("PostgreSQL on port {} stopped without a checkpoint", port);
        }
    }

    /** Starts again after a stop, on the same port and data. */
    public synchronized void start() {
        if (closed) {
            throw new IllegalStateException("This PostgreSQL is closed; make another one on its data directory");
        }
        if (!running) {
            LocalPorts.requireFree(port, "PostgreSQL");
            startServer();
        }
    }

    /** Stops in order and starts again. */
    public synchronized void restart() {
        stop();
        start();
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        stop();
        if (temporary) {
            Directories.delete(data);
        }
        try {
            Runtime.getRuntime().removeShutdownHook(exitHook);
        } catch (IllegalStateException exiting) {
            LOG.debug("Closed while the JVM exits");
        }
    }

    private void closeOnExit() {
        close();
    }

    private void prepareData() {
        Path versionFile = data.resolve("PG_VERSION");
        if (!Files.exists(versionFile)) {
            initialise();
            return;
        }
        String found = read(versionFile).strip();
        String wanted = PostgresBinaries.majorVersion();
        if (!found.equals(wanted)) {
            throw new EmbeddedStartException("The data in " + data + " were made by PostgreSQL " + found + ", this is "
                    + wanted + ". Choose another directory, or remove this one if its data are no longer needed.");
        }
        // A JVM that was killed leaves its server behind, and two servers on one directory would destroy it.
        if (serves()) {
            LOG.warn("A PostgreSQL of an earlier run still works in {}; it is stopped first", data);
            halt();
        }
    }

    private void initialise() {
        PostgresCommand.Result result = PostgresCommand.run(
                programs.resolve("initdb"),
                List.of(
                        "-D",
                        data.toString(),
                        "-U",
                        SUPERUSER,
                        "-A",
                        "trust",
                        "-E",
                        "UTF8",
                        "--locale=C",
                        "--no-sync",
                        "--no-instructions"));
        if (result.exitCode() != 0) {
            throw new EmbeddedStartException(
                    "Cannot make a PostgreSQL data directory in " + data + ":\n" + result.output());
        }
    }

    private synchronized void startFirst(int wantedPort) {
        if (wantedPort != 0) {
            port = wantedPort;
            LocalPorts.requireFree(port, "PostgreSQL");
            startServer();
            return;
        }
        for (int attempt = 1; ; attempt++) {
            port = LocalPorts.free();
            try {
                startServer();
                return;
            } catch (EmbeddedStartException e) {
                // Only a port that somebody took between the look and the bind is worth another try.
                if (attempt == FREE_PORT_TRIES || !LocalPorts.wasTaken(port, e)) {
                    throw e;
                }
            }
        }
    }

    private void startServer() {
        List<String> options =
                new ArrayList<>(List.of("-p " + port, "-c listen_addresses=127.0.0.1", "-c unix_socket_directories="));
        settings.forEach((name, value) -> options.add("-c " + name + "=" + value.replace(" ", "\\ ")));
        Path log = data.resolve("server.log");
        PostgresCommand.Result result = PostgresCommand.run(
                programs.resolve("pg_ctl"),
                List.of(
                        "-D",
                        data.toString(),
                        "-l",
                        log.toString(),
                        "-o",
                        String.join(" ", options),
                        "-w",
                        "-t",
                        Integer.toString(START_SECONDS),
                        "start"));
        if (result.exitCode() != 0) {
            throw new EmbeddedStartException("PostgreSQL did not start on port " + port + " in " + data + ":\n"
                    + result.output() + "\n" + lastLines(log));
        }
        running = true;
        LOG.info("PostgreSQL {} runs on port {}, data in {}", PostgresBinaries.version(), port, data);
    }

    private void halt() {
        if (control("stop", "-w", "-t", Integer.toString(FAST_STOP_SECONDS), "-m", "fast") != 0 && serves()) {
            LOG.warn("PostgreSQL in {} did not stop within {} s; its sessions are cut off", data, FAST_STOP_SECONDS);
            control("stop", "-w", "-m", "immediate");
        }
        running = false;
        LOG.info("PostgreSQL in {} stopped", data);
    }

    private boolean serves() {
        return control("status") == 0;
    }

    private int control(String... action) {
        List<String> arguments = new ArrayList<>(List.of("-D", data.toString()));
        arguments.addAll(List.of(action));
        return PostgresCommand.run(programs.resolve("pg_ctl"), arguments).exitCode();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String lastLines(Path log) {
        if (!Files.exists(log)) {
            return "";
        }
        List<String> lines = read(log).lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 10), lines.size()));
    }
}
