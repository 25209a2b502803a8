package io.tailrace.executor.claim;

import io.tailrace.contract.name.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * Rows that external handlers have: no transaction is open meanwhile, the token on the row is the claim. Every method runs in the
 * transaction of the connection it is given and never ends it. What each one locks stands beside its function in
 * {@code V006__external.sql} and {@code V010__renew.sql}. Immutable.
 */
public final class ExternalTable {

    private final String begin;
    private final String renew;
    private final String end;
    private final int limitMillis;

    ExternalTable(TableNames names, int limitMillis) {
        this.begin = "SELECT " + names.qualified("begin_external") + "(?,?,?,?,?,?)";
        this.renew = "SELECT " + names.qualified("renew_external") + "(?,?,?,?)";
        this.end = "SELECT " + names.qualified("end_external") + "(?,?,?,?,?,?)";
        this.limitMillis = limitMillis;
    }

    static String renewFunction(TableNames names) {
        return names.qualified("renew_external") + "(uuid,integer,uuid,bigint)";
    }

    /**
     * Hands out a row that this transaction has claimed.
     *
     * @throws SQLException also if the claim is not this transaction's
     */
    public void begin(Connection connection, Claim claimed, UUID token, Duration lease) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(begin)) {
            statement.setObject(1, claimed.request().id());
            statement.setInt(2, claimed.request().turn());
            statement.setLong(3, claimed.xid());
            statement.setLong(4, claimed.request().place().packed());
            statement.setObject(5, token);
            statement.setLong(6, lease.toMillis());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                if (!row.getBoolean(1)) {
                    throw new SQLException("the claim is no longer this transaction's");
                }
            }
        }
    }

    /** The lease begins anew. False when the claim is lost. */
    public boolean renew(Connection connection, ClaimRequest claimed, UUID token, Duration lease) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(renew)) {
            statement.setObject(1, claimed.id());
            statement.setInt(2, claimed.turn());
            statement.setObject(3, token);
            statement.setLong(4, lease.toMillis());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    /**
     * Takes the row back, so that its end can be stamped in this transaction like that of any other.
     *
     * @return the claim as this transaction's; empty when it is lost, and then nothing may be written
     */
    public Optional<Claim> end(Connection connection, Claim claimed, UUID token) throws SQLException {
        ClaimRequest request = claimed.request();
        try (PreparedStatement statement = connection.prepareStatement(end)) {
            statement.setObject(1, request.id());
            statement.setString(2, request.source());
            statement.setString(3, claimed.theRow().orderingKey());
            statement.setInt(4, request.turn());
            statement.setObject(5, token);
            statement.setInt(6, limitMillis);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                long xid = row.getLong(1);
                return row.wasNull()
                        ? Optional.empty()
                        : Optional.of(new Claim(request, Claim.Verdict.RUN, claimed.theRow(), 0, null, "", xid));
            }
        }
    }
}
