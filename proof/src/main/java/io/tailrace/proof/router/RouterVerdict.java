package io.tailrace.proof.router;

import io.tailrace.proof.history.Findings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a run has shown. */
public final class RouterVerdict {

    private final RouterSettings settings;
    private final Map<RouterKillPoint, Integer> killsByPoint;
    private final Findings rows;
    private final Findings copies;
    private final Map<String, Integer> burned;
    private final Latency latency;
    private final Evidence evidence;

    /**
     * @param rows events where they were delivered, commands by what they did
     * @param copies of events on the audit feed and in a second topic, and word of commands that they are due
     * @param burned attempts by row
     * @param evidence that there was something to judge
     */
    RouterVerdict(
            RouterSettings settings,
            Map<RouterKillPoint, Integer> killsByPoint,
            Findings rows,
            Findings copies,
            Map<String, Integer> burned,
            Latency latency,
            Evidence evidence) {
        this.settings = settings;
        this.killsByPoint = killsByPoint;
        this.rows = rows;
        this.copies = copies;
        this.burned = burned;
        this.latency = latency;
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
        json.put("rowsCommitted", rows.committed());
        json.put("rowsRead", rows.delivered());
        json.put("missing", missing());
        json.put("duplicated", duplicated());
        json.put("orderViolations", orderViolations());
        json.put("deadLettered", rows.deadLettered());
        json.put("replayed", rows.replayed());
        json.put("late", evidence.late());
        json.put("commandsOverLanes", evidence.overLanes());
        json.put("waitedForDestination", evidence.away());
        json.put("inTwoTopics", evidence.inTwoTopics());
        json.put("attemptsBurnedByOutage", attemptsBurned());
        Map<String, Double> p99 = new LinkedHashMap<>();
        p99.put("before", latency.beforeMs());
        p99.put("during", latency.duringMs());
        json.put("otherKeysP99Ms", p99);
        return json;
    }

    /** Nothing missing, doubled or out of order, no attempt burned. */
    public boolean isClean() {
        return missing() == 0 && duplicated() == 0 && orderViolations() == 0 && attemptsBurned() == 0;
    }

    /** Points at which no router was killed: nothing is proved of them. */
    public List<String> neverHit() {
        return killsByPoint.entrySet().stream()
                .filter(each -> each.getValue() == 0)
                .map(each -> each.getKey().key())
                .toList();
    }

    /** Clean, and there was something of everything to judge, and other keys flowed on beside a hot key that was blocked. */
    public boolean isProved() {
        return isClean() && gaps().isEmpty();
    }

    /** What the run did not show, in words. */
    private List<String> gaps() {
        List<String> gaps = new ArrayList<>();
        neverHit()
                .forEach(point -> gaps.add(
                        "No router was killed at %s: nothing is proved of it. More kills hit it.".formatted(point)));
        if (rows.deadLettered() == 0) {
            gaps.add("No row died: nothing is proved of dead letters.");
        }
        if (rows.replayed() == 0) {
            gaps.add("No dead letter was replayed: nothing is proved of replays.");
        }
        gaps.addAll(evidence.gaps());
        if (!latency.wasBlocked()) {
            gaps.add("The hot key was not blocked while the others were measured: nothing is proved of them.");
        }
        if (!latency.isFlat()) {
            gaps.add(
                    "Other keys waited beside the hot one: p99 %.1f ms, %.1f ms before. At most %.0f times, or %.0f ms more."
                            .formatted(
                                    latency.duringMs(), latency.beforeMs(), Latency.MOST_TIMES, Latency.MOST_MORE_MS));
        }
        return gaps;
    }

    /** Why it is not proved, in words; of what is wrong, some. */
    public List<String> findings() {
        List<String> all = new ArrayList<>(rows.and(copies).examples());
        all.addAll(gaps());
        burned.entrySet().stream()
                .limit(5)
                .forEach(each -> all.add("attempts burned: %d of %s".formatted(each.getValue(), each.getKey())));
        return all;
    }

    /** Rows that are nowhere, or have no copy. */
    public long missing() {
        return rows.missing() + copies.missing();
    }

    /** Records that no row accounts for. */
    public long duplicated() {
        return rows.duplicated() + copies.duplicated();
    }

    /** Rows and copies out of their place. */
    public long orderViolations() {
        return rows.orderViolations() + copies.orderViolations();
    }

    /** Attempts of rows that had no fault of their own. */
    public long attemptsBurned() {
        return burned.values().stream().mapToLong(Integer::longValue).sum();
    }
}
