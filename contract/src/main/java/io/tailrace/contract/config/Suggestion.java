package io.tailrace.contract.config;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** "Did you mean": the key that an unknown one was probably meant to be. */
public final class Suggestion {

    /** A place in a list. */
    private static final Pattern ELEMENT = Pattern.compile("\\[\\d+]");

    private Suggestion() {}

    /**
     * The nearest of the known paths, if one is near enough; a section counts as a path of its own.
     *
     * @param known with {@code []} for the elements of a list, whose place in the suggestion is that of the unknown one
     */
    public static Optional<String> of(String unknown, List<String> known) {
        Matcher element = ELEMENT.matcher(unknown);
        String index = element.find() ? element.group() : "[]";
        String wanted = kebab(element.replaceAll("[]"));
        // A slip of the pen; the right word in the wrong section; something that looks like it.
        return nearest(wanted, known, path -> 2)
                .or(() -> known.stream()
                        .filter(path -> last(path).equals(last(wanted)))
                        .findFirst())
                .or(() -> nearest(wanted, known, path -> last(path).length() / 3))
                .map(path -> path.replace("[]", index));
    }

    private static Optional<String> nearest(String wanted, List<String> known, ToIntFunction<String> farthest) {
        return known.stream()
                .filter(path -> distance(wanted, path) <= farthest.applyAsInt(path))
                .min(Comparator.comparingInt(path -> distance(wanted, path)));
    }

    /** {@code pollInterval} and {@code poll_interval} are meant as {@code poll-interval}. */
    private static String kebab(String path) {
        return path.replaceAll("([a-z0-9])([A-Z])", "$1-$2").replace('_', '-').toLowerCase(Locale.ROOT);
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    /** Levenshtein, with the swap of two neighbours as one step. */
    static int distance(String a, String b) {
        int[][] steps = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    steps[i][j] = i + j;
                    continue;
                }
                int replaced = steps[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                int least = Math.min(replaced, Math.min(steps[i - 1][j], steps[i][j - 1]) + 1);
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                steps[i][j] = swapped ? Math.min(least, steps[i - 2][j - 2] + 1) : least;
            }
        }
        return steps[a.length()][b.length()];
    }
}
