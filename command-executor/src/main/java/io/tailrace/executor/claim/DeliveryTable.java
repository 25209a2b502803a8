package io.tailrace.executor.claim;

import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.record.Place;
import io.tailrace.contract.record.Reason;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The inbox rows of one subscription. An event that has never failed has none until it is done. What each method locks, and by which
 * index, stands beside its function in {@code V005__deliveries.sql}, {@code V007__delivery_halts.sql} and {@code V011__delivery_guard.sql}. Immutable.
 */
public final class DeliveryTable implements RowTable {

    private final String subscription;
    private final String claim;
    private final String open;
    private final String complete;
    private final String completeAndCommit;
    private final String waiting;
    private final String held;
    private final String dead;
    private final String halts;
    private final String acquit;
    private final String behind;
    private final String announced;
    private final int limitMillis;
    private final Needs needs;

    /**
     * On the functions of a schema.
     *
     * @param limit a claim's transaction ends by itself when a statement, a pause between two, or all of it take longer
     */
    public DeliveryTable(String subscription, TableNames names, Duration limit) {
        this.subscription = subscription;
        this.claim = RoundTrips.withSavepoint(
                "SELECT * FROM " + names.qualified("claim_delivery") + "(?,?,?,?,?,?,?,?,?,?)");
        this.open = "SELECT " + names.qualified("open_delivery") + "(?,?,?,?,?,?,?,?)";
        this.complete = "SELECT " + names.qualified("complete_claimed_delivery") + "(?,?,?,?,?,?,?,?,?)";
        this.completeAndCommit =
                RoundTrips.withCommit(names.qualified("complete_claimed_delivery") + "(?,?,?,?,?,?,?,?,?)");
        this.waiting = "SELECT * FROM " + names.qualified("stamp_delivery_waiting") + "(?,?,?,?,?,?,?,?,?)";
        this.held = "SELECT * FROM " + names.qualified("stamp_delivery_held") + "(?,?,?,?,?,?,?)";
        this.dead = "SELECT * FROM " + names.qualified("stamp_delivery_dead") + "(?,?,?,?,?,?,?,?,?)";
        this.halts =
                "SELECT d.halts FROM " + names.qualified("delivery") + " d WHERE d.subscription = ? AND d.event_id = ?";
        this.acquit = Acquittal.of(names.qualified("delivery"), "t.subscription = ? AND t.event_id = ?");
        this.behind = "SELECT * FROM " + names.qualified("stamp_deliveries_behind") + "(?,?,?,?,?,?,?,?,?,?)";
        this.announced = "SELECT " + names.qualified("announced_deliveries") + "(?,?,?)";
        this.limitMillis = Math.toIntExact(limit.toMillis());
        this.needs = Needs.ofDeliveries(
                names,
                limitMillis,
                Stream.of(
                        names.qualified("claim_delivery")
                                + "(text,uuid,text,text,bigint,integer,boolean,boolean,bigint,integer)",
                        names.qualified("stamp_delivery_held") + "(text,uuid,integer,bigint,bigint,text,text)"));
    }

    @Override
    public List<String> problems(Connection connection) throws SQLException {
        return needs.unmet(connection);
    }

    @Override
    public Claim claim(Connection connection, ClaimRequest request) throws SQLException {
        EventContent event = request.theEvent();
        try (PreparedStatement statement = connection.prepareStatement(claim)) {
            statement.setString(1, subscription);
            statement.setObject(2, request.id());
            statement.setString(3, request.source());
            statement.setString(4, request.orderingKey());
            statement.setLong(5, request.place().packed());
            statement.setInt(6, request.turn());
            statement.setBoolean(7, event.replay());
            statement.setBoolean(8, request.bury());
            statement.setLong(9, event.raw().committedMillis());
            statement.setInt(10, limitMillis);
            statement.execute();
            try (ResultSet rows = statement.getResultSet()) {
                rows.next();
                return new Claim(
                        request,
                        Claim.Verdict.valueOf(rows.getString("verdict")),
                        rows.getString("row_status") == null ? null : row(rows, request, event),
                        rows.getLong("wait_ms"),
                        rows.getObject("met", UUID.class),
                        "",
                        rows.getLong("claim_xid"));
            }
        }
    }

