package io.tailrace.contract.config;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What keeps several sources from running side by side. Pure. */
final class SourceConflicts {

    private SourceConflicts() {}

    /**
     * Each source that cannot stand beside an earlier one, with what is wrong and what to do.
     *
     * @param sources by where they stand, such as {@code sources[0]}, in that order; those that cannot be read are left out
     */
    static Map<String, String> of(Map<String, SourceConfig> sources) {
        Map<String, String> problems = new LinkedHashMap<>();
        Map<String, SourceConfig> before = new LinkedHashMap<>();
        sources.forEach((place, source) -> {
            before.entrySet().stream()
                    .flatMap(earlier -> between(earlier.getKey(), earlier.getValue(), source).stream())
                    .findFirst()
                    .ifPresent(problem -> problems.put(place, problem));
            before.put(place, source);
        });
        return problems;
    }

    private static Optional<String> between(String place, SourceConfig earlier, SourceConfig later) {
        if (later.sharesTablesWith(earlier)) {
            return Optional.of(
                    "has the same tables as %s, those of %s:%d/%s: each of their rows would be published twice; delete one of the two"
                            .formatted(place, later.host(), later.port(), later.database()));
        }
        if (later.name().equals(earlier.name())) {
            return Optional.of(
                    "is called %s like %s, and slot, publication, ce_source and transactional.id are named after that; give one of the two a name of its own (name:)"
                            .formatted(later.name(), place));
        }
        return Optional.empty();
    }
}
