package io.tailrace.contract.config;

import io.tailrace.contract.redact.Secrets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What is secret.
 *
 * @param events paths by pattern of names
 * @param commands paths by pattern of names
 * @param scrub when secret values are taken out of the rows themselves
 */
public record RedactConfig(Map<String, List<String>> events, Map<String, List<String>> commands, Scrub scrub) {

    /** When secret values are taken out of the rows themselves. */
    public enum Scrub {
        /** Once nobody needs them any more. */
        ON_DONE,
        /** They stay until the row goes. */
        NEVER
    }

    /** Nothing is secret. */
    public static final RedactConfig NONE = new RedactConfig(Map.of(), Map.of(), Scrub.ON_DONE);

    public RedactConfig {
        events = copied(events);
        commands = copied(commands);
        Objects.requireNonNull(scrub, "scrub");
        Secrets.of(events, commands);
    }

    /** Ready for use. */
    public Secrets secrets() {
        return Secrets.of(events, commands);
    }

    /** Whether somebody waits to hear which rows are done, and takes the secrets out of them. */
    public boolean scrubs() {
        return scrub == Scrub.ON_DONE && !secrets().isEmpty();
    }

    private static Map<String, List<String>> copied(Map<String, List<String>> paths) {
        Map<String, List<String>> copy = new LinkedHashMap<>();
        paths.forEach((pattern, of) -> copy.put(pattern, List.copyOf(of)));
        return Map.copyOf(copy);
    }
}
