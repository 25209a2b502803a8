package io.tailrace.executor.claim;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The command table. Every method runs in the transaction of the connection it is given and never ends it. What each one locks, and
 * by which index, stands beside its function in {@code V002__claim.sql}, {@code V006__external.sql}, {@code V007__command_halts.sql} and
 * {@code V011__command_guard.sql}. Immutable.
 */
public final class CommandTable implements RowTable {

    private final String claim;
    private final String complete;
    private final String completeAndCommit;
    private final String completeAndCommitLazily;
    private final String lockDone;
    private final String waiting;
    private final String held;
    private final String dead;
    private final String halts;
    private final String acquit;
    private final String behind;
    private final String announced;
    private final int limitMillis;
    private final Needs needs;
    private final ExternalTable external;

    /**
     * On the functions of a schema.
     *
     * @param limit a claim's transaction ends by itself when a statement, a pause between two, or all of it take longer
     */
    public CommandTable(TableNames names, Duration limit) {
        this.claim =
                RoundTrips.withSavepoint("SELECT * FROM " + names.qualified("claim_command") + "(?,?,?,?,?,?,?,?)");
        this.complete = "SELECT " + names.qualified("complete_command") + "(?,?,?)";
        this.completeAndCommit = RoundTrips.withCommit(names.qualified("complete_command") + "(?,?,?)");
        this.completeAndCommitLazily = RoundTrips.withLazyCommit(names.qualified("complete_command") + "(?,?,?)");
        this.lockDone = "SELECT c.status IN ('COMPLETED', 'CANCELLED') FROM " + names.qualified(names.internalCommand())
                + " c WHERE c.id = ? FOR UPDATE";
        this.waiting = "SELECT * FROM " + names.qualified("stamp_waiting") + "(?,?,?,?,?,?,?,?)";
        this.held = "SELECT * FROM " + names.qualified("stamp_held") + "(?,?,?,?,?,?)";
        this.dead = "SELECT * FROM " + names.qualified("stamp_dead") + "(?,?,?,?,?,?,?,?)";
        this.halts = "SELECT c.halts FROM " + names.qualified(names.internalCommand()) + " c WHERE c.id = ?";
        this.acquit = Acquittal.of(names.qualified(names.internalCommand()), "t.id = ?");
        this.behind = "SELECT * FROM " + names.qualified("stamp_behind") + "(?,?,?,?,?)";
        this.announced = "SELECT " + names.qualified("announced_commands") + "(?,?)";
        this.limitMillis = Math.toIntExact(limit.toMillis());
        this.needs = Needs.ofCommands(
                names,
                limitMillis,
                Stream.of(
                        names.qualified("claim_command") + "(uuid,text,text,bigint,integer,bigint,boolean,integer)",
                        ExternalTable.renewFunction(names)));
        this.external = new ExternalTable(names, limitMillis);
    }

    @Override
    public List<String> problems(Connection connection) throws SQLException {
        return needs.unmet(connection);
    }

