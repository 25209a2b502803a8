package io.tailrace.contract.retry;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of an error: class, message and stack, bounded, without NUL and without lone surrogates, so that a header and a
 * {@code text} column both take it. Making one never throws, whatever the exception does.
 *
 * @param errorClass name of the exception's class
 * @param message at most {@value #MAX_MESSAGE_BYTES} bytes of UTF-8, may be empty
 * @param stack at most {@value #MAX_STACK_BYTES} bytes of UTF-8, may be empty
 */
public record ErrorTrail(String errorClass, String message, String stack) {

    /** {@code tailrace-error-message}. */
    public static final int MAX_MESSAGE_BYTES = 1024;

    /** {@code tailrace-error-stack} and {@code last_error}. */
    public static final int MAX_STACK_BYTES = 8 * 1024;

    private static final int FRAMES_PER_CAUSE = 12;

    public ErrorTrail {
        message = bounded(message, MAX_MESSAGE_BYTES);
        stack = bounded(stack, MAX_STACK_BYTES);
    }

    /** Of an exception. */
    public static ErrorTrail of(Throwable error) {
        return of(error, UnaryOperator.identity());
    }

    /**
     * Of an exception whose messages may hold what must not be kept.
     *
     * @param hiding applied to each message before it is cut short
     */
    public static ErrorTrail of(Throwable error, UnaryOperator<String> hiding) {
        return new ErrorTrail(error.getClass().getName(), hiding.apply(messageOf(error)), stackOf(error, hiding));
    }

    /** Of an expected failure that needs no stack. */
    public static ErrorTrail of(String errorClass, @Nullable String message) {
        return new ErrorTrail(errorClass, message == null ? "" : message, "");
    }

    /** Cuts at a character, not within one, and replaces what neither Kafka's readers nor PostgreSQL take. */
    public static String bounded(String text, int maxBytes) {
        // No character takes less than one byte, so the rest cannot matter.
        String head = text.length() > maxBytes ? text.substring(0, maxBytes) : text;
        byte[] bytes = wellFormed(head).getBytes(StandardCharsets.UTF_8);
        int end = Math.min(bytes.length, maxBytes);
        while (end < bytes.length && end > 0 && (bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    private static String wellFormed(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints()
                .map(c -> c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) ? 0xFFFD : c)
                .forEach(clean::appendCodePoint);
        return clean.toString();
    }

    private static String messageOf(Throwable error) {
        try {
            String message = error.getMessage();
            return message == null ? "" : message;
        } catch (RuntimeException thrownByTheException) {
            return "(its message could not be read: "
                    + thrownByTheException.getClass().getName() + ")";
        }
    }

    /** Each cause with its first frames: whole traces would spend the room before the root cause is reached. */
    private static String stackOf(Throwable error, UnaryOperator<String> hiding) {
        StringBuilder out = new StringBuilder();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Throwable next = error;
        while (next != null && seen.add(next) && out.length() < MAX_STACK_BYTES) {
            out.append(next == error ? "" : "caused by ").append(next.getClass().getName());
            out.append(": ")
                    .append(bounded(hiding.apply(messageOf(next)), MAX_MESSAGE_BYTES))
                    .append('\n');
            StackTraceElement[] frames = next.getStackTrace();
            for (int i = 0; i < Math.min(frames.length, FRAMES_PER_CAUSE); i++) {
                out.append("  at ").append(frames[i]).append('\n');
            }
            if (frames.length > FRAMES_PER_CAUSE) {
                out.append("  ... ").append(frames.length - FRAMES_PER_CAUSE).append(" more\n");
            }
            next = causeOf(next);
        }
        return next == null
                ? out.toString()
                : out.append("caused by one of the above, or by more than fits\n")
                        .toString();
    }

    private static @Nullable Throwable causeOf(Throwable error) {
        try {
            return error.getCause();
        } catch (RuntimeException thrownByTheException) {
            return thrownByTheException;
        }
    }
}
