package io.tailrace.contract.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The reference page of the configuration, printed from the keys themselves. */
public final class ConfigReference {

    private ConfigReference() {}

    /** The page, in Markdown, ending with a line end. */
    public static String markdown() {
        StringBuilder page = new StringBuilder("""
                # Configuration

                One YAML file, given with `--config`. Printed by `tailrace config reference`; `tailrace config check` reads a file and
                names everything that is wrong with it.

                - What is not listed here is an error: no key is passed over.
                - A value may hold `${NAME}`, an environment variable, `${NAME:-otherwise}`, with a value for when it is not set or
                  empty, and `${file:/path}`, the content of a file without its last line end. `$${` is a literal `${`.
                - Durations carry their unit: `250ms`, `10s`, `5m`, `2h`, `14d`. Sizes are bytes or `64KiB`, `1MiB`, `2GiB`.
                - `*` stands for a name of your choice, `[]` for the elements of a list.
                - A file has `source`, or `sources` with a list of them; not both.
                """);
        sections().forEach((section, keys) -> {
            page.append("\n## ").append(section).append("\n\n");
            page.append("| key | value | default | |\n|---|---|---|---|\n");
            keys.forEach(key -> page.append(row(key)));
        });
        return page.toString();
    }

    private static Map<String, List<Key<?>>> sections() {
        Map<String, List<Key<?>>> sections = new LinkedHashMap<>();
        for (Key<?> key : Keys.ALL) {
            int dot = key.path().indexOf('.');
            sections.computeIfAbsent(
                            dot < 0 ? "at the top" : key.path().substring(0, dot),
                            absent -> new java.util.ArrayList<>())
                    .add(key);
        }
        return sections;
    }

    private static String row(Key<?> key) {
        String range = key.range().isEmpty() ? "" : "; " + key.range();
        return "| `%s` | %s | %s | %s |\n"
                .formatted(key.path(), key.type().form() + range, byDefault(key), key.description());
    }

    private static String byDefault(Key<?> key) {
        if (key == Keys.ON_DEAD_LETTER_BY_NAME) {
            return "as of the name without its version, else as in `executor.on-dead-letter`";
        }
        if (key.path().startsWith("executor.retry-by-name.")) {
            return "as in `executor.retry`";
        }
        if (key == Keys.RULE_AUDIT) {
            return "as in `router.routes.audit`";
        }
        if (key.path().startsWith(Keys.RULE_RETRY.section)) {
            return "as in `router.retry`";
        }
        if (key == Keys.RULE_ON_DEAD_LETTER) {
            return "as in `router.routes.on-dead-letter`";
        }
        if (key == Keys.RULE_TOPIC) {
            return "as without a rule";
        }
        if (key == Keys.SOURCE.name || key == Keys.SOURCES.name) {
            return "the database";
        }
        if (key.byDefault() == null) {
            return key.path().contains("[]") || key.path().contains(".*.") ? "required in each" : "**required**";
        }
        return key.byDefault().isEmpty() ? "none" : "`" + key.byDefault() + "`";
    }
}
