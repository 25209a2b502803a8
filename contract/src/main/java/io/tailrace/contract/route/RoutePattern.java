package io.tailrace.contract.route;

import io.tailrace.contract.name.RowName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which events a rule takes: a name with its version ({@code sales.order.v2}), a name in all its versions ({@code sales.order}), whole
 * segments and whatever follows ({@code sales.*}), or every event ({@code *}).
 *
 * <p>Of several rules that take an event the most specific wins. The order is total and can be read off the patterns, never off their
 * place in the file: name and version before the name, the name before every prefix, a longer prefix before a shorter one, {@code *} last.
 *
 * @param text as it is written
 */
public record RoutePattern(String text) {

    /** Takes every event. */
    public static final String ALL = "*";

    private static final String REST = ".*";

    /** The shortest that can follow a prefix. */
    private static final int SHORTEST_REST = ".a".length();

    /** The patterns that take an event, the most specific first: the first for which there is a rule decides. */
    public static List<String> taking(RowName name, int version) {
        List<String> segments = name.segments();
        String plain = String.join(".", segments);
        List<String> patterns = new ArrayList<>(segments.size() + 2);
        patterns.add(plain + ".v" + version);
        patterns.add(plain);
        int end = plain.lastIndexOf('.');
        while (end > 0) {
            patterns.add(plain.substring(0, end) + REST);
            end = plain.lastIndexOf('.', end - 1);
        }
        patterns.add(ALL);
        return patterns;
    }

    /** Why no event can ever be taken by this pattern; empty when one can. */
    public Optional<String> problem() {
        if (text.equals(ALL)) {
            return Optional.empty();
        }
        if (!isPrefix()) {
            return RowName.event(text).match(name -> Optional.empty(), RoutePattern::unnameable);
        }
        String prefix = text.substring(0, text.length() - REST.length());
        if (prefix.length() + SHORTEST_REST > RowName.MAX_LENGTH) {
            return unnameable("a name that begins so has more than %d characters".formatted(RowName.MAX_LENGTH));
        }
        // A prefix may have one segment, as a command name may.
        return RowName.command(prefix)
                .match(
                        name -> name.suffixVersion().isPresent()
                                ? Optional.of("no name goes on after its version, so this pattern takes none")
                                : Optional.empty(),
                        RoutePattern::unnameable);
    }

    /** The one name that this pattern takes; empty when it takes several, or none. */
    public Optional<RowName> onlyName() {
        return isPrefix() || text.equals(ALL)
                ? Optional.empty()
                : RowName.event(text).name();
    }

    private boolean isPrefix() {
        return text.endsWith(REST);
    }

    private static Optional<String> unnameable(String problem) {
        return Optional.of("no event can have a name like this: " + problem);
    }
}
