package io.tailrace.proof.commands;

import io.tailrace.contract.record.Place;
import io.tailrace.proof.child.ExecutorSite;
import io.tailrace.proof.child.Job;
import io.tailrace.proof.child.Job.End;
import io.tailrace.proof.commands.Stored.Command;
import io.tailrace.proof.commands.Stored.Effect;
import io.tailrace.proof.commands.Stored.Status;
import io.tailrace.proof.history.Delivery;
import io.tailrace.proof.history.Findings;
import io.tailrace.proof.history.History;
import io.tailrace.proof.history.Row;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Holds the effects against the commands. A command is in one place: its effects and dead letters, less those that were replayed, are 1; its
 * row says the same. Effects of a key rise in place; where all of a key's rows are due at once also in the order of their commits. Pure.
 */
final class Judge {

    private static final int MOST_EXAMPLES = 5;

    private final Stored stored;
    private final Written written;
    private final List<String> replayed;
    private final Map<String, Command> commands;

    /** @param replayed ids of dead letters that were sent on their way again, once for each time */
    Judge(Stored stored, Written written, Collection<String> replayed) {
        this.stored = stored;
        this.written = written;
        this.replayed = List.copyOf(replayed);
        this.commands = stored.commands().stream().collect(Collectors.toMap(Command::id, Function.identity()));
    }

    /** Missing, doubled, out of order: by what was done. */
    Findings effects() {
        History history = new History("command");
        for (Command each : stored.commands()) {
            Place place = written.places().get(each.id());
            long number = each.inCommitOrder() || place == null ? each.number() : place.offset();
            history.committed(new Row(each.id(), each.key(), number, each.mayWait()));
        }
        written.deaths().forEach((id, deaths) -> {
            for (int i = 0; i < deaths; i++) {
                history.deadLettered(id);
            }
        });
        Set<String> late = late();
        replayed.forEach(history::replayed);
        stored.effects()
                .forEach(effect -> history.delivered(new Delivery(
                        effect.id(),
                        "its effect",
                        written.places().get(effect.id()),
                        "replay",
                        late.contains(effect.id()))));
        return history.findings().and(rows());
    }

    /** Rows that say otherwise, of those that the history finds in one place: what is in none or in two is counted already. */
    private Findings rows() {
        Set<String> done = stored.effects().stream().map(Effect::id).collect(Collectors.toSet());
        Map<String, Integer> places = places();
        List<String> missing = new ArrayList<>();
        List<String> made = new ArrayList<>();
        for (Command each : stored.commands()) {
            boolean isDone = done.contains(each.id());
            if (places.getOrDefault(each.id(), 0) != 1) {
                continue;
            }
            if (each.status() == Status.PENDING && !each.ahead()) {
                missing.add("command, waits still: " + each);
            } else if (each.status() == Status.COMPLETED && !isDone) {
                missing.add("command, completed without an effect: " + each);
            } else if (each.status() != Status.COMPLETED && isDone) {
                made.add("command, has an effect and is not completed: " + each);
            } else if (each.status() == Status.DEAD && !written.letters().contains(each.id())) {
                missing.add("command, dead without a dead letter: " + each);
            } else if (each.status() != Status.DEAD && written.letters().contains(each.id())) {
                made.add("command, has a dead letter and is not dead: " + each);
            }
        }
        List<String> examples = new ArrayList<>(some(missing));
        examples.addAll(some(made));
        return new Findings(0, 0, 0, 0, missing.size(), made.size(), 0, examples);
    }

    private static List<String> some(List<String> all) {
        return all.subList(0, Math.min(MOST_EXAMPLES, all.size()));
    }

    private Map<String, Integer> places() {
        Map<String, Integer> places = new HashMap<>(written.deaths());
        stored.effects().forEach(effect -> places.merge(effect.id(), 1, Integer::sum));
        replayed.forEach(id -> places.merge(id, -1, Integer::sum));
        return places;
    }

