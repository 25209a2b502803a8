package io.tailrace.contract.config;

import io.tailrace.contract.config.ValueType.Unreadable;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Fills in {@code ${NAME}}, {@code ${NAME:-otherwise}} and {@code ${file:/path}}; {@code $${} stands for a literal {@code ${}. What
 * was filled in is not looked at again: a secret that holds a dollar sign is a secret, not a placeholder.
 */
final class Placeholders {

    private static final Pattern FORM = Pattern.compile("\\$\\$\\{|\\$\\{([^}]*)}?");

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private static final String FILE = "file:";

    private final Surroundings surroundings;

    Placeholders(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    static boolean in(String text) {
        return text.contains("${");
    }

    String fill(String text) throws Unreadable {
        Matcher found = FORM.matcher(text);
        StringBuilder filled = new StringBuilder();
        int end = 0;
        while (found.find()) {
            filled.append(text, end, found.start());
            end = found.end();
            String inner = found.group(1);
            if (inner == null) {
                filled.append("${");
            } else if (!found.group().endsWith("}")) {
                throw new Unreadable("has a '${' without its '}'");
            } else {
                filled.append(inner.startsWith(FILE) ? file(inner.substring(FILE.length())) : variable(inner));
            }
        }
        return filled.append(text, end, text.length()).toString();
    }

    private String variable(String inner) throws Unreadable {
        int otherwise = inner.indexOf(":-");
        String name = otherwise < 0 ? inner : inner.substring(0, otherwise);
        if (!NAME.matcher(name).matches()) {
            throw new Unreadable("has a placeholder that is neither ${NAME}, ${NAME:-otherwise} nor ${file:/path}");
        }
        String value = surroundings.variable(name).orElse("");
        if (!value.isEmpty()) {
            return value;
        }
        if (otherwise >= 0) {
            return inner.substring(otherwise + 2);
        }
        return surroundings
                .variable(name)
                .orElseThrow(
                        () -> new Unreadable("names the environment variable %s, which is not set".formatted(name)));
    }

    private String file(String path) throws Unreadable {
        try {
            // Editors and `echo` end a file with a line end that is not part of the secret.
            return surroundings.file(path).replaceFirst("\\r?\\n\\z", "");
        } catch (IOException unreadable) {
            throw new Unreadable("names the file %s, which cannot be read (%s)"
                    .formatted(path, unreadable.getClass().getSimpleName()));
        }
    }
}
