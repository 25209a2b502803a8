package io.tailrace.engine.source;

import io.tailrace.contract.name.TableNames;
import io.tailrace.engine.source.SourceFacts.Owner;
import io.tailrace.engine.source.SourceFacts.Publication;
import io.tailrace.engine.source.SourceFacts.Slot;
import io.tailrace.engine.source.SourceFacts.Table;
import io.tailrace.engine.source.SourceFacts.TimelineSwitch;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The SQL that the engine runs on its source, all of it short and in autocommit. Thread-safe; opens a connection for each call. */
public final class Source {

    /** Prefix of the messages that show that the whole way from the log to the sink works. */
    public static final String HEARTBEAT_PREFIX = "tailrace.heartbeat";

    private static final Logger LOG = LoggerFactory.getLogger(Source.class);

    private static final Duration TERMINATION = Duration.ofSeconds(3);

    private final SourceConnections connections;
    private final Preflight expected;
    private final String applicationName;

    /** The source that these connections lead to. */
    public Source(SourceConnections connections, Preflight expected) {
        this.connections = Objects.requireNonNull(connections);
        this.expected = Objects.requireNonNull(expected);
        this.applicationName = "tailrace-engine-" + expected.slotName();
    }

    /** Reads what the pre-flight judges. Needs no lock and no more than the role's own rights. */
    public SourceFacts facts() throws SQLException {
        try (Connection replication = connections.replication(applicationName);
                Connection sql = connections.sql(applicationName)) {
            Identity identity = identify(replication);
            Server server = server(sql);
            Optional<Owner> owner = owner(sql);
            return new SourceFacts(
                    identity.systemId(),
                    identity.timeline(),
                    history(replication, identity.timeline()),
                    server.flushLsn(),
                    server.inRecovery(),
                    server.walLevel(),
                    server.walSenderTimeoutMs(),
                    slot(sql),
                    publication(sql),
                    owner,
                    owner.isPresent() ? rowsExist(sql) : Optional.empty());
        }
    }

    /**
     * Ends whoever still streams from the slot: an engine that was killed behind a network that says nothing, or one that lost the
     * lease while it stood still. Only the holder of the lease may call it.
     *
     * @return whether the slot is free now
     */
    public boolean freeSlot() throws SQLException {
        try (Connection sql = connections.sql(applicationName)) {
            Optional<Integer> streaming = slot(sql).flatMap(Slot::activePid);
            if (streaming.isEmpty()) {
                return true;
            }
            LOG.warn(
                    "Slot is still in use by a former holder, which is ended: slot={} pid={}",
                    expected.slotName(),
                    streaming.get());
            try (PreparedStatement statement = sql.prepareStatement("SELECT pg_terminate_backend(?, ?)")) {
                statement.setInt(1, streaming.get());
                statement.setLong(2, TERMINATION.toMillis());
                statement.executeQuery().close();
            }
            return slot(sql).flatMap(Slot::activePid).isEmpty();
        }
    }

    /** Notes that a position exists from now on, so that its absence means that it was lost. */
    public void markStarted() throws SQLException {
        String update = "UPDATE %s SET started_at = now() WHERE slot = ? AND started_at IS NULL"
                .formatted(expected.tables().qualified(TableNames.SOURCE));
        try (Connection sql = connections.sql(applicationName);
                PreparedStatement statement = sql.prepareStatement(update)) {
            statement.setString(1, expected.slotName());
            statement.executeUpdate();
        }
    }

    /** The statement that writes a heartbeat into the log, transactional so that its commit moves the slot. */
    public String heartbeatQuery() {
        return "SELECT pg_logical_emit_message(true, '%s', '%s')".formatted(HEARTBEAT_PREFIX, expected.slotName());
    }

    /** Writes a heartbeat now: a reader that searches its place needs a commit to find it, however idle the tables are. */
    public void heartbeat() throws SQLException {
        try (Connection sql = connections.sql(applicationName);
                Statement statement = sql.createStatement()) {
            statement.execute(heartbeatQuery());
        }
    }

    private record Identity(String systemId, int timeline) {}

    private record Server(long flushLsn, boolean inRecovery, String walLevel, long walSenderTimeoutMs) {}

    private static Identity identify(Connection replication) throws SQLException {
        try (Statement statement = replication.createStatement();
                ResultSet row = statement.executeQuery("IDENTIFY_SYSTEM")) {
            required(row, "IDENTIFY_SYSTEM");
            return new Identity(row.getString("systemid"), row.getInt("timeline"));
        }
    }

    private static List<TimelineSwitch> history(Connection replication, int timeline) throws SQLException {
        List<TimelineSwitch> history = new ArrayList<>();
        if (timeline <= 1) {
            return history; // The first one has no history file.
        }
        try (Statement statement = replication.createStatement();
                ResultSet row = statement.executeQuery("TIMELINE_HISTORY " + timeline)) {
            required(row, "TIMELINE_HISTORY");
            byte[] content = row.getBytes("content");
            String[] lines = new String(content, StandardCharsets.UTF_8).split("\n", -1);
            for (String line : lines) {
                String[] fields = line.strip().split("\\s+", 3);
                if (fields.length >= 2 && !fields[0].startsWith("#")) {
                    history.add(new TimelineSwitch(Integer.parseInt(fields[0]), Lsn.parse(fields[1])));
                }
            }
        }
        return history;
    }

