package io.tailrace.executor.claim;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connection as a handler gets it: the transaction is not the handler's to end. Refused are the methods that would end it or change
 * what it is, and SQL with a statement that would, or that would leave something in the session; savepoints are allowed. A function or a
 * block of code cannot end the transaction either: PostgreSQL refuses that. What gets around this (a driver's own class might) is noticed
 * at the end, because the claim is gone with its transaction; what the handler had written is then committed, and is written once more by
 * the next attempt. Not thread-safe, as the connection is not; {@link #end} is for the thread that ran the handler.
 */
public final class GuardedConnection {

    private static final Set<String> REFUSED = Set.of(
            "commit",
            "close",
            "abort",
            "setAutoCommit",
            "setTransactionIsolation",
            "setReadOnly",
            "setNetworkTimeout",
            "setHoldability",
            "setSchema",
            "setCatalog",
            "setClientInfo",
            "beginRequest",
            "endRequest");

    private final Connection handed;
    private volatile boolean over;

    /** Guards a connection that is in a transaction. */
    public GuardedConnection(Connection real) {
        this.handed = proxy(Connection.class, new Guard(real, null));
    }

    /** What the handler gets. */
    public Connection handed() {
        return handed;
    }

    /** The run is over: whoever kept the connection, or a statement of it, cannot reach into the next row's transaction. */
    public void end() {
        over = true;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(GuardedConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Around the connection and around whatever leads back to it. */
    private final class Guard implements InvocationHandler {

        private final Object real;
        private final @Nullable Connection guarded;

        private Guard(Object real, @Nullable Connection guarded) {
            this.real = real;
            this.guarded = guarded;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            String name = method.getName();
            if (method.getDeclaringClass() == Object.class) {
                return ofObject(proxy, name, arguments);
            }
            if (over) {
                throw new SQLException("the run that this connection was given to is over", "08003");
            }
            if (real instanceof Connection) {
                refuseEnding(name, arguments);
            }
            if (name.equals("getConnection") && guarded != null) {
                return guarded;
            }
            if (arguments != null && arguments.length > 0 && arguments[0] instanceof String sql && takesSql(name)) {
                refuseSql(sql);
            }
            Object result;
            try {
                result = method.invoke(real, arguments);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause() == null ? thrown : thrown.getCause();
            }
            return guard(proxy, result);
        }

        private @Nullable Object guard(Object proxy, @Nullable Object result) {
            Connection connection = guarded != null ? guarded : (Connection) proxy;
            if (result instanceof CallableStatement) {
                return proxy(CallableStatement.class, new Guard(result, connection));
            }
            if (result instanceof PreparedStatement) {
                return proxy(PreparedStatement.class, new Guard(result, connection));
            }
            if (result instanceof Statement && real instanceof Connection) {
                return proxy(Statement.class, new Guard(result, connection));
            }
            if (result instanceof DatabaseMetaData) {
                return proxy(DatabaseMetaData.class, new Guard(result, connection));
            }
            return result;
        }

        private static void refuseEnding(String method, Object @Nullable [] arguments) throws SQLException {
            if (REFUSED.contains(method)) {
                throw refused(method + "()");
            }
            if (method.equals("rollback")
                    && !(arguments != null && arguments.length == 1 && arguments[0] instanceof Savepoint)) {
                throw refused("rollback()");
            }
        }

        private static boolean takesSql(String method) {
            return method.startsWith("execute") || method.startsWith("prepare") || method.equals("addBatch");
        }

        private static void refuseSql(String sql) throws SQLException {
            String verb = TransactionVerbs.firstIn(sql);
            switch (verb) {
                case "" -> {}
                case "SET" -> throw outlasting(verb, "use SET LOCAL");
                case "SET_CONFIG" ->
                    throw outlasting("set_config(…)", "write true as its third argument, and no parameter");
                case "LISTEN" -> throw outlasting(verb, "listen on a connection of your own");
                default ->
                    throw verb.contains("ADVISORY")
                            ? outlasting(verb.toLowerCase(Locale.ROOT) + "(…)", "use that with xact in its name")
                            : refused(verb);
            }
        }

        private static SQLException outlasting(String what, String instead) {
            return new SQLFeatureNotSupportedException(what
                    + " is refused: it would outlast this command, on a connection that serves others after it; "
                    + instead);
        }

        private @Nullable Object ofObject(Object proxy, String method, Object @Nullable [] arguments) {
            return switch (method) {
                case "equals" -> arguments != null && proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> "guarded " + real;
            };
        }

        private static SQLException refused(String what) {
            return new SQLFeatureNotSupportedException(what
                    + " is refused: the transaction belongs to Tailrace, which commits it with the completion of the command when the"
                    + " handler returns success, and rolls it back otherwise; use a savepoint to take back a part");
        }
    }
}
