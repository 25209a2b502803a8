package io.tailrace.schema;

import io.tailrace.contract.name.TableNames;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Fills names into the SQL files: {@code ${name}} becomes an identifier in double quotes, {@code ${name_text}} a literal. Immutable. */
final class Template {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([a-z_]+)}");

    /** The bodies of functions stand between these. */
    private static final List<String> BODY_QUOTES = List.of("$sql$", "$v7$");

    private final Map<String, String> values;

    private Template(Map<String, String> values) {
        this.values = Map.copyOf(values);
    }

    static Template of(TableNames tables) {
        return new Template(Map.of())
                .with("schema", identifier(tables.schema()))
                .with("schema_text", literal(tables.schema()))
                .with("outbox", identifier(tables.schema()) + "." + identifier(tables.outbox()))
                .with("command", identifier(tables.schema()) + "." + identifier(tables.internalCommand()))
                .with("command_text", literal(tables.qualified(tables.internalCommand())))
                .with("delivery_text", literal(tables.qualified("delivery")))
                .with("outbox_columns", String.join(", ", CapturedColumns.OUTBOX))
                .with("command_columns", String.join(", ", CapturedColumns.COMMAND));
    }

    Template with(Ownership ownership) {
        return with("publication", identifier(ownership.publication()))
                .with("publication_text", literal(ownership.publication()))
                .with("slot_text", literal(ownership.slot()))
                .with("namespace_text", literal(ownership.namespace()));
    }

    Template withRole(String role) {
        return with("role", identifier(role));
    }

    Template with(String name, String sql) {
        Map<String, String> more = new HashMap<>(values);
        more.put(name, sql);
        return new Template(more);
    }

    /** Every placeholder must have a value: a gap would be a bug of the file. */
    String fill(String text) {
        return PLACEHOLDER.matcher(text).replaceAll(match -> {
            String value = values.get(match.group(1));
            if (value == null) {
                throw new IllegalStateException("the SQL file names ${" + match.group(1) + "}, which nothing fills");
            }
            return Matcher.quoteReplacement(value);
        });
    }

    String fillResource(String file) {
        return fill(resource(file));
    }

    static String resource(String file) {
        try (InputStream in = Template.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("resource " + file + " is not beside " + Template.class.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("resource " + file, e);
        }
    }

    static String literal(String text) {
        // With E'' a backslash means the same whatever standard_conforming_strings says.
        String doubled = text.replace("'", "''");
        return doubled.indexOf('\\') < 0 ? "'" + doubled + "'" : "E'" + doubled.replace("\\", "\\\\") + "'";
    }

    private static String identifier(String name) {
        if (BODY_QUOTES.stream().anyMatch(name::contains)) {
            throw new IllegalArgumentException("the name '" + name + "' may not contain "
                    + BODY_QUOTES.stream().collect(Collectors.joining(" or ")));
        }
        return TableNames.quoted(name);
    }
}
