package io.tailrace.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code -o table|json}: the same rows for people or for programs. */
final class Output {

    enum Form {
        TABLE,
        JSON
    }

    /** A cell longer than this is cut in tables on a terminal; what goes to a program or a file is whole. */
    private static final int WIDEST_CELL = 60;

    /** An empty list is {@code []}, as scripts expect it, not {@code [ ]}. */
    private static final ObjectWriter JSON = new ObjectMapper()
            .writer(new DefaultPrettyPrinter(Separators.createDefaultInstance()
                    .withArrayEmptySeparator("")
                    .withObjectEmptySeparator("")));

    @Option(
            names = {"-o", "--output"},
            paramLabel = "<form>",
            defaultValue = "table",
            description = "table (default) or json.")
    @SuppressWarnings("NullAway.Init") // by picocli
    private Form form;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    /** One row: its cells by column, in order. Empty optionals are null in JSON and blank in tables. */
    static final class Row {
        private final Map<String, @Nullable Object> cells = new LinkedHashMap<>();

        Row with(String column, @Nullable Object value) {
            cells.put(column, value instanceof Optional<?> optional ? optional.orElse(null) : value);
            return this;
        }

        Map<String, @Nullable Object> cells() {
            return cells;
        }
    }

    boolean isJson() {
        return form == Form.JSON;
    }

    PrintWriter out() {
        return spec.commandLine().getOut();
    }

    PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** A list; an empty one is {@code []} or, in a table, a line that says so. */
    void list(Collection<Row> rows, String nothing) {
        if (isJson()) {
            json(rows.stream().map(Row::cells).toList());
        } else if (rows.isEmpty()) {
            // Not data: whoever counts lines shall count none.
            err().println(nothing);
        } else {
            table(rows);
        }
        out().flush();
    }

    /** One thing, its cells below each other. */
    void one(Row row) {
        if (isJson()) {
            json(row.cells());
        } else {
            int width =
                    row.cells().keySet().stream().mapToInt(String::length).max().orElse(0);
            row.cells()
                    .forEach((column, value) -> out().println(
                                    (pad(column, width) + "  " + indented(text(value), width + 2)).stripTrailing()));
        }
        out().flush();
    }

    void json(Object value) {
        try {
            out().println(JSON.writeValueAsString(value));
        } catch (JsonProcessingException bug) {
            throw new IllegalStateException("not a tree of maps, lists and values: " + value.getClass(), bug);
        }
        out().flush();
    }

    private void table(Collection<Row> rows) {
        List<String> columns = List.copyOf(rows.iterator().next().cells().keySet());
        List<List<String>> lines = new ArrayList<>();
        lines.add(columns.stream()
                .map(column -> column.toUpperCase(java.util.Locale.ROOT))
                .toList());
        for (Row row : rows) {
            lines.add(columns.stream()
                    .map(column -> cell(text(row.cells().get(column))))
                    .toList());
        }
        int[] widths = new int[columns.size()];
        lines.forEach(line -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        });
        for (List<String> line : lines) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                text.append(pad(line.get(i), widths[i])).append("  ");
            }
            out().println(text.toString().stripTrailing());
        }
    }

    /** One line, and nothing that moves a terminal's cursor. */
    private static String cell(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ").strip();
        return line.length() <= WIDEST_CELL || !isTerminal() ? line : line.substring(0, WIDEST_CELL - 1) + "…";
    }

    /** The launcher knows; without it, Java knows only whether both ends of the process are one. */
    private static boolean isTerminal() {
        String told = System.getProperty("tailrace.terminal");
        return told == null ? System.console() != null : Boolean.parseBoolean(told);
    }

    private static String indented(String text, int by) {
        String harmless = text.replaceAll("[\\p{Cntrl}&&[^\n\t]]", " ");
        return harmless.strip().replace("\n", "\n" + " ".repeat(by));
    }

    private static String text(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }
}