    private static Server server(Connection sql) throws SQLException {
        String query = """
                SELECT pg_is_in_recovery() AS in_recovery,
                       CASE WHEN pg_is_in_recovery() THEN '0/0' ELSE pg_current_wal_flush_lsn() END::text AS flush_lsn,
                       current_setting('wal_level') AS wal_level,
                       (SELECT setting::bigint FROM pg_settings WHERE name = 'wal_sender_timeout') AS timeout_ms
                """;
        try (Statement statement = sql.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            required(row, "the server's settings");
            return new Server(
                    Lsn.parse(row.getString("flush_lsn")),
                    row.getBoolean("in_recovery"),
                    row.getString("wal_level"),
                    row.getLong("timeout_ms"));
        }
    }

    private Optional<Slot> slot(Connection sql) throws SQLException {
        // to_jsonb: the column came with PostgreSQL 17.
        String query = """
                SELECT slot_type, coalesce(plugin, '') AS plugin, coalesce(database, '') AS database,
                       coalesce(confirmed_flush_lsn::text, '0/0') AS confirmed, active_pid,
                       coalesce(wal_status, 'lost') AS wal_status,
                       coalesce(to_jsonb(s) ->> 'invalidation_reason', '') AS invalidation
                  FROM pg_replication_slots s
                 WHERE slot_name = ?
                """;
        try (PreparedStatement statement = sql.prepareStatement(query)) {
            statement.setString(1, expected.slotName());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return Optional.empty();
                }
                int pid = row.getInt("active_pid");
                Optional<Integer> activePid = row.wasNull() ? Optional.empty() : Optional.of(pid);
                return Optional.of(new Slot(
                        row.getString("slot_type"),
                        row.getString("plugin"),
                        row.getString("database"),
                        Lsn.parse(row.getString("confirmed")),
                        activePid,
                        row.getString("wal_status"),
                        row.getString("invalidation")));
            }
        }
    }

    private Optional<Publication> publication(Connection sql) throws SQLException {
        String query =
                "SELECT oid::text AS id, pubinsert, pubupdate, pubdelete, pubtruncate, pubviaroot FROM pg_publication WHERE pubname = ?";
        try (PreparedStatement statement = sql.prepareStatement(query)) {
            statement.setString(1, expected.publicationName());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return Optional.empty();
                }
                return Optional.of(new Publication(
                        row.getString("id"),
                        row.getBoolean("pubinsert"),
                        row.getBoolean("pubupdate"),
                        row.getBoolean("pubdelete"),
                        row.getBoolean("pubtruncate"),
                        row.getBoolean("pubviaroot"),
                        publishedTables(sql)));
            }
        }
    }

    private List<Table> publishedTables(Connection sql) throws SQLException {
        String query = "SELECT schemaname, tablename, attnames, rowfilter FROM pg_publication_tables WHERE pubname = ?";
        try (PreparedStatement statement = sql.prepareStatement(query)) {
            statement.setString(1, expected.publicationName());
            try (ResultSet row = statement.executeQuery()) {
                List<Table> tables = new ArrayList<>();
                while (row.next()) {
                    tables.add(new Table(
                            row.getString("schemaname"),
                            row.getString("tablename"),
                            texts(row.getArray("attnames")),
                            row.getString("rowfilter") != null));
                }
                return tables;
            }
        }
    }

    private Optional<Owner> owner(Connection sql) throws SQLException {
        String table = expected.tables().qualified(TableNames.SOURCE);
        try (PreparedStatement exists = sql.prepareStatement("SELECT to_regclass(?) IS NOT NULL")) {
            exists.setString(1, table);
            try (ResultSet row = exists.executeQuery()) {
                if (!row.next() || !row.getBoolean(1)) {
                    return Optional.empty();
                }
            }
        }
        String query =
                "SELECT namespace, slot, publication, slot_created_lsn::text AS created, started_at IS NOT NULL AS started FROM "
                        + table;
        try (Statement statement = sql.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            if (!row.next()) {
                return Optional.empty();
            }
            String created = row.getString("created");
            return Optional.of(new Owner(
                    row.getString("namespace"),
                    row.getString("slot"),
                    row.getString("publication"),
                    created == null ? Optional.empty() : Optional.of(Lsn.parse(created)),
                    row.getBoolean("started")));
        }
    }

    /** Only for a better message, so a role without SELECT is no problem. */
    private Optional<Boolean> rowsExist(Connection sql) {
        String query = "SELECT EXISTS (SELECT 1 FROM %s) OR EXISTS (SELECT 1 FROM %s)"
                .formatted(
                        expected.tables().qualified(expected.tables().outbox()),
                        expected.tables().qualified(expected.tables().internalCommand()));
        try (Statement statement = sql.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() ? Optional.of(row.getBoolean(1)) : Optional.empty();
        } catch (SQLException notAllowedOrMissing) {
            LOG.debug("Whether there are rows cannot be seen", notAllowedOrMissing);
            return Optional.empty();
        }
    }

    private static Set<String> texts(@Nullable Array array) throws SQLException {
        Set<String> texts = new HashSet<>();
        if (array != null) {
            for (Object element : (Object[]) array.getArray()) {
                texts.add(String.valueOf(element));
            }
        }
        return texts;
    }

    private static void required(ResultSet row, String what) throws SQLException {
        if (!row.next()) {
            throw new SQLException(what + " gave no row");
        }
    }
}
