package io.tailrace.executor.claim;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.HoldKind;
import io.tailrace.contract.route.RoutePattern;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The names whose commands, or whose events of one subscription, do not run for now. Every method runs in the transaction of the connection
 * it is given and never ends it. What each one locks, and by which index, stands beside its function in {@code V004__holds.sql} and
 * {@code V008__held_events.sql}. Immutable.
 */
public final class HoldTable {

    private static final String BY = "executor";

    private final String subscription;
    private final String all;
    private final String one;
    private final String hold;
    private final String release;
    private final String wake;
    private final String probe;
    private final String putOff;

    /** Of commands, on the functions of a schema. */
    public HoldTable(TableNames names) {
        this(names, Topics.COMMANDS);
    }

    /** Of a subscription, on the functions of a schema. */
    public HoldTable(TableNames names, String subscription) {
        this.subscription = subscription;
        String held = "SELECT name, kind, probe, probe_due FROM " + names.qualified("held_names") + "(?)";
        this.all = held;
        this.one = held + " WHERE name IN (?,?)";
        this.hold = "SELECT " + names.qualified("hold_name") + "(?,?,?,?,?,?)";
        this.release = "SELECT " + names.qualified("release_name") + "(?,?,?)";
        this.wake = "SELECT " + names.qualified("wake_held") + "(?,?)";
        this.probe = "SELECT " + names.qualified("probe_held") + "(?,?,?)";
        this.putOff = "SELECT " + names.qualified("put_off_probe") + "(?,?,?)";
    }

    /** Those that are called here, with their arguments; {@code waking} is called by one of them, with the caller's rights. */
    static Stream<String> functions(TableNames names, String waking) {
        return Stream.of(
                        "held_names(text)",
                        "hold_name(text,text,text,text,text,bigint)",
                        "release_name(text,text,text)",
                        "wake_held(text,integer)",
                        waking,
                        "probe_held(text,text,bigint)",
                        "put_off_probe(text,text,bigint)")
                .map(function -> TableNames.quoted(names.schema()) + "." + function);
    }

    /**
     * A held name.
     *
     * @param kind why
     * @param probe the row that is to find out whether a broken name works again
     * @param probeDue whether it is time for the next one
     */
    public record Held(HoldKind kind, @Nullable UUID probe, boolean probeDue) {}

    /** All held names; {@link RoutePattern#ALL} among them holds a subscription whole. */
    public Map<String, Held> all(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(all)) {
            statement.setString(1, subscription);
            return held(statement);
        }
    }

    /** One name, if it is held, by itself or with all others. */
    public Optional<Held> of(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(one)) {
            statement.setString(1, subscription);
            statement.setString(2, name);
            statement.setString(3, RoutePattern.ALL);
            Map<String, Held> names = held(statement);
            return Optional.ofNullable(isWhole(names) ? names.get(RoutePattern.ALL) : names.get(name));
        }
    }

    /** Whether the rows of a name are held by one of these. */
    public boolean isAmong(Map<String, Held> names, String name) {
        return names.containsKey(name) || isWhole(names);
    }

    /** Whether a subscription is held whole. Commands are not: one could be called like that. */
    public boolean isWhole(Map<String, Held> names) {
        return !subscription.equals(Topics.COMMANDS) && names.containsKey(RoutePattern.ALL);
    }

    /**
     * Holds a name; nothing happens if it is held already.
     *
     * @param note why, for operators
     * @param probeAfter of a broken name
     * @return whether it was not held before
     */
    public boolean hold(Connection connection, String name, HoldKind kind, String note, @Nullable Duration probeAfter)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(hold)) {
            statement.setString(1, subscription);
            statement.setString(2, name);
            statement.setString(3, kind.text());
            statement.setString(4, BY);
            statement.setString(5, note);
            if (probeAfter == null) {
                statement.setNull(6, Types.BIGINT);
            } else {
                statement.setLong(6, probeAfter.toMillis());
            }
            return isTrue(statement);
        }
    }

    /** Lets a name go if this is why it is held; says whether it was. */
    public boolean release(Connection connection, String name, HoldKind kind) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(release)) {
            statement.setString(1, subscription);
            statement.setString(2, name);
            statement.setString(3, kind.text());
            return isTrue(statement);
        }
    }

    /** Wakes up to so many rows whose names are held no more. How many it woke. */
    public int wake(Connection connection, int most) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(wake)) {
            statement.setString(1, subscription);
            statement.setInt(2, most);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getInt(1);
            }
        }
    }

    /** Wakes the oldest held row of a broken name that heads its key, if it is time. There is no other one before the lease is over. */
    public Optional<UUID> probe(Connection connection, String name, Duration lease) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(probe)) {
            statement.setString(1, subscription);
            statement.setString(2, name);
            statement.setLong(3, lease.toMillis());
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return Optional.ofNullable(rows.getObject(1, UUID.class));
            }
        }
    }

    /** The probe did not go well; the next one comes after a while. */
    public void putOffProbe(Connection connection, String name, Duration after) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(putOff)) {
            statement.setString(1, subscription);
            statement.setString(2, name);
            statement.setLong(3, after.toMillis());
            statement.execute();
        }
    }

    private static boolean isTrue(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            return rows.next() && rows.getBoolean(1);
        }
    }

    private static Map<String, Held> held(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            Map<String, Held> names = new HashMap<>();
            while (rows.next()) {
                names.put(rows.getString("name"), held(rows));
            }
            return names;
        }
    }

    private static Held held(ResultSet row) throws SQLException {
        return new Held(
                HoldKind.of(row.getString("kind")), row.getObject("probe", UUID.class), row.getBoolean("probe_due"));
    }
}
