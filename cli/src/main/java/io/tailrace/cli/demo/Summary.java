package io.tailrace.cli.demo;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the demo counted.
 *
 * @param counts by name, in the order in which they are told
 * @param wrong what is not right, in words; empty when all is
 */
public record Summary(Map<String, Number> counts, List<String> wrong) {

    private static final int EXAMPLES = 5;

    public Summary {
        counts = new LinkedHashMap<>(counts);
        wrong = List.copyOf(wrong);
    }

    /** Nothing is missing, duplicated or out of order, and everything that was meant to happen did. */
    public boolean isRight() {
        return wrong.isEmpty();
    }

    static Summary of(Shop.Day day, Counted counted, long replayed, double elapsedSeconds, Story story) {
        Map<String, Number> counts = new LinkedHashMap<>();
        counts.put("orders", counted.orders());
        counts.put("orderingKeys", counted.keys());
        counts.put("transactionsRolledBack", day.rolledBack());
        counts.put("savepointsRolledBack", day.savepointsRolledBack());
        counts.put("eventsCommitted", counted.events().committed());
        counts.put("eventsRouted", counted.events().seen());
        counts.put("eventsMissing", counted.events().missing().size());
        counts.put("eventsDuplicated", counted.events().duplicated().size());
        counts.put("eventsUnexpected", counted.events().unexpected().size());
        counts.put("orderViolations", counted.outOfOrder().size());
        counts.put("commandsCommitted", counted.commands().committed());
        counts.put("commandEffects", counted.commands().seen());
        counts.put("commandsMissing", counted.commands().missing().size());
        counts.put("commandEffectsDuplicated", counted.commands().duplicated().size());
        counts.put("commandEffectsUnexpected", counted.commands().unexpected().size());
        counts.put("retried", counted.retried());
        counts.put("deadLettered", counted.deadLettered());
        counts.put("replayed", replayed);
        counts.put("elapsedSeconds", Math.round(elapsedSeconds * 10) / 10.0);
        return new Summary(counts, counted.wrong(day, replayed, story));
    }

    /** What was seen from outside when everything had come to rest. */
    record Counted(
            long orders,
            long keys,
            Tally events,
            Tally commands,
            List<String> outOfOrder,
            long retried,
            long deadLettered,
            long stillDead) {

        private static final long POISONED = 2;

        private List<String> wrong(Shop.Day day, long replayed, Story story) {
            List<String> wrong = new java.util.ArrayList<>();
            tell(wrong, "events committed and not routed", events.missing());
            tell(wrong, "events routed twice", events.duplicated());
            tell(wrong, "events routed that were never committed", events.unexpected());
            tell(wrong, "commands committed without an effect", commands.missing());
            tell(wrong, "commands with two effects", commands.duplicated());
            tell(wrong, "effects of commands that were never committed", commands.unexpected());
            tell(wrong, "out of order", outOfOrder);
            expect(wrong, "orders in the shop's table", day.committed(), orders);
            expect(wrong, "rows dead-lettered", POISONED, deadLettered);
            expect(wrong, "rows replayed", POISONED, replayed);
            expect(wrong, "rows still dead", 0, stillDead);
            long failing = (long) story.orders() / Story.FAILING;
            if (retried < failing) {
                wrong.add("rows retried: at least %d expected, %d seen".formatted(failing, retried));
            }
            return wrong;
        }

        private static void tell(List<String> wrong, String what, java.util.Collection<String> found) {
            if (!found.isEmpty()) {
                wrong.add("%s: %d, such as %s"
                        .formatted(
                                what,
                                found.size(),
                                found.stream().limit(EXAMPLES).toList()));
            }
        }

        private static void expect(List<String> wrong, String what, long expected, long seen) {
            if (expected != seen) {
                wrong.add("%s: %d expected, %d seen".formatted(what, expected, seen));
            }
        }
    }
}