    @Override
    public Claim claim(Connection connection, ClaimRequest request) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(claim)) {
            statement.setObject(1, request.id());
            statement.setString(2, request.source());
            statement.setString(3, request.orderingKey());
            statement.setLong(4, request.place().packed());
            statement.setInt(5, request.turn());
            setLong(statement, 6, request.xid());
            statement.setBoolean(7, request.bury());
            statement.setInt(8, limitMillis);
            statement.execute();
            try (ResultSet rows = statement.getResultSet()) {
                rows.next();
                Claim.Verdict verdict = Claim.Verdict.valueOf(rows.getString("verdict"));
                String detail = rows.getString("detail");
                return new Claim(
                        request,
                        verdict,
                        rows.getString("row_status") == null ? null : row(rows),
                        rows.getLong("wait_ms"),
                        rows.getObject("met", UUID.class),
                        detail == null ? "" : detail,
                        rows.getLong("claim_xid"));
            }
        }
    }

    @Override
    public boolean complete(Connection connection, Claim claimed) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(complete)) {
            bindCompletion(statement, claimed);
            return isTrue(statement);
        }
    }

    @Override
    public boolean completeAndCommit(Connection connection, Claim claimed, boolean lazily) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(lazily ? completeAndCommitLazily : completeAndCommit)) {
            bindCompletion(statement, claimed);
            return RoundTrips.commits(statement);
        }
    }

    @Override
    public boolean commitsLazily() {
        return true;
    }

    @Override
    public boolean lockDone(Connection connection, ClaimRequest request) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(lockDone)) {
            statement.setObject(1, request.id());
            return isTrue(statement);
        }
    }

    private static void bindCompletion(PreparedStatement statement, Claim claimed) throws SQLException {
        statement.setObject(1, claimed.request().id());
        statement.setInt(2, claimed.request().turn());
        statement.setLong(3, claimed.xid());
    }

    @Override
    public Optional<Stamp> waiting(Connection connection, Claim claimed, int used, Until until, @Nullable String error)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(waiting)) {
            bindClaim(statement, claimed, used);
            setLong(statement, 6, until.waitMillis());
            setLong(statement, 7, until.epochMillis());
            statement.setString(8, error);
            return stamp(statement, claimed.request().id());
        }
    }

    @Override
    public Optional<Stamp> held(Connection connection, Claim claimed, String name, @Nullable String error)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(held)) {
            bindClaim(statement, claimed);
            statement.setString(5, name);
            statement.setString(6, error);
            return stamp(statement, claimed.request().id());
        }
    }

    @Override
    public Optional<Stamp> dead(
            Connection connection, Claim claimed, int used, Reason reason, @Nullable String error, boolean halts)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(dead)) {
            bindClaim(statement, claimed, used);
            statement.setString(6, reason.text());
            statement.setString(7, error);
            statement.setBoolean(8, halts);
            return stamp(statement, claimed.request().id());
        }
    }

    @Override
    public boolean halts(Connection connection, ClaimRequest request) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(halts)) {
            statement.setObject(1, request.id());
            return isTrue(statement);
        }
    }

    static boolean isTrue(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            return rows.next() && rows.getBoolean(1);
        }
    }

    @Override
    public void acquit(Connection connection, ClaimRequest request, CommandRow.Progress before) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(acquit)) {
            Acquittal.bind(statement, before);
            statement.setObject(Acquittal.CONDITION, request.id());
            statement.setInt(Acquittal.CONDITION + 1, request.turn());
            statement.executeUpdate();
        }
    }

    @Override
    public List<Stamp> behind(Connection connection, String orderingKey, long after, List<ClaimRequest> queued)
            throws SQLException {
        if (queued.isEmpty()) {
            return List.of();
        }
        Array ids = connection.createArrayOf(
                "uuid", queued.stream().map(ClaimRequest::id).toArray());
        Array turns = connection.createArrayOf(
                "integer", queued.stream().map(ClaimRequest::turn).toArray());
        Array places = connection.createArrayOf(
                "bigint",
                queued.stream().map(request -> request.place().packed()).toArray());
        try (PreparedStatement statement = connection.prepareStatement(behind)) {
            statement.setString(1, orderingKey);
            statement.setLong(2, after);
            statement.setArray(3, ids);
            statement.setArray(4, turns);
            statement.setArray(5, places);
            try (ResultSet rows = statement.executeQuery()) {
                return stampsBehind(rows);
            }
        }
    }

    @Override
    public ExternalTable external() {
        return external;
    }

    @Override
    public void announced(Connection connection, List<UUID> ids, List<Integer> turns) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(announced)) {
            statement.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
            statement.setArray(2, connection.createArrayOf("integer", turns.toArray()));
            statement.execute();
        }
    }

    private static void bindClaim(PreparedStatement statement, Claim claimed, int used) throws SQLException {
        bindClaim(statement, claimed);
        statement.setInt(5, used);
    }

    private static void bindClaim(PreparedStatement statement, Claim claimed) throws SQLException {
        statement.setObject(1, claimed.request().id());
        statement.setInt(2, claimed.request().turn());
        statement.setLong(3, claimed.xid());
        statement.setLong(4, claimed.request().place().packed());
    }

    static List<Stamp> stampsBehind(ResultSet rows) throws SQLException {
        List<Stamp> stamps = new ArrayList<>();
        while (rows.next()) {
            stamps.add(new Stamp(
                    rows.getObject("id", UUID.class),
                    rows.getInt("turn"),
                    rows.getInt("attempts"),
                    Place.unpacked(rows.getLong("place")),
                    0,
                    null,
                    optionalLong(rows, "first_failed_ms"),
                    optionalLong(rows, "failed_ms")));
        }
        return stamps;
    }

    static Optional<Stamp> stamp(PreparedStatement statement, UUID id) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            if (!rows.next()) {
                return Optional.empty();
            }
            return Optional.of(new Stamp(
                    id,
                    rows.getInt("turn"),
                    rows.getInt("attempts"),
                    Place.unpacked(rows.getLong("place")),
                    rows.getLong("wait_ms"),
                    optionalLong(rows, "not_before_ms"),
                    optionalLong(rows, "first_failed_ms"),
                    optionalLong(rows, "failed_ms")));
        }
    }

    private static CommandRow row(ResultSet rows) throws SQLException {
        String text = rows.getString("row_payload");
        byte[] binary = rows.getBytes("row_binary");
        String contentType = rows.getString("row_content_type");
        Origin origin = new Origin(
                rows.getString("row_tenant"),
                rows.getString("row_user"),
                rows.getString("row_roles"),
                rows.getString("row_correlation"),
                rows.getString("row_causation"),
                rows.getString("row_traceparent"));
        return new CommandRow(
                rows.getString("row_name"),
                rows.getString("row_key"),
                binary != null ? Bytes.of(binary) : text != null ? Bytes.utf8(text) : null,
                contentType != null ? contentType : binary != null ? "application/octet-stream" : "application/json",
                rows.getString("row_headers"),
                origin,
                progress(rows),
                rows.getLong("lag_ms"));
    }

    private static CommandRow.Progress progress(ResultSet rows) throws SQLException {
        Long maxAttempts = optionalLong(rows, "row_max_attempts");
        Long place = optionalLong(rows, "row_place");
        return new CommandRow.Progress(
                rows.getString("row_status"),
                rows.getInt("row_turn"),
                rows.getInt("row_attempts"),
                maxAttempts == null ? OptionalInt.empty() : OptionalInt.of(Math.toIntExact(maxAttempts)),
                place == null ? null : Place.unpacked(place),
                optionalLong(rows, "row_not_before_ms"),
                optionalLong(rows, "row_first_failed_ms"),
                optionalLong(rows, "row_failed_ms"),
                rows.getString("row_reason"),
                rows.getString("row_error"));
    }

    static @Nullable Long optionalLong(ResultSet rows, String column) throws SQLException {
        long value = rows.getLong(column);
        return rows.wasNull() ? null : value;
    }

    static void setLong(PreparedStatement statement, int index, OptionalLong value) throws SQLException {
        if (value.isPresent()) {
            statement.setLong(index, value.getAsLong());
        } else {
            statement.setNull(index, Types.BIGINT);
        }
    }
}
