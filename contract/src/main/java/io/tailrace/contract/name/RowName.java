package io.tailrace.contract.name;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The declared name of an event or a command: {@code segment(.segment)*}, a segment being {@code [A-Za-z][A-Za-z0-9_-]*}, at most
 * 200 characters, optionally ending in {@code .vN}. A name is never a class name.
 *
 * @param text the whole name as it stands in the row
 * @param segments its segments without the version suffix, at least one
 * @param suffixVersion N of a {@code .vN} suffix
 */
public record RowName(String text, List<String> segments, OptionalInt suffixVersion) {

    /** Longest name, in characters. */
    public static final int MAX_LENGTH = 200;

    /** First segments that would read like one of Tailrace's own topics. */
    public static final Set<String> RESERVED_FIRST_SEGMENTS =
            Set.of("dlq", "retry", "redelivery", "raw", "audit", "tailrace");

    private static final Pattern SEGMENT = Pattern.compile("[A-Za-z][A-Za-z0-9_-]*");

    private static final Pattern VERSION = Pattern.compile("v([1-9][0-9]{0,9})");

    public RowName {
        segments = List.copyOf(segments);
    }

    /** An event name: two segments at least, the version suffix not counted. */
    public static Verdict event(String text) {
        return judge(text, 2);
    }

    /** A command name: one segment is allowed. */
    public static Verdict command(String text) {
        return judge(text, 1);
    }

    /** The first segment: the context that the default route is named after. */
    public String context() {
        return segments.get(0);
    }

    /**
     * The version of a row of this name: the stated one, else the suffix, else 1. Only a stated version that differs from the suffix
     * is a mismatch.
     *
     * @param stated {@code event_version} of the row, empty when null
     * @return the version, or empty when name and statement contradict each other or the stated one is below 1
     */
    public OptionalInt version(OptionalInt stated) {
        if (stated.isEmpty()) {
            return OptionalInt.of(suffixVersion.orElse(1));
        }
        boolean contradicts = suffixVersion.isPresent() && suffixVersion.getAsInt() != stated.getAsInt();
        return contradicts || stated.getAsInt() < 1 ? OptionalInt.empty() : stated;
    }

    private static Verdict judge(String text, int leastSegments) {
        if (text.isEmpty()) {
            return new Invalid("the name is empty");
        }
        if (text.length() > MAX_LENGTH) {
            return new Invalid(
                    "the name has %d characters, at most %d are allowed".formatted(text.length(), MAX_LENGTH));
        }
        List<String> all = List.of(text.split("\\.", -1));
        for (String segment : all) {
            if (!SEGMENT.matcher(segment).matches()) {
                return new Invalid("segment '%s' must begin with a letter and hold only A-Z, a-z, 0-9, '_' and '-'"
                        .formatted(segment));
            }
        }
        OptionalInt suffix = all.size() > 1 ? versionOf(all.get(all.size() - 1)) : OptionalInt.empty();
        List<String> named = suffix.isPresent() ? all.subList(0, all.size() - 1) : all;
        if (named.size() < leastSegments) {
            return new Invalid("an event name has two segments at least, such as 'sales.order-placed'");
        }
        if (RESERVED_FIRST_SEGMENTS.contains(named.get(0))) {
            return new Invalid("first segment '%s' is reserved".formatted(named.get(0)));
        }
        return new Valid(new RowName(text, named, suffix));
    }

    /** What no row could state as its version is a segment like any other. */
    private static OptionalInt versionOf(String segment) {
        Matcher version = VERSION.matcher(segment);
        long number = version.matches() ? Long.parseLong(version.group(1)) : 0;
        return number < 1 || number > Integer.MAX_VALUE ? OptionalInt.empty() : OptionalInt.of((int) number);
    }

    /** What the validator says of a name. */
    public sealed interface Verdict {

        /** Takes one of the two ways. */
        <T> T match(Function<RowName, T> valid, Function<String, T> invalid);

        /** The name, if it is one. */
        default Optional<RowName> name() {
            return match(Optional::of, problem -> Optional.empty());
        }
    }

    private record Valid(RowName value) implements Verdict {
        @Override
        public <T> T match(Function<RowName, T> valid, Function<String, T> invalid) {
            return valid.apply(value);
        }
    }

    private record Invalid(String problem) implements Verdict {
        @Override
        public <T> T match(Function<RowName, T> valid, Function<String, T> invalid) {
            return invalid.apply(problem);
        }
    }
}
