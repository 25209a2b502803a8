package io.tailrace.proof;

import io.tailrace.proof.count.Counts;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a run has shown.
 *
 * @param settings of the run
 * @param killsByPoint how often it happened where
 * @param counts rows in the tables against records in the topics
 * @param wrote what the writers did, by name
 * @param restarts how often an engine halted itself and was started again
 * @param postgres version of the server
 * @param elapsedSeconds wall clock
 */
public record Verdict(
        ProofSettings settings,
        Map<KillPoint, Integer> killsByPoint,
        Counts counts,
        Map<String, Long> wrote,
        int restarts,
        String postgres,
        double elapsedSeconds) {

    static Map<KillPoint, Integer> byPoint(Collection<KillPoint> points) {
        Map<KillPoint, Integer> count = new EnumMap<>(KillPoint.class);
        for (KillPoint point : KillPoint.values()) {
            count.put(point, 0);
        }
        points.forEach(point -> count.merge(point, 1, Integer::sum));
        return count;
    }

    /** Nothing missing, doubled, made up or out of order. */
    public boolean isClean() {
        return counts.isClean();
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
        json.put("rowsCommitted", counts.committed());
        json.put("rowsRead", counts.read());
        json.put("missing", counts.missing());
        json.put("duplicated", counts.duplicated());
        json.put("orderViolations", counts.orderViolations());
        json.put("phantoms", counts.phantoms());
        json.put(
                "fault", settings.acts().stream().map(act -> lower(act.fault())).collect(Collectors.joining("+")));
        json.put("resume", lower(settings.resume()));
        json.put("workload", lower(settings.workload()));
        json.put("wrote", wrote);
        json.put("engineHalts", restarts);
        json.put("postgres", postgres);
        json.put("elapsedSeconds", elapsedSeconds);
        return json;
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
