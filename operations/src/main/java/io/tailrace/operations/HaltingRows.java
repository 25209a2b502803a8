package io.tailrace.operations;

import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * At which rows of dead letters a key stops, as the tables of commands and inboxes say. The row is the authority: the router's lanes know of
 * it by an answer, which may have been lost with them. Plain reads, no lock.
 */
final class HaltingRows {

    private static final int STEP = 1_000;

    /** Index: that of the id, and for a row at which its key stops that of the order guard, which is nearly empty. */
    private static final String LOOK = """
            SELECT h.%2$s, h.status = 'DEAD' AND h.halts, others.waiting, others.before FROM %1$s h
            CROSS JOIN LATERAL (
                SELECT count(*) FILTER (WHERE w.place > h.place AND w.status = 'PENDING') AS waiting,
                    coalesce(bool_or(w.place < h.place), false) AS before
                FROM %1$s w
                WHERE h.status = 'DEAD' AND h.halts AND w.ordering_key = h.ordering_key AND w.%2$s <> h.%2$s
                    AND w.place IS NOT NULL AND w.status IN ('PENDING', 'DEAD') AND (w.status = 'PENDING' OR w.halts) %3$s) others
            WHERE h.%2$s = ANY (?)""";

    private static final String SAME_LANE = "AND w.subscription = h.subscription AND w.source = h.source";

    private final LetterSources sources;

    HaltingRows(TailraceConfig config) {
        this.sources = new LetterSources(config);
    }

    /**
     * What was seen.
     *
     * @param byRow by row id; at the rest no key stops
     * @param foreign ids of rows that are of a database which the configuration does not name, and in none that it does
     */
    record Seen(Map<String, Halt> byRow, Set<String> foreign) {}

    /**
     * Of letters of one {@code x} other than {@code events}, which have no row that could say it.
     *
     * @throws OperationFailed when a database cannot be reached
     */
    Seen look(String x, List<DeadLetter> letters) {
        Map<UUID, Optional<Halt>> rows = new HashMap<>();
        sources.each(letters, (source, ids) -> rows.putAll(look(source, x, ids)));
        Map<String, Halt> halts = new HashMap<>();
        letters.forEach(letter -> CommandRows.uuid(letter.rowId())
                .flatMap(id -> rows.getOrDefault(id, Optional.empty()))
                .ifPresent(halt -> halts.put(letter.rowId(), halt)));
        Set<String> foreign = letters.stream()
                .filter(sources::isElsewhere)
                .map(DeadLetter::rowId)
                .filter(rowId ->
                        CommandRows.uuid(rowId).filter(rows::containsKey).isEmpty())
                .collect(Collectors.toSet());
        return new Seen(halts, foreign);
    }

    private static Map<UUID, Optional<Halt>> look(SourceConfig source, String x, List<UUID> ids) {
        boolean isCommands = x.equals(Topics.COMMANDS);
        String sql = isCommands
                ? LOOK.formatted(source.tables().qualified(source.tables().internalCommand()), "id", "")
                : LOOK.formatted(source.tables().qualified("delivery"), "event_id", SAME_LANE)
                        + " AND h.subscription = ?";
        Map<UUID, Optional<Halt>> seen = new HashMap<>();
        new Database(source).call("looking at which rows keys stop", connection -> {
            connection.setReadOnly(true);
            try (Statement settings = connection.createStatement()) {
                // A row that a policy hides must not be taken for one that is not there: refused instead.
                settings.execute("SET row_security = off");
            }
            for (int from = 0; from < ids.size(); from += STEP) {
                List<UUID> some = ids.subList(from, Math.min(ids.size(), from + STEP));
                look(connection, sql, isCommands ? Optional.empty() : Optional.of(x), some, seen);
            }
            return seen;
        });
        return seen;
    }

    private static void look(
            Connection connection,
            String sql,
            Optional<String> subscription,
            List<UUID> ids,
            Map<UUID, Optional<Halt>> seen)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
            if (subscription.isPresent()) {
                statement.setString(2, subscription.get());
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Optional<Halt> halt = rows.getBoolean(2)
                            ? Optional.of(new Halt(rows.getLong(3), !rows.getBoolean(4)))
                            : Optional.empty();
                    seen.put(rows.getObject(1, UUID.class), halt);
                }
            }
        }
    }
}
