package io.tailrace.contract.redact;

import io.tailrace.contract.name.RowName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which paths a row has, by its name. Unlike routes, every pattern that takes the name counts: one that is more specific adds paths and
 * never takes any away. A version does not matter. A row whose name is no name may be any, and so has the paths of all. Immutable.
 */
public final class Secrets {

    /** No row has secrets. */
    public static final Secrets NONE = new Secrets(Map.of(), Map.of());

    private static final String ALL = "*";

    private static final String REST = ".*";

    private final Map<String, SecretPaths> events;
    private final Map<String, SecretPaths> commands;

    /**
     * @param events by pattern: a name, whole segments followed by {@code .*}, or {@code *}
     * @param commands by such a pattern
     */
    private Secrets(Map<String, SecretPaths> events, Map<String, SecretPaths> commands) {
        this.events = events;
        this.commands = commands;
    }

    /**
     * @param events paths by pattern: a name, whole segments followed by {@code .*}, or {@code *}
     * @param commands by such a pattern
     * @throws IllegalArgumentException naming what is no pattern or no path
     */
    public static Secrets of(Map<String, List<String>> events, Map<String, List<String>> commands) {
        return new Secrets(compiled(events), compiled(commands));
    }

    /** These, and those of others. */
    public Secrets and(Secrets others) {
        return new Secrets(joined(events, others.events), joined(commands, others.commands));
    }

    /** No row has any. */
    public boolean isEmpty() {
        return events.isEmpty() && commands.isEmpty();
    }

    /** Of an event. */
    public SecretPaths ofEvent(String name) {
        return events.isEmpty() ? SecretPaths.NONE : paths(events, RowName.event(name));
    }

    /** Of a command. */
    public SecretPaths ofCommand(String name) {
        return commands.isEmpty() ? SecretPaths.NONE : paths(commands, RowName.command(name));
    }

    private static SecretPaths paths(Map<String, SecretPaths> rules, RowName.Verdict verdict) {
        String plain = verdict.match(name -> String.join(".", name.segments()), problem -> "");
        SecretPaths all = SecretPaths.NONE;
        for (Map.Entry<String, SecretPaths> rule : rules.entrySet()) {
            if (plain.isEmpty() || takes(rule.getKey(), plain)) {
                all = all.and(rule.getValue());
            }
        }
        return all;
    }

    private static boolean takes(String pattern, String plain) {
        if (pattern.equals(ALL)) {
            return true;
        }
        return pattern.endsWith(REST)
                ? plain.startsWith(pattern.substring(0, pattern.length() - 1))
                : plain.equals(pattern);
    }

    private static Map<String, SecretPaths> joined(Map<String, SecretPaths> some, Map<String, SecretPaths> more) {
        Map<String, SecretPaths> all = new LinkedHashMap<>(some);
        more.forEach((pattern, paths) -> all.merge(pattern, paths, SecretPaths::and));
        return all;
    }

    private static Map<String, SecretPaths> compiled(Map<String, List<String>> rules) {
        Map<String, SecretPaths> compiled = new LinkedHashMap<>();
        rules.forEach(
                (pattern, paths) -> compiled.merge(withoutVersion(pattern), SecretPaths.of(paths), SecretPaths::and));
        return compiled;
    }

    private static String withoutVersion(String pattern) {
        if (pattern.equals(ALL)) {
            return pattern;
        }
        boolean isPrefix = pattern.endsWith(REST);
        String named = isPrefix ? pattern.substring(0, pattern.length() - REST.length()) : pattern;
        return RowName.command(named)
                .match(name -> String.join(".", name.segments()) + (isPrefix ? REST : ""), problem -> {
                    throw new IllegalArgumentException("'%s' is no pattern of names: %s".formatted(pattern, problem));
                });
    }
}
