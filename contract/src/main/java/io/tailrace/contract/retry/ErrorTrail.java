package io.tailrace.contract.retry;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
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

    public ErrorTrail {
        message = bounded(message, MAX_MESSAGE_BYTES);
        stack = bounded(stack, MAX_STACK_BYTES);
    }

    /** Of an exception. */
    public static ErrorTrail of(Throwable error) {
        return new ErrorTrail(error.getClass().getName(), messageOf(error), stackOf(error));
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

    private static String stackOf(Throwable error) {
        Bounded out = new Bounded();
        try (PrintWriter printer = new PrintWriter(out)) {
            error.printStackTrace(printer);
        } catch (RuntimeException thrownByTheException) {
            out.write("(its stack could not be read: "
                    + thrownByTheException.getClass().getName() + ")");
        }
        return out.toString();
    }

    /** Keeps the beginning, so that a stack of megabytes costs kilobytes. */
    private static final class Bounded extends StringWriter {

        @Override
        public void write(char[] chars, int offset, int length) {
            super.write(chars, offset, Math.min(length, room()));
        }

        @Override
        public void write(String text, int offset, int length) {
            super.write(text, offset, Math.min(length, room()));
        }

        private int room() {
            return Math.max(0, MAX_STACK_BYTES - getBuffer().length());
        }
    }
}
