package io.tailrace.cli.demo;

import io.tailrace.cli.demo.ShopDatabase.Effect;
import io.tailrace.cli.demo.Witness.Sighting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What was committed against what was seen. Pure.
 *
 * @param missing committed ids that were not seen
 * @param duplicated ids that were seen more than once, once for each time too many
 * @param unexpected ids that were seen and never committed: rolled back, or made up
 */
record Tally(int committed, int seen, Set<String> missing, List<String> duplicated, Set<String> unexpected) {

    static Tally of(Set<UUID> committed, List<String> seen) {
        Set<String> missing = new LinkedHashSet<>();
        committed.forEach(id -> missing.add(id.toString()));
        Set<String> expected = Set.copyOf(missing);
        Set<String> once = new HashSet<>();
        List<String> duplicated = new ArrayList<>();
        Set<String> unexpected = new LinkedHashSet<>();
        for (String id : seen) {
            missing.remove(id);
            if (!once.add(id)) {
                duplicated.add(id);
            }
            if (!expected.contains(id)) {
                unexpected.add(id);
            }
        }
        return new Tally(committed.size(), seen.size(), missing, duplicated, unexpected);
    }

    boolean isRight() {
        return missing.isEmpty() && duplicated.isEmpty() && unexpected.isEmpty();
    }

    /**
     * Records of one topic and key whose numbers do not rise, or that stand in another partition than their key's. A replayed row
     * that Tailrace itself marks as late is no violation.
     */
    static List<String> eventsOutOfOrder(List<Sighting> routed) {
        List<String> violations = new ArrayList<>();
        Map<String, Sighting> last = new HashMap<>();
        for (Sighting sighting : routed) {
            if (sighting.isLate()) {
                continue;
            }
            Sighting before = last.put(sighting.topic() + " " + sighting.key(), sighting);
            if (before != null && (before.n() >= sighting.n() || before.partition() != sighting.partition())) {
                violations.add("%s %s: %d at %d-%d after %d at %d-%d"
                        .formatted(
                                sighting.topic(),
                                sighting.key(),
                                sighting.n(),
                                sighting.partition(),
                                sighting.offset(),
                                before.n(),
                                before.partition(),
                                before.offset()));
            }
        }
        return violations;
    }

    /** Effects of one name and customer whose numbers do not rise, in the order in which they were done. */
    static List<String> effectsOutOfOrder(List<Effect> effects, String name) {
        List<String> violations = new ArrayList<>();
        Map<String, Integer> last = new HashMap<>();
        for (Effect effect : effects) {
            if (!effect.name().equals(name)) {
                continue;
            }
            Integer before = last.put(effect.customer(), effect.n());
            if (before != null && before >= effect.n()) {
                violations.add("%s %s: %d after %d".formatted(name, effect.customer(), effect.n(), before));
            }
        }
        return violations;
    }
}
