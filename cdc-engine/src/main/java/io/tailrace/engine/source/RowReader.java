package io.tailrace.engine.source;

import io.tailrace.contract.name.TableNames;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a table in the form in which the capture reads them from the log.
 *
 * @param command whether it is the command table
 * @param columns that are captured
 */
record RowReader(boolean command, Set<String> columns) {

    private static final String RUN_AT = "run_at";

    /** The captured columns, in the form in which the capture reads them. */
    String selected(String written, String xmin) {
        return new TreeSet<>(columns)
                .stream()
                        .map(RowReader::selected)
                        .collect(Collectors.joining(
                                ", ",
                                "",
                                ", %s::text::bigint AS row_xid, CASE WHEN isfinite(t.%2$s) THEN extract(epoch FROM t.%2$s) ELSE 0 END AS written"
                                        .formatted(xmin, written)));
    }

    private static String selected(String column) {
        String name = TableNames.quoted(column);
        return switch (column) {
            case "payload_binary", "event_version" -> "t." + name;
            case RUN_AT ->
                "CASE WHEN isfinite(t.%1$s) THEN extract(epoch FROM t.%1$s)::text ELSE t.%1$s::text END AS %1$s"
                        .formatted(name);
            default -> "t.%1$s::text AS %1$s".formatted(name);
        };
    }

    TableRow read(ResultSet row) throws SQLException {
        Map<String, @Nullable Object> values = new HashMap<>();
        for (String name : columns) {
            values.put(name, value(name, row));
        }
        long micros = Objects.requireNonNull(row.getBigDecimal("written"))
                .movePointRight(6)
                .longValue();
        return new TableRow(command, micros, row.getLong("row_xid"), values);
    }

    private static @Nullable Object value(String name, ResultSet row) throws SQLException {
        return switch (name) {
            case "payload_binary" -> row.getBytes(name);
            case "event_version" -> row.getObject(name);
            case RUN_AT -> runAt(row.getString(name));
            default -> row.getString(name);
        };
    }

    /** As the capture reads it: an instant in ISO form, or an infinity as PostgreSQL spells it. */
    private static @Nullable String runAt(@Nullable String text) {
        return text == null || text.endsWith("infinity")
                ? text
                : instant(new BigDecimal(text)).toString();
    }

    static Instant instant(BigDecimal seconds) {
        BigDecimal whole = seconds.setScale(0, RoundingMode.FLOOR);
        return Instant.ofEpochSecond(
                whole.longValueExact(),
                seconds.subtract(whole).movePointRight(9).longValue());
    }
}
