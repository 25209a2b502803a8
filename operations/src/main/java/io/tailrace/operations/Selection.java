package io.tailrace.operations;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Which dead letters are meant: those that fit everything that is said.
 *
 * @param rowIds any of these rows; empty for all
 * @param reason parked for this reason
 * @param name of this event or command; {@code sales.*} takes every name that begins with {@code sales.}
 * @param orderingKey of this key
 * @param sources of these sources, as {@code ce_source} names them; empty for all
 * @param limit at most so many, the first in order; more than zero
 */
public record Selection(
        Set<String> rowIds,
        Optional<String> reason,
        Optional<String> name,
        Optional<String> orderingKey,
        Set<String> sources,
        int limit) {

    /** All there are. */
    public static final Selection ALL =
            new Selection(Set.of(), Optional.empty(), Optional.empty(), Optional.empty(), Integer.MAX_VALUE);

    public Selection {
        rowIds = Set.copyOf(rowIds);
        sources = Set.copyOf(sources);
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(orderingKey, "orderingKey");
        if (limit < 1) {
            throw new IllegalArgumentException("a limit must be 1 or more, is " + limit);
        }
    }

    /** Of all sources. */
    public Selection(
            Set<String> rowIds,
            Optional<String> reason,
            Optional<String> name,
            Optional<String> orderingKey,
            int limit) {
        this(rowIds, reason, name, orderingKey, Set.of(), limit);
    }

    /** The same of these sources alone, as {@code ce_source} names them; none for all. */
    public Selection ofSources(Set<String> these) {
        return new Selection(rowIds, reason, name, orderingKey, these, limit);
    }

    /** The same, at most so many. */
    public Selection limitedTo(int most) {
        return new Selection(rowIds, reason, name, orderingKey, sources, most);
    }

    /** These rows. */
    public static Selection ofRows(Set<String> rowIds) {
        return new Selection(rowIds, Optional.empty(), Optional.empty(), Optional.empty(), Integer.MAX_VALUE);
    }

    boolean takes(DeadLetter letter) {
        return (rowIds.isEmpty() || rowIds.contains(letter.rowId()))
                && (sources.isEmpty() || sources.contains(letter.source()))
                && reason.map(letter.reason()::equals).orElse(true)
                && name.map(wanted -> takesName(wanted, letter.name())).orElse(true)
                && orderingKey
                        .map(wanted ->
                                letter.orderingKey().filter(wanted::equals).isPresent())
                        .orElse(true);
    }

    private static boolean takesName(String wanted, String name) {
        return wanted.endsWith(".*") ? name.startsWith(wanted.substring(0, wanted.length() - 1)) : name.equals(wanted);
    }
}
