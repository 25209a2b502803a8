package io.tailrace.contract.header;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Reads {@code ce_time} as the engine writes it, {@code 2026-01-31T23:59:59.123456Z} with any number of digits behind the point or none:
 * each row has one, and the formatter of the platform takes a good part of the time that the row does. Whatever else is an instant is
 * read as the platform reads it.
 */
public final class CommitTime {

    private static final String SHAPE = "0000-00-00T00:00:00";

    private CommitTime() {}

    /** When a row was committed, in milliseconds since 1970; empty if its headers do not say so, or say an instant that no clock can show. */
    public static OptionalLong of(Headers headers) {
        Optional<String> text = headers.text(HeaderName.CE_TIME);
        return text.isPresent() ? millis(text.get()) : OptionalLong.empty();
    }

    /** Milliseconds since the epoch; empty if it is no instant. */
    static OptionalLong millis(String text) {
        try {
            return OptionalLong.of(
                    isPlain(text) ? plain(text) : Instant.parse(text).toEpochMilli());
        } catch (DateTimeException | ArithmeticException notATime) {
            return OptionalLong.empty();
        }
    }

    private static boolean isPlain(String text) {
        int last = text.length() - 1;
        if (last < SHAPE.length() || text.charAt(last) != 'Z') {
            return false;
        }
        for (int i = 0; i < SHAPE.length(); i++) {
            boolean fits = SHAPE.charAt(i) == '0' ? isDigit(text.charAt(i)) : SHAPE.charAt(i) == text.charAt(i);
            if (!fits) {
                return false;
            }
        }
        if (last == SHAPE.length()) {
            return isTimeOfDay(text);
        }
        // A point with nothing behind it, or with more than nine digits, is nothing that we would have written.
        if (text.charAt(SHAPE.length()) != '.' || last == SHAPE.length() + 1 || last > SHAPE.length() + 10) {
            return false;
        }
        for (int i = SHAPE.length() + 1; i < last; i++) {
            if (!isDigit(text.charAt(i))) {
                return false;
            }
        }
        return isTimeOfDay(text);
    }

    /** Leap seconds and the end of a day as 24:00 are for the platform. */
    private static boolean isTimeOfDay(String text) {
        return number(text, 11, 13) < 24 && number(text, 14, 16) < 60 && number(text, 17, 19) < 60;
    }

    private static long plain(String text) {
        LocalDate day = LocalDate.of(number(text, 0, 4), number(text, 5, 7), number(text, 8, 10));
        long seconds = TimeUnit.DAYS.toSeconds(day.toEpochDay())
                + number(text, 11, 13) * 3_600L
                + number(text, 14, 16) * 60L
                + number(text, 17, 19);
        return seconds * 1_000 + fraction(text);
    }

    /** The first three digits behind the point, however many there are. */
    private static int fraction(String text) {
        int millis = 0;
        for (int i = SHAPE.length() + 1; i <= SHAPE.length() + 3; i++) {
            int digit = i < text.length() - 1 ? text.charAt(i) - '0' : 0;
            millis = millis * 10 + digit;
        }
        return millis;
    }

    private static int number(String text, int from, int to) {
        return Integer.parseInt(text, from, to, 10);
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }
}
