package io.tailrace.benchmarks.harness;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A figure that is to be reached, and whether it was. One of the two bounds is null.
 *
 * @param measured median of the runs
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Goal(@Nullable Double atMost, @Nullable Double atLeast, double measured, boolean met) {

    /** Adds a goal to others, unless nothing was measured. */
    public static void atMost(Map<String, Goal> goals, String name, double bound, @Nullable Double measured) {
        if (measured != null) {
            goals.put(name, new Goal(bound, null, measured, measured <= bound));
        }
    }

    /** Adds a goal to others, unless nothing was measured. */
    public static void atLeast(Map<String, Goal> goals, String name, double bound, @Nullable Double measured) {
        if (measured != null) {
            goals.put(name, new Goal(null, bound, measured, measured >= bound));
        }
    }

    /** Lines for people. */
    public static String lines(Map<String, Goal> goals) {
        StringBuilder text = new StringBuilder();
        goals.forEach((name, goal) -> text.append("%s %s: %s%s, measured %s%n"
                .formatted(
                        goal.met() ? "met   " : "missed",
                        name,
                        goal.atMost() == null ? "" : "at most " + Figure.text("%,.0f", goal.atMost()),
                        goal.atLeast() == null ? "" : "at least " + Figure.text("%,.0f", goal.atLeast()),
                        Figure.text("%,.1f", goal.measured()))));
        return text.toString();
    }
}
