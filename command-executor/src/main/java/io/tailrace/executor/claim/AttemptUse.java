package io.tailrace.executor.claim;

import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What uses an attempt, by SQLSTATE. The one table; whoever meets an error of the database asks here.
 *
 * <table>
 * <caption>SQLSTATE to use</caption>
 * <tr><th>state</th><th>meaning</th><th>use</th></tr>
 * <tr><td>08xxx</td><td>connection lost or never made</td><td>{@link #LOST}</td></tr>
 * <tr><td>57P01, 57P02, 57P03, 57P05</td><td>server shuts down, crashed, starts; idle session ended</td><td>{@link #LOST}</td></tr>
 * <tr><td>53300</td><td>too many connections</td><td>{@link #LOST}</td></tr>
 * <tr><td>40001, 40P01</td><td>serialization failure, deadlock</td><td>{@link #CONFLICT}</td></tr>
 * <tr><td>25P03, 25P04, 57014</td><td>the transaction or statement ran too long</td><td>{@link #TIMEOUT}</td></tr>
 * <tr><td>all else, and no state at all</td><td>the handler's own</td><td>{@link #ATTEMPT}</td></tr>
 * </table>
 *
 * <p>A 57014 that our own stop caused is none of these: whoever cancelled knows it.
 */
public enum AttemptUse {
    /** Uses an attempt. */
    ATTEMPT,
    /** Uses an attempt: the run took too long. */
    TIMEOUT,
    /** Uses none, up to {@link #MOST_CONFLICTS} times in a row; the run is repeated at once. */
    CONFLICT,
    /** Uses none: the database is to be asked again what became of the row. */
    LOST;

    /** Conflicts in a row that use no attempt. */
    public static final int MOST_CONFLICTS = 3;

    /** The use of one SQLSTATE. */
    public static AttemptUse of(@Nullable String sqlState) {
        if (sqlState == null) {
            return ATTEMPT;
        }
        if (sqlState.startsWith("08")) {
            return LOST;
        }
        return switch (sqlState) {
            case "57P01", "57P02", "57P03", "57P05", "53300" -> LOST;
            case "40001", "40P01" -> CONFLICT;
            case "25P03", "25P04", "57014" -> TIMEOUT;
            default -> ATTEMPT;
        };
    }

    /**
     * The use of whatever a handler threw: the first error of a database among its causes that says something, else an attempt.
     * Whether {@link #LOST} is about our own connection is the caller's to find out: a handler may speak to other databases.
     */
    public static AttemptUse of(Throwable thrown) {
        return first(thrown, error -> of(error.getSQLState()) != ATTEMPT)
                .map(error -> of(error.getSQLState()))
                .orElse(ATTEMPT);
    }

    /**
     * Whether the next attempt needs another connection: 0A000 is also what a session says whose cached plan a migration has outdated, and says
     * every time.
     */
    public static boolean spoilsConnection(Throwable thrown) {
        return first(thrown, error -> "0A000".equals(error.getSQLState())).isPresent();
    }

    private static Optional<SQLException> first(Throwable thrown, Predicate<SQLException> wanted) {
        // A cause that is its own cause must not hold us for ever.
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable at = thrown; at != null && seen.add(at); at = at.getCause()) {
            if (at instanceof SQLException sql && wanted.test(sql)) {
                return Optional.of(sql);
            }
        }
        return Optional.empty();
    }
}
