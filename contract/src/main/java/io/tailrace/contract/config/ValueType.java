package io.tailrace.contract.config;

import io.tailrace.contract.config.ValueType.Unreadable;
import io.tailrace.contract.route.PartitionKey;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How a value is written in the configuration file: its form, its unit, and the two directions between text and value.
 *
 * @param form for people, such as {@code duration}
 * @param reading of the text; throws {@link Unreadable} with what is wrong, never quoting the text
 * @param writing the inverse, for defaults and ranges
 */
record ValueType<T extends Comparable<? super T>>(String form, Reading<T> reading, Function<T, String> writing) {

    static final ValueType<String> TEXT = new ValueType<>("text", text -> text, text -> text);

    static final ValueType<Integer> NUMBER = new ValueType<>("whole number", ValueType::number, String::valueOf);

    static final ValueType<Long> SIZE = new ValueType<>("size", ValueType::size, ValueType::size);

    static final ValueType<Duration> DURATION = new ValueType<>("duration", ValueType::duration, ValueType::duration);

    static final ValueType<Boolean> SWITCH = new ValueType<>("true or false", ValueType::isTrue, String::valueOf);

    static final ValueType<String> PATHS = new ValueType<>("list of paths", text -> text, text -> text);

    static final ValueType<String> NAMES = new ValueType<>("list of names", text -> text, text -> text);

    static final ValueType<PartitionKey> PARTITION_KEY = new ValueType<>(
            "ordering-key, row-id, tenant-id, user-id, correlation-id or header:name",
            ValueType::partitionKey,
            PartitionKey::text);

    private static final Pattern NUMBER_AND_UNIT = Pattern.compile("([0-9]{1,15})\\s*([A-Za-z]*)");

    private static final List<String> SIZE_UNITS = List.of("GiB", "MiB", "KiB");

    ValueType {
        Objects.requireNonNull(form, "form");
    }

    /** One word of an enum, written in lower case with hyphens. */
    static <E extends Enum<E>> ValueType<E> oneOf(Class<E> choices) {
        return new ValueType<>(
                Arrays.stream(choices.getEnumConstants()).map(ValueType::word).collect(Collectors.joining(" or ")),
                text -> Arrays.stream(choices.getEnumConstants())
                        .filter(choice -> word(choice).equals(text))
                        .findFirst()
                        .orElseThrow(() -> new Unreadable("must be one of "
                                + Arrays.stream(choices.getEnumConstants())
                                        .map(ValueType::word)
                                        .toList())),
                ValueType::word);
    }

    /** One of a few words. */
    static ValueType<String> oneOf(List<String> words) {
        return new ValueType<>(
                String.join(", ", words),
                text -> {
                    if (!words.contains(text)) {
                        throw new Unreadable("must be one of " + words);
                    }
                    return text;
                },
                text -> text);
    }

    private static String word(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Integer number(String text) throws Unreadable {
        try {
            return Integer.valueOf(text);
        } catch (NumberFormatException notANumber) {
            throw new Unreadable("must be a whole number");
        }
    }

    private static Boolean isTrue(String text) throws Unreadable {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new Unreadable("must be true or false");
        };
    }

    private static PartitionKey partitionKey(String text) throws Unreadable {
        try {
            return PartitionKey.parse(text);
        } catch (IllegalArgumentException none) {
            throw new Unreadable(String.valueOf(none.getMessage()));
        }
    }

    private static Duration duration(String text) throws Unreadable {
        Matcher parts = NUMBER_AND_UNIT.matcher(text);
        if (!parts.matches()) {
            throw new Unreadable("must be a number with a unit: 250ms, 10s, 5m, 2h or 14d");
        }
        long amount = Long.parseLong(parts.group(1));
        try {
            return switch (parts.group(2)) {
                case "ms" -> Duration.ofMillis(amount);
                case "s" -> Duration.ofSeconds(amount);
                case "m" -> Duration.ofMinutes(amount);
                case "h" -> Duration.ofHours(amount);
                case "d" -> Duration.ofDays(amount);
                case "" -> throw new Unreadable("needs a unit: ms, s, m, h or d");
                default -> throw new Unreadable("has a unit that is not ms, s, m, h or d");
            };
        } catch (ArithmeticException tooLong) {
            throw new Unreadable("is too long");
        }
    }

    private static String duration(Duration value) {
        long millis = value.toMillis();
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        long seconds = millis / 1000;
        if (seconds == 0 || seconds % 60 != 0) {
            return seconds + "s";
        }
        long minutes = seconds / 60;
        if (minutes % 60 != 0) {
            return minutes + "m";
        }
        return minutes % (24 * 60) == 0 ? minutes / (24 * 60) + "d" : minutes / 60 + "h";
    }

    private static Long size(String text) throws Unreadable {
        Matcher parts = NUMBER_AND_UNIT.matcher(text);
        if (!parts.matches()) {
            throw new Unreadable("must be a size: 512 (bytes), 64KiB, 1MiB or 2GiB");
        }
        long amount = Long.parseLong(parts.group(1));
        int shift = switch (parts.group(2)) {
            case "", "B" -> 0;
            case "KiB" -> 10;
            case "MiB" -> 20;
            case "GiB" -> 30;
            default -> throw new Unreadable("has a unit that is not KiB, MiB or GiB");
        };
        if (amount > Long.MAX_VALUE >> shift) {
            throw new Unreadable("is too large");
        }
        return amount << shift;
    }

    private static String size(Long bytes) {
        for (int i = 0; i < SIZE_UNITS.size(); i++) {
            long unit = 1L << (30 - 10 * i);
            if (bytes >= unit && bytes % unit == 0) {
                return bytes / unit + SIZE_UNITS.get(i);
            }
        }
        return bytes.toString();
    }

    /** From the text of a value. */
    interface Reading<T> {
        T read(String text) throws Unreadable;
    }

    /** What is wrong with a text, to be continued after "the value". */
    static final class Unreadable extends Exception {
        private static final long serialVersionUID = 1L;

        Unreadable(String problem) {
            super(problem, null, false, false);
        }

        String problem() {
            return String.valueOf(getMessage());
        }
    }
}
