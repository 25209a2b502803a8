package io.tailrace.executor;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import io.tailrace.contract.config.ExecutorConfig;
import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.executor.claim.AttemptUse;
import io.tailrace.executor.run.Connections;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** The connections to one database: one for each worker, and a few for what is read and written beside the rows. */
final class Pool {

    /** A worker that gets none by then takes the database for down, and asks again. */
    private static final Duration FOR_A_CONNECTION = Duration.ofSeconds(2);

    private static final Duration TO_CONNECT = Duration.ofSeconds(5);

    /** What a transaction may take beyond the handler: for the claim, the stamp, and for a timeout to be noticed by us first. */
    private static final Duration BEYOND_HANDLER = Duration.ofSeconds(5);

    private Pool() {}

    /** How long a transaction may take, by the word of the server too. */
    static Duration transactionLimit(ExecutorConfig executor) {
        return executor.handlerTimeout().plus(BEYOND_HANDLER);
    }

    /** Needs no database to be there. */
    static HikariDataSource open(TailraceConfig config, Duration transactionLimit) {
        SourceConfig source = config.source();
        HikariConfig pool = new HikariConfig();
        pool.setPoolName("tailrace-executor-" + source.name());
        pool.setJdbcUrl(source.jdbcUrl());
        pool.setUsername(source.user());
        pool.setPassword(source.password().reveal());
        pool.setMaximumPoolSize(config.executor().workers() + 4);
        pool.setMinimumIdle(1);
        pool.setAutoCommit(false);
        pool.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        pool.setConnectionTimeout(FOR_A_CONNECTION.toMillis());
        pool.setValidationTimeout(FOR_A_CONNECTION.toMillis() / 2);
        pool.setInitializationFailTimeout(-1);
        pool.setExceptionOverride(new BrokenConnections());
        pool.addDataSourceProperty("ApplicationName", "tailrace-executor");
        pool.addDataSourceProperty("tcpKeepAlive", "true");
        pool.addDataSourceProperty("connectTimeout", Long.toString(TO_CONNECT.toSeconds()));
        pool.addDataSourceProperty("cancelSignalTimeout", Long.toString(TO_CONNECT.toSeconds()));
        // DETAIL quotes the row: a payload, and of a secret so little that nobody would know it again.
        pool.addDataSourceProperty("logServerErrorDetail", "false");
        // A server that vanished says nothing: by then its side of the transaction has ended by its own limit.
        pool.addDataSourceProperty(
                "socketTimeout", Long.toString(transactionLimit.plus(TO_CONNECT).toSeconds()));
        return new HikariDataSource(pool);
    }

    /** The same for workers. */
    static Connections connections(HikariDataSource pool) {
        return new Connections() {
            @Override
            public Connection take() throws SQLException {
                return pool.getConnection();
            }

            @Override
            public void discard(Connection connection) {
                pool.evictConnection(connection);
            }
        };
    }

    /**
     * Which connections the pool throws away: those that are lost. Its own list also has 0A000, "feature not supported", which is a statement's
     * failure; the handler that meets it would look like one whose connection was lost, and be run again for ever.
     */
    static final class BrokenConnections implements SQLExceptionOverride {
        @java.lang.Override
        public Override adjudicate(SQLException error) {
            return AttemptUse.of(error.getSQLState()) == AttemptUse.LOST ? Override.MUST_EVICT : Override.DO_NOT_EVICT;
        }
    }
}
