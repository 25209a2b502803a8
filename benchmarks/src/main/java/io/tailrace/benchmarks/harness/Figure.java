package io.tailrace.benchmarks.harness;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Figures as reports show them: rounded, and absent when nothing was measured. */
public final class Figure {

    private Figure() {}

    /** The median, rounded to so many digits; null of nothing. */
    public static @Nullable Double median(List<Double> values, int digits) {
        return rounded(Statistics.median(values), digits);
    }

    /** One divided by the other; null when one of them is not known. */
    public static @Nullable Double ratio(@Nullable Double own, @Nullable Double other) {
        return own == null || other == null ? null : Double.valueOf(rounded(own / other, 2));
    }

    /** Each value with one digit. */
    public static Map<String, Double> rounded(Map<String, Double> values) {
        Map<String, Double> result = new TreeMap<>();
        values.forEach((name, value) -> result.put(name, rounded(value, 1)));
        return result;
    }

    public static double rounded(double value, int digits) {
        double factor = Math.pow(10, digits);
        return Math.round(value * factor) / factor;
    }

    private static @Nullable Double rounded(OptionalDouble value, int digits) {
        return value.isEmpty() ? null : Double.valueOf(rounded(value.getAsDouble(), digits));
    }

    /** For a table: a dash for what was not measured. */
    public static String text(String format, @Nullable Double value) {
        return value == null ? "-" : String.format(Locale.ROOT, format, value);
    }
}
