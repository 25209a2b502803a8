package io.tailrace.executor;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TcpProxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** What goes wrong between a worker and its database, at the moment that a test wants. */
final class Trouble {

    /** How many wait for a key. */
    static final String WAITING_FOR_A_KEY =
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database ="
                    + " (SELECT oid FROM pg_database WHERE datname = current_database())";

    /** How many are held up by {@link #slowCommits}. */
    static final String IN_A_SLOW_COMMIT =
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";

    private Trouble() {}

    /** Takes a key in the transaction of this connection, as soon as nobody else has it. */
    static void takeKey(Shop shop, Connection connection, String key) {
        try (PreparedStatement lock =
                connection.prepareStatement("SELECT pg_advisory_xact_lock(tailrace.lock_key('commands', ?, ?))")) {
            lock.setString(1, shop.config.namespace().source(shop.stack.database()));
            lock.setString(2, key);
            lock.execute();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static long count(Connection connection, String sql) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql);
                ResultSet row = select.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Commits of changes of commands take two seconds, where the new row is such. */
    static void slowCommits(Stack stack, String where) throws SQLException {
        stack.execute(
                "CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS"
                        + " $$ BEGIN PERFORM pg_sleep(2); RETURN NULL; END $$",
                "CREATE CONSTRAINT TRIGGER slowly AFTER UPDATE ON tailrace.internal_command DEFERRABLE INITIALLY"
                        + " DEFERRED FOR EACH ROW WHEN (" + where + ") EXECUTE FUNCTION slowly()");
    }

    /** The same shop, by a link that can be broken. */
    static TailraceConfig through(TcpProxy proxy, Shop shop) {
        return Configs.of(
                shop.stack.namespace(),
                proxy.port(),
                shop.stack.database(),
                shop.stack.bootstrapServers(),
                shop.config.executor());
    }
}