    /** A replayed command is late if one of its key with a later place was done before it; one that is not has to keep its place. */
    private Set<String> late() {
        Set<String> again = Set.copyOf(replayed);
        Map<String, Place> furthest = new HashMap<>();
        Set<String> late = new HashSet<>();
        for (Effect effect : stored.effects()) {
            Command command = commands.get(effect.id());
            Place place = written.places().get(effect.id());
            String key = command == null ? null : command.key();
            if (key == null || place == null) {
                continue;
            }
            Place before = furthest.get(key);
            if (before == null || before.compareTo(place) < 0) {
                furthest.put(key, place);
            } else if (again.contains(effect.id())) {
                late.add(effect.id());
            }
        }
        return late;
    }

    /** Effects that came before their command was due, in words. */
    List<String> early() {
        List<String> early = new ArrayList<>();
        for (Effect effect : stored.effects()) {
            Command command = commands.get(effect.id());
            if (command != null && effect.atMicros() < command.runAtMicros()) {
                early.add("command, early by %d µs: %s".formatted(command.runAtMicros() - effect.atMicros(), command));
            }
        }
        return early;
    }

    /**
     * Attempts that commands have used beside the failures that their handler has returned, by their ids.
     *
     * @param excused for each id how many it may have used: a run that was stopped for longer than its timeout has failed
     */
    Map<String, Integer> burned(Map<String, Integer> excused) {
        Map<String, Integer> burned = new LinkedHashMap<>();
        for (Command each : stored.commands()) {
            int more = each.attempts() - returned(each);
            int allowed = excused.getOrDefault(each.id(), 0);
            // Who dies of nothing has used them all, whatever a replay has made of that.
            boolean died = each.job().end() == End.WELL && written.deaths().containsKey(each.id()) && allowed == 0;
            int wrong = more > allowed ? more : more < 0 ? -more : died ? 1 : 0;
            if (wrong > 0) {
                burned.put(each.id(), wrong);
            }
        }
        return burned;
    }

    /** Failures since the row was last given a new budget. */
    private static int returned(Command command) {
        return switch (command.status()) {
            case COMPLETED -> command.job().fail();
            case DEAD -> command.job().end() == End.EXHAUSTED ? ExecutorSite.MAX_ATTEMPTS : 1;
            case CANCELLED -> command.attempts();
            case PENDING -> command.ahead() ? 0 : command.attempts();
        };
    }

    /** How late these commands began, p99 in milliseconds; 0 when none has. */
    double latenessP99Ms(Set<String> ids) {
        long[] late = stored.effects().stream()
                .filter(effect -> ids.contains(effect.id()))
                .mapToLong(effect -> effect.atMicros()
                        - Objects.requireNonNull(commands.get(effect.id())).runAtMicros())
                .sorted()
                .toArray();
        if (late.length == 0) {
            return 0;
        }
        long p99 = late[Math.min(late.length - 1, (int) Math.ceil(late.length * 0.99) - 1)];
        return Math.round(p99 / 100.0) / 10.0;
    }

    /** Ids of the commands that nothing of their own has made wait: they are told no failure, and were never replayed. */
    Set<String> withoutFault() {
        Set<String> again = Set.copyOf(replayed);
        return stored.commands().stream()
                .filter(each -> each.job().equals(Job.WELL) && !again.contains(each.id()))
                .map(Command::id)
                .collect(Collectors.toSet());
    }

    /** Whether there was something to judge. */
    Evidence evidence(Evidence.Seen seen) {
        Set<String> done = stored.effects().stream().map(Effect::id).collect(Collectors.toSet());
        return new Evidence(
                stored.commands().stream()
                        .filter(each -> each.job().fail() > 0 && done.contains(each.id()))
                        .count(),
                twice("snooze", done),
                twice("unavailable", done),
                stored.commands().stream()
                        .filter(each -> each.status() == Status.CANCELLED)
                        .count(),
                late().size(),
                seen);
    }

    private long twice(String what, Set<String> done) {
        return stored.notes().entrySet().stream()
                .filter(each -> each.getKey().what().equals(what)
                        && each.getValue() == 2
                        && done.contains(each.getKey().id()))
                .count();
    }
}
