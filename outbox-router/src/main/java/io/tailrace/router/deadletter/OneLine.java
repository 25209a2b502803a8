package io.tailrace.router.deadletter;

import org.jspecify.annotations.Nullable;

/** What a row brings, an id, a key or a name, as it stands in a log: one line, of a length that can be read. */
public final class OneLine {

    private static final int LONGEST = 100;

    private OneLine() {}

    /** The text, or its beginning. */
    public static String of(@Nullable String text) {
        if (text == null) {
            return "";
        }
        String head = text.length() > LONGEST ? text.substring(0, LONGEST) + "…" : text;
        return head.replaceAll("\\p{Cntrl}", "?");
    }
}
