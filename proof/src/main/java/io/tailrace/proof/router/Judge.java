package io.tailrace.proof.router;

import io.tailrace.contract.name.Topics;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.record.Place;
import io.tailrace.proof.history.Delivery;
import io.tailrace.proof.history.Findings;
import io.tailrace.proof.history.History;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Holds what was read against the tables, in five histories: events at their destinations, at the second one if they have two, their
 * copies on the audit feed, commands that became due, and what they have done.
 */
final class Judge {

    private static final int MOST_EXAMPLES = 5;

    private final Stored stored;
    private final List<Sighting> seen;
    private final Topics topics;
    private final Names names;

    Judge(Stored stored, List<Sighting> seen, Topics topics) {
        this.stored = stored;
        this.seen = seen;
        this.topics = topics;
        this.names = new Names(topics);
    }

    /** Events, as their readers have met them. */
    Findings events(Collection<String> replayed) {
        return events("event", replayed, topic -> names.isDestination(topic) && !topic.equals(topics.commands()));
    }

    /** Each delivered event has its copy, and it alone. */
    Findings audit(Collection<String> replayed) {
        return events("audit copy", replayed, names::isAudit);
    }

    /** Each event that goes to two topics is in both, and no other one is in the second. */
    Findings legacy(Collection<String> replayed) {
        return events("legacy copy", replayed, event -> event.name().equals(Names.SMALL), names::isLegacy);
    }

    private Findings events(String name, Collection<String> replayed, Predicate<String> belongs) {
        return events(name, replayed, any -> true, belongs);
    }

    private Findings events(
            String name, Collection<String> replayed, Predicate<Stored.Event> isOne, Predicate<String> belongs) {
        History history = new History(name);
        // What becomes of those is another history's.
        Set<String> others = new HashSet<>();
        for (Stored.Event event : stored.events()) {
            if (isOne.test(event)) {
                history.committed(event.row());
            } else {
                others.add(event.id());
            }
        }
        for (Sighting each : seen) {
            if (belongs.test(each.topic())) {
                history.delivered(delivery(each));
            } else if (each.topic().equals(topics.deadLetters(Topics.EVENTS))
                    && each.hasValue()
                    && !others.contains(each.id())) {
                history.deadLettered(each.id());
            }
        }
        replayed.stream().filter(id -> !others.contains(id)).forEach(history::replayed);
        return history.findings();
    }

    /** Commands, as their executor was told that they are due: each once; one that comes before it is due is out of order. */
    Findings due(Clock clock) {
        History history = new History("due command");
        Map<String, Long> runAt = new HashMap<>();
        stored.commands().forEach(command -> {
            history.committed(command.row());
            runAt.put(command.id(), command.runAt());
        });
        long sinceNanos = TimeUnit.MILLISECONDS.toNanos(clock.millis()) - System.nanoTime();
        List<String> early = new ArrayList<>();
        for (Sighting each : seen) {
            if (!each.topic().equals(topics.commands())) {
                continue;
            }
            history.delivered(delivery(each));
            long at = TimeUnit.NANOSECONDS.toMillis(each.atNanos() + sinceNanos);
            if (at < runAt.getOrDefault(each.id(), 0L)) {
                early.add("due command, early: %s".formatted(each));
            }
        }
        return history.findings()
                .and(new Findings(
                        0, 0, 0, 0, 0, 0, early.size(), early.subList(0, Math.min(MOST_EXAMPLES, early.size()))));
    }

    /**
     * Commands, by what they have done. Their place is where they became due.
     *
     * @param effects ids of rows, in the order of their effects
     */
    Findings commands(List<String> effects, Collection<String> replayed) {
        History history = new History("command");
        stored.commands().forEach(command -> history.committed(command.row()));
        Map<String, Place> places = new HashMap<>();
        for (Sighting each : seen) {
            if (each.topic().equals(topics.commands())) {
                places.putIfAbsent(each.id(), new Place(0, each.offset()));
            } else if (each.topic().equals(topics.deadLetters(Topics.COMMANDS)) && each.hasValue()) {
                history.deadLettered(each.id());
            }
        }
        Set<String> late = late(effects, Set.copyOf(replayed), places);
        replayed.forEach(history::replayed);
        effects.forEach(
                id -> history.delivered(new Delivery(id, "its effect", places.get(id), "replay", late.contains(id))));
        return history.findings();
    }

    /** A replayed command is late if one of its key with a later place was done before it; one that is not has to keep its place. */
    private Set<String> late(List<String> effects, Set<String> replayed, Map<String, Place> places) {
        Map<String, String> keys = new HashMap<>();
        stored.commands().forEach(command -> {
            if (command.key() != null) {
                keys.put(command.id(), command.key());
            }
        });
        Map<String, Place> furthest = new HashMap<>();
        Set<String> late = new HashSet<>();
        for (String id : effects) {
            String key = keys.get(id);
            Place place = places.get(id);
            if (key == null || place == null) {
                continue;
            }
            Place before = furthest.get(key);
            if (before == null || before.compareTo(place) < 0) {
                furthest.put(key, place);
            } else if (replayed.contains(id)) {
                late.add(id);
            }
        }
        return late;
    }

    /**
     * Whether there was something to judge.
     *
     * @param effects ids of commands that were done
     * @param unfinished replays, in words
     */
    Evidence evidence(List<String> effects, List<String> unfinished) {
        Set<String> done = Set.copyOf(effects);
        Set<String> waited = stored.events().stream()
                .filter(event -> event.name().equals(Names.AWAY) && !Outages.isBefore(event.key()))
                .map(Stored.Event::id)
                .collect(Collectors.toSet());
        return new Evidence(
                seen.stream()
                        .filter(each -> names.isDestination(each.topic()) && each.late())
                        .count(),
                stored.commands().stream()
                        .filter(command -> command.fails() > 0 && done.contains(command.id()))
                        .count(),
                seen.stream()
                        .filter(each -> names.isDestination(each.topic()) && waited.contains(each.id()))
                        .count(),
                seen.stream().filter(each -> names.isLegacy(each.topic())).count(),
                unfinished);
    }

    /**
     * Attempts that rows used beyond those that they fail by themselves: a row without a fault uses none, whatever is down.
     *
     * @param excused rows that have used one more, rightly
     */
    Map<String, Integer> burned(Set<String> excused) {
        Map<String, Integer> own = new HashMap<>();
        stored.events()
                .forEach(event ->
                        own.put(event.id(), event.failuresOfItsOwn() + (excused.contains(event.id()) ? 1 : 0)));
        Map<String, Integer> burned = new HashMap<>();
        stored.commands().stream()
                .filter(command -> command.attempts() > command.fails())
                .forEach(command -> burned.put(command.id(), command.attempts() - command.fails()));
        for (Sighting each : seen) {
            boolean isNote = each.kind().filter(Kind.WAITING::equals).isPresent();
            boolean isLetter = each.topic().equals(topics.deadLetters(Topics.EVENTS)) && each.hasValue();
            int allowed = own.getOrDefault(each.id(), 0);
            // Who dies without a fault has used at least one, whatever the letter says.
            int used = isLetter && allowed == 0 ? Math.max(1, each.attempt()) : each.attempt();
            if ((isNote || isLetter) && used > allowed) {
                burned.merge(each.id(), used - allowed, Math::max);
            }
        }
        return burned;
    }

    private static Delivery delivery(Sighting seen) {
        return new Delivery(seen.id(), seen.topic(), seen.seq(), seen.replay(), seen.late());
    }
}
