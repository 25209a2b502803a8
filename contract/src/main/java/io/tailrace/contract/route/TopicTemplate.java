package io.tailrace.contract.route;

import io.tailrace.contract.name.RowName;
import io.tailrace.contract.name.Topics;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A topic name with places to be filled: {@code {context}} the first segment, {@code {name}} the name without its version suffix,
 * {@code {version}} the version.
 *
 * @param text as it is written
 */
public record TopicTemplate(String text) {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{[^{}]*}");

    /** The topic of an event. */
    public String fill(RowName name, int version) {
        return fill(name.context(), String.join(".", name.segments()), Integer.toString(version));
    }

    /**
     * What is wrong with it whatever the event; what only some names make wrong is met when they come.
     *
     * @param only the one name that leads here; empty when there are several
     * @param isReserved whether Tailrace or Kafka itself writes a topic
     */
    public Optional<String> problem(Optional<RowName> only, Predicate<String> isReserved) {
        String sample = only.map(
                        name -> fill(name, name.version(OptionalInt.empty()).orElse(1)))
                .orElseGet(() -> fill("context", "context.name", "1"));
        Matcher unknown = PLACEHOLDER.matcher(sample);
        if (unknown.find()) {
            return Optional.of(
                    "unknown placeholder %s; there are {context}, {name} and {version}".formatted(unknown.group()));
        }
        if (!Topics.isLegal(sample)) {
            return Optional.of("this makes no legal topic name; allowed are 1 to %d of a-z, A-Z, 0-9, '.', '_' and '-'"
                    .formatted(Topics.MAX_LENGTH));
        }
        return isReserved.test(sample)
                ? Optional.of("%s is written by Tailrace or by Kafka itself; name another"
                        .formatted(sample.equals(text) ? "this topic" : sample))
                : Optional.empty();
    }

    private String fill(String context, String name, String version) {
        return text.replace("{context}", context).replace("{name}", name).replace("{version}", version);
    }
}
