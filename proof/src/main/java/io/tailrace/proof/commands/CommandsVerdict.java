package io.tailrace.proof.commands;

import io.tailrace.proof.history.Findings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a run has shown. */
public final class CommandsVerdict {

    private final CommandsSettings settings;
    private final Map<CommandsKillPoint, Integer> killsByPoint;
    private final Findings effects;
    private final List<String> early;
    private final Map<String, Integer> burned;
    private final Lateness lateness;
    private final Evidence evidence;

    /**
     * How late commands began, p99 in milliseconds.
     *
     * @param calm those that were measured when nothing was killed any more
     * @param all that are told no failure, through kills and outages and behind others of their keys
     */
    record Lateness(double calm, double all) {}

    /**
     * @param early effects before their time, in words
     * @param burned attempts by command
     */
    CommandsVerdict(
            CommandsSettings settings,
            Map<CommandsKillPoint, Integer> killsByPoint,
            Findings effects,
            List<String> early,
            Map<String, Integer> burned,
            Lateness lateness,
            Evidence evidence) {
        this.settings = settings;
        this.killsByPoint = killsByPoint;
        this.effects = effects;
        this.early = early;
        this.burned = burned;
        this.lateness = lateness;
        this.evidence = evidence;
    }

    /** As it is printed, in that order. */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("seed", settings.seed());
        json.put(
                "kills",
                killsByPoint.values().stream().mapToInt(Integer::intValue).sum());
        Map<String, Integer> points = new LinkedHashMap<>();
        killsByPoint.forEach((point, count) -> points.put(point.key(), count));
        json.put("killsByPoint", points);
        json.put("commandsCommitted", effects.committed());
        json.put("effects", effects.delivered());
        json.put("missing", missing());
        json.put("duplicated", duplicated());
        json.put("orderViolations", orderViolations());
        json.put("early", early.size());
        json.put("latenessP99Ms", lateness.calm());
        json.put("latenessP99MsThroughKills", lateness.all());
        json.put("attemptsBurnedByOutage", attemptsBurned());
        json.put("deadLettered", effects.deadLettered());
        json.put("replayed", effects.replayed());
        json.put("late", evidence.late());
        json.put("overLanes", evidence.overLanes());
        json.put("snoozedTwice", evidence.snoozedTwice());
        json.put("unavailableTwice", evidence.unavailableTwice());
        json.put("cancelled", evidence.cancelled());
        json.put("rolledBack", evidence.seen().rolledBack());
        json.put("waitedForBroker", evidence.seen().throughBroker());
        json.put("waitedForDatabase", evidence.seen().throughDatabase());
        json.put("keysOnTwoExecutors", evidence.seen().splits());
        return json;
    }

    /** Nothing missing, doubled, out of order or early, no attempt burned. */
    public boolean isClean() {
        return missing() == 0
                && duplicated() == 0
                && orderViolations() == 0
                && early.isEmpty()
                && attemptsBurned() == 0;
    }

    /** Clean, and there was something of everything to judge. */
    public boolean isProved() {
        return isClean() && gaps().isEmpty();
    }

    /** Points at which no executor was struck: nothing is proved of them. */
    List<String> neverHit() {
        return killsByPoint.entrySet().stream()
                .filter(each -> each.getValue() == 0)
                .map(each -> each.getKey().key())
                .toList();
    }

    /** What the run did not show, in words. */
    private List<String> gaps() {
        List<String> gaps = new ArrayList<>();
        neverHit()
                .forEach(point -> gaps.add(
                        "No executor was struck at %s: nothing is proved of it. More kills hit it.".formatted(point)));
        if (effects.deadLettered() == 0) {
            gaps.add("No command died: nothing is proved of dead letters.");
        }
        if (effects.replayed() == 0) {
            gaps.add("No dead letter was replayed: nothing is proved of replays.");
        }
        gaps.addAll(evidence.gaps());
        return gaps;
    }

    /** Why it is not proved, in words; of what is wrong, some. */
    public List<String> findings() {
        List<String> all = new ArrayList<>(effects.examples());
        early.stream().limit(5).forEach(all::add);
        burned.entrySet().stream()
                .limit(5)
                .forEach(each -> all.add("attempts burned: %d of %s".formatted(each.getValue(), each.getKey())));
        all.addAll(gaps());
        return all;
    }

    /** Commands without an effect that are no dead letters, and those that wait though they are due. */
    public long missing() {
        return effects.missing();
    }

    /** Effects and dead letters that no command accounts for. */
    public long duplicated() {
        return effects.duplicated();
    }

    /** Effects out of their place. */
    public long orderViolations() {
        return effects.orderViolations();
    }

    /** Attempts beside the failures that handlers have returned. */
    public long attemptsBurned() {
        return burned.values().stream().mapToLong(Integer::longValue).sum();
    }
}