    @Override
    public boolean complete(Connection connection, Claim claimed) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(complete)) {
            bindCompletion(statement, claimed);
            return CommandTable.isTrue(statement);
        }
    }

    @Override
    public boolean completeAndCommit(Connection connection, Claim claimed, boolean lazily) throws SQLException {
        if (lazily) {
            throw new IllegalArgumentException("an application that finds a delivery done acts on it at once");
        }
        try (PreparedStatement statement = connection.prepareStatement(completeAndCommit)) {
            bindCompletion(statement, claimed);
            return RoundTrips.commits(statement);
        }
    }

    @Override
    public boolean commitsLazily() {
        return false;
    }

    private void bindCompletion(PreparedStatement statement, Claim claimed) throws SQLException {
        ClaimRequest request = claimed.request();
        statement.setString(1, subscription);
        statement.setObject(2, request.id());
        statement.setInt(3, request.turn());
        statement.setLong(4, claimed.xid());
        bindEvent(statement, 5, request);
    }

    @Override
    public Optional<Stamp> waiting(Connection connection, Claim claimed, int used, Until until, @Nullable String error)
            throws SQLException {
        open(connection, claimed.request());
        try (PreparedStatement statement = connection.prepareStatement(waiting)) {
            bindClaim(statement, claimed, used);
            CommandTable.setLong(statement, 7, until.waitMillis());
            CommandTable.setLong(statement, 8, until.epochMillis());
            statement.setString(9, error);
            return CommandTable.stamp(statement, claimed.request().id());
        }
    }

    @Override
    public Optional<Stamp> held(Connection connection, Claim claimed, String name, @Nullable String error)
            throws SQLException {
        open(connection, claimed.request());
        try (PreparedStatement statement = connection.prepareStatement(held)) {
            statement.setString(1, subscription);
            statement.setObject(2, claimed.request().id());
            statement.setInt(3, claimed.request().turn());
            statement.setLong(4, claimed.xid());
            statement.setLong(5, claimed.request().place().packed());
            statement.setString(6, name);
            statement.setString(7, error);
            return CommandTable.stamp(statement, claimed.request().id());
        }
    }

    @Override
    public Optional<Stamp> dead(
            Connection connection, Claim claimed, int used, Reason reason, @Nullable String error, boolean halts)
            throws SQLException {
        open(connection, claimed.request());
        try (PreparedStatement statement = connection.prepareStatement(dead)) {
            bindClaim(statement, claimed, used);
            statement.setString(7, reason.text());
            statement.setString(8, error);
            statement.setBoolean(9, halts);
            return CommandTable.stamp(statement, claimed.request().id());
        }
    }

    @Override
    public boolean halts(Connection connection, ClaimRequest request) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(halts)) {
            statement.setString(1, subscription);
            statement.setObject(2, request.id());
            return CommandTable.isTrue(statement);
        }
    }

    @Override
    public void acquit(Connection connection, ClaimRequest request, CommandRow.Progress before) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(acquit)) {
            Acquittal.bind(statement, before);
            statement.setString(Acquittal.CONDITION, subscription);
            statement.setObject(Acquittal.CONDITION + 1, request.id());
            statement.setInt(Acquittal.CONDITION + 2, request.turn());
            statement.executeUpdate();
        }
    }

    @Override
    public List<Stamp> behind(Connection connection, String orderingKey, long after, List<ClaimRequest> queued)
            throws SQLException {
        if (queued.isEmpty()) {
            return List.of();
        }
        try (PreparedStatement statement = connection.prepareStatement(behind)) {
            statement.setString(1, subscription);
            statement.setString(2, queued.get(0).source());
            statement.setString(3, orderingKey);
            statement.setLong(4, after);
            array(connection, statement, 5, "uuid", queued, ClaimRequest::id);
            array(connection, statement, 6, "integer", queued, ClaimRequest::turn);
            array(
                    connection,
                    statement,
                    7,
                    "bigint",
                    queued,
                    each -> each.place().packed());
            array(
                    connection,
                    statement,
                    8,
                    "text",
                    queued,
                    each -> each.theEvent().name());
            array(
                    connection,
                    statement,
                    9,
                    "integer",
                    queued,
                    each -> each.theEvent().raw().partition());
            array(
                    connection,
                    statement,
                    10,
                    "bigint",
                    queued,
                    each -> each.theEvent().raw().offset());
            try (ResultSet rows = statement.executeQuery()) {
                return CommandTable.stampsBehind(rows);
            }
        }
    }

    @Override
    public void announced(Connection connection, List<UUID> ids, List<Integer> turns) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(announced)) {
            statement.setString(1, subscription);
            statement.setArray(2, connection.createArrayOf("uuid", ids.toArray()));
            statement.setArray(3, connection.createArrayOf("integer", turns.toArray()));
            statement.execute();
        }
    }

    private void open(Connection connection, ClaimRequest request) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(open)) {
            statement.setString(1, subscription);
            statement.setObject(2, request.id());
            statement.setInt(3, request.turn());
            bindEvent(statement, 4, request);
            statement.execute();
        }
    }

    private static void bindEvent(PreparedStatement statement, int from, ClaimRequest request) throws SQLException {
        EventContent event = request.theEvent();
        statement.setString(from, event.name());
        statement.setString(from + 1, request.source());
        statement.setString(from + 2, request.orderingKey());
        EventContent.Spot spot = event.raw().spot();
        CommandTable.setLong(statement, from + 4, spot == null ? OptionalLong.empty() : OptionalLong.of(spot.offset()));
        if (spot == null) {
            statement.setNull(from + 3, Types.INTEGER);
        } else {
            statement.setInt(from + 3, spot.partition());
        }
    }

    private void bindClaim(PreparedStatement statement, Claim claimed, int used) throws SQLException {
        statement.setString(1, subscription);
        statement.setObject(2, claimed.request().id());
        statement.setInt(3, claimed.request().turn());
        statement.setLong(4, claimed.xid());
        statement.setLong(5, claimed.request().place().packed());
        statement.setInt(6, used);
    }

    private static void array(
            Connection connection,
            PreparedStatement statement,
            int index,
            String type,
            List<ClaimRequest> queued,
            Function<ClaimRequest, Object> value)
            throws SQLException {
        statement.setArray(
                index, connection.createArrayOf(type, queued.stream().map(value).toArray()));
    }

    private static CommandRow row(ResultSet rows, ClaimRequest request, EventContent event) throws SQLException {
        Long place = CommandTable.optionalLong(rows, "row_place");
        CommandRow.Progress progress = new CommandRow.Progress(
                Objects.requireNonNull(rows.getString("row_status")),
                rows.getInt("row_turn"),
                rows.getInt("row_attempts"),
                OptionalInt.empty(),
                place == null ? null : Place.unpacked(place),
                CommandTable.optionalLong(rows, "row_not_before_ms"),
                CommandTable.optionalLong(rows, "row_first_failed_ms"),
                CommandTable.optionalLong(rows, "row_failed_ms"),
                rows.getString("row_reason"),
                rows.getString("row_error"));
        return new CommandRow(
                event.name(),
                request.orderingKey(),
                event.payload(),
                event.contentType(),
                event.headersJson(),
                event.origin(),
                progress,
                rows.getLong("lag_ms"));
    }
}
