package io.tailrace.executor.handler;

import io.tailrace.contract.name.RowName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What leads from version to version, of commands or of events. Immutable. */
public final class Upcasters {

    private final Map<String, Map<Integer, Upcaster>> byName;

    private Upcasters(Map<String, Map<Integer, Upcaster>> byName) {
        this.byName = byName.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, each -> Map.copyOf(each.getValue())));
    }

    /** Those that lead from a version of a name to the last one that is wanted, or as far as they go. */
    public List<Upcaster> chain(String nameWithoutVersion, int from, int last) {
        Map<Integer, Upcaster> byVersion = byName.get(nameWithoutVersion);
        List<Upcaster> chain = new ArrayList<>();
        if (byVersion == null) {
            return chain;
        }
        for (int version = from; version < last; version++) {
            Upcaster next = byVersion.get(version);
            if (next == null) {
                break;
            }
            chain.add(next);
        }
        return chain;
    }

    /** Collects them. */
    static final class Builder {

        private final Map<String, Map<Integer, Upcaster>> byName = new HashMap<>();

        /** @param name of the upcaster, which is valid */
        void add(RowName name, Upcaster upcaster) {
            String who = upcaster.getClass().getName();
            if (name.suffixVersion().isPresent()) {
                throw new IllegalArgumentException(
                        "%s says of which versions it is and names '%s'; take the version from the name"
                                .formatted(who, name.text()));
            }
            if (upcaster.from() < 1) {
                throw new IllegalArgumentException("%s takes version %d of '%s'; the first version is 1"
                        .formatted(who, upcaster.from(), name.text()));
            }
            Upcaster other =
                    byName.computeIfAbsent(name.text(), any -> new HashMap<>()).putIfAbsent(upcaster.from(), upcaster);
            if (other != null) {
                throw new IllegalArgumentException("both %s and %s take version %d of '%s'; remove one of them"
                        .formatted(other.getClass().getName(), who, upcaster.from(), name.text()));
            }
        }

        void addAll(Upcasters others) {
            others.byName.forEach((name, byVersion) ->
                    byName.computeIfAbsent(name, any -> new HashMap<>()).putAll(byVersion));
        }

        Upcasters build() {
            return new Upcasters(byName);
        }
    }
}
