package io.tailrace.contract.redact;

import io.tailrace.contract.retry.ErrorTrail;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Hides the secret values of one row in the text of errors, which like to quote what they could not take. Immutable. */
public final class Veil {

    /** What stands where a secret stood. */
    public static final String HIDDEN = "[redacted]";

    /** Hides nothing: the row has no secrets. */
    public static final Veil NONE = new Veil(List.of(), false);

    /** Hides every text: what is secret in the row cannot be told from what is not. */
    static final Veil WHOLE = new Veil(List.of(), true);

    /** Shorter ones are common within words and numbers, and are hidden only where they stand alone. */
    private static final int SHORT = 4;

    /** Beyond them a text is withheld, and not searched. */
    private static final int MOST_VALUES = 1_000;

    /** Many times what is kept of a text, in characters. */
    private static final int MOST_SEARCHED = 256 * 1024;

    private final List<String> values;
    private final boolean isWhole;

    private Veil(List<String> values, boolean isWhole) {
        this.values = values;
        this.isWhole = isWhole;
    }

    static Veil of(Collection<String> secrets) {
        // The longest first: what is left of it after a shorter one would still tell something.
        List<String> values = secrets.stream()
                .filter(value -> !value.isBlank())
                .distinct()
                .sorted(Comparator.comparing(String::length).reversed())
                .toList();
        if (values.isEmpty()) {
            return NONE;
        }
        return values.size() > MOST_VALUES ? WHOLE : new Veil(values, false);
    }

    /** The text without the secrets. To be applied before anything shortens the text: half a secret is not found any more. */
    public String over(String text) {
        if (isWhole) {
            return text.isEmpty() ? text : HIDDEN;
        }
        String hidden = searched(text);
        for (String value : values) {
            hidden = value.length() < SHORT ? withoutWord(hidden, value) : hidden.replace(value, HIDDEN);
        }
        return hidden;
    }

    /** Nobody keeps more of a text than its head; without the end of it, which may be half a secret. */
    private String searched(String text) {
        if (values.isEmpty() || text.length() <= MOST_SEARCHED) {
            return text;
        }
        return text.substring(0, Math.max(0, MOST_SEARCHED - values.get(0).length()));
    }

    /** Of an exception, its causes included. */
    public ErrorTrail trailOf(Throwable error) {
        return ErrorTrail.of(error, this::over);
    }

    /** Of an expected failure. */
    public ErrorTrail trailOf(String errorClass, String message) {
        return ErrorTrail.of(errorClass, over(message));
    }

    private static String withoutWord(String text, String word) {
        StringBuilder out = new StringBuilder(text.length());
        int from = 0;
        for (int found = text.indexOf(word); found >= 0; found = text.indexOf(word, found + 1)) {
            int end = found + word.length();
            boolean isAlone = (found == 0 || !Character.isLetterOrDigit(text.charAt(found - 1)))
                    && (end == text.length() || !Character.isLetterOrDigit(text.charAt(end)));
            if (isAlone && found >= from) {
                out.append(text, from, found).append(HIDDEN);
                from = end;
            }
        }
        return out.append(text, from, text.length()).toString();
    }
}
