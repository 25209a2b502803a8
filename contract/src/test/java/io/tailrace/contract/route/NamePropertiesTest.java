package io.tailrace.contract.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.name.RowName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Names and the patterns that take them, against a reading of the rules that takes no short cuts. */
class NamePropertiesTest {

    private static final String FIRST = "abzAZ";
    private static final String REST = FIRST + "09_-";
    private static final String FOREIGN = ". $/ö\u0000*{v";

    @Property(tries = 500)
    void whatIsBuiltByTheRulesIsANameAndItsVersionIsRead(@ForAll long seed) {
        Random random = new Random(seed);
        List<String> segments = segments(random, 2 + random.nextInt(4));
        int version = 1 + random.nextInt(Integer.MAX_VALUE);
        boolean versioned = random.nextBoolean();
        String text = String.join(".", segments) + (versioned ? ".v" + version : "");

        RowName name = RowName.event(text).name().orElseThrow();
        assertThat(name.segments()).isEqualTo(segments);
        assertThat(name.version(OptionalInt.empty())).hasValue(versioned ? version : 1);
        assertThat(name.version(OptionalInt.of(version))).hasValue(version);
        int other = version == 7 ? 8 : 7;
        assertThat(name.version(OptionalInt.of(other)))
                .as("only a stated version that differs from the suffix is a mismatch")
                .isEqualTo(versioned ? OptionalInt.empty() : OptionalInt.of(other));
    }

    @Property(tries = 1_000)
    void aNameIsOneExactlyWhenASlowReadingSaysSo(@ForAll long seed) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder(String.join(".", segments(random, 1 + random.nextInt(4))));
        for (int i = random.nextInt(3); i > 0; i--) {
            text.insert(random.nextInt(text.length() + 1), FOREIGN.charAt(random.nextInt(FOREIGN.length())));
        }
        if (random.nextInt(4) == 0) {
            text.insert(0, pick(random, List.of("dlq.", "raw.", "tailrace.", "retryx.", "Raw.")));
        }
        text.append(random.nextInt(20) == 0 ? ".x".repeat(100) : "");
        assertThat(RowName.event(text.toString()).name().isPresent())
                .as(text.toString())
                .isEqualTo(isName(text + ""));
    }

    @Property(tries = 500)
    void ofTheRulesThatTakeANameTheMostSpecificComesFirst(@ForAll long seed) {
        Random random = new Random(seed);
        List<String> segments = segments(random, 2 + random.nextInt(3));
        int version = 1 + random.nextInt(3);
        RowName name = RowName.event(String.join(".", segments)).name().orElseThrow();
        Set<String> rules = new HashSet<>();
        for (int i = 0; i < 8; i++) {
            rules.add(pattern(random, random.nextBoolean() ? segments : segments(random, 2)));
        }
        List<String> taking = RoutePattern.taking(name, version).stream()
                .filter(rules::contains)
                .toList();

        assertThat(taking).doesNotHaveDuplicates();
        assertThat(new HashSet<>(taking))
                .as("all that take it and no other")
                .isEqualTo(rules.stream()
                        .filter(rule -> takes(rule, segments, version))
                        .collect(java.util.stream.Collectors.toSet()));
        assertThat(taking).isSortedAccordingTo((one, two) -> weight(two) - weight(one));
        assertThat(rules)
                .allSatisfy(rule -> assertThat(new RoutePattern(rule).problem()).isEmpty());
    }

    private static boolean isName(String text) {
        if (text.isEmpty() || text.length() > 200) {
            return false;
        }
        List<String> parts = new ArrayList<>(List.of(text.split("\\.", -1)));
        for (String part : parts) {
            if (part.isEmpty()
                    || FIRST.indexOf(part.charAt(0)) < 0
                            && !Character.toString(part.charAt(0)).matches("[a-zA-Z]")) {
                return false;
            }
            if (!part.chars()
                    .allMatch(each -> each < 128 && (Character.isLetterOrDigit(each) || each == '_' || each == '-'))) {
                return false;
            }
        }
        if (parts.size() > 1 && parts.get(parts.size() - 1).matches("v[1-9]\\d*")) {
            parts.remove(parts.size() - 1);
        }
        return parts.size() >= 2 && !RowName.RESERVED_FIRST_SEGMENTS.contains(parts.get(0));
    }

    private static boolean takes(String rule, List<String> segments, int version) {
        if (rule.equals("*")) {
            return true;
        }
        List<String> parts = List.of(rule.split("\\."));
        if (rule.endsWith(".*")) {
            List<String> prefix = parts.subList(0, parts.size() - 1);
            return segments.size() > prefix.size()
                    && segments.subList(0, prefix.size()).equals(prefix);
        }
        List<String> versioned = new ArrayList<>(segments);
        versioned.add("v" + version);
        return parts.equals(segments) || parts.equals(versioned);
    }

    private static int weight(String rule) {
        if (rule.equals("*")) {
            return 0;
        }
        int length = rule.split("\\.").length;
        return rule.endsWith(".*") ? length : 100 + length;
    }

    private static String pattern(Random random, List<String> segments) {
        String plain = String.join(".", segments);
        return switch (random.nextInt(4)) {
            case 0 -> plain + ".v" + (1 + random.nextInt(3));
            case 1 -> plain;
            case 2 -> String.join(".", segments.subList(0, 1 + random.nextInt(segments.size() - 1))) + ".*";
            default -> "*";
        };
    }

    /** Never one that reads like a version, and none that is reserved. */
    private static List<String> segments(Random random, int count) {
        List<String> segments = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            StringBuilder segment = new StringBuilder().append(FIRST.charAt(random.nextInt(FIRST.length())));
            for (int j = random.nextInt(5); j > 0; j--) {
                segment.append(REST.charAt(random.nextInt(REST.length())));
            }
            segments.add(segment.toString());
        }
        return segments;
    }

    private static <T> T pick(Random random, List<T> from) {
        return from.get(random.nextInt(from.size()));
    }
}
