package io.tailrace.contract.config;

import io.tailrace.contract.config.RoutesConfig.Rule;
import io.tailrace.contract.name.RowName;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.route.RoutePattern;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The routed topics in which the events of a subscription may be: those of every route that may take one of them, both of them where a
 * route has two. What only an event's name or version decides is left open, so it may find topics that hold none; never too few. Pure.
 */
public final class SubscribedTopics {

    /** What stands in the place of something that is not known. */
    private static final String ANYTHING = "[a-zA-Z0-9._-]+";

    private static final String REST = ".*";

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{(context|name|version)}");

    private final Topics topics;
    private final List<String> subscriptions;
    private final Set<String> patterns = new LinkedHashSet<>();
    private final Pattern any;

    private SubscribedTopics(List<String> events, RoutesConfig routes, Topics topics, List<String> subscriptions) {
        this.topics = topics;
        this.subscriptions = List.copyOf(subscriptions);
        events.forEach(pattern -> add(pattern, routes));
        this.any = Pattern.compile(String.join("|", patterns));
    }

    /**
     * For one subscription.
     *
     * @param events its patterns
     * @param subscriptions all there are: their own topics are no destinations
     */
    public static SubscribedTopics of(
            List<String> events, RoutesConfig routes, Topics topics, List<String> subscriptions) {
        return new SubscribedTopics(events, routes, topics, subscriptions);
    }

    /** Whether its events may be in a topic. */
    public boolean has(String topic) {
        return !patterns.isEmpty() && any.matcher(topic).matches() && !topics.isReserved(topic, subscriptions);
    }

    private void add(String events, RoutesConfig routes) {
        boolean byDefault = routes.byDefault() == RoutesConfig.Default.CONTEXT;
        if (byDefault) {
            addDefault(events);
        }
        for (Rule rule : routes.rules()) {
            Optional<String> common = common(events, rule.pattern());
            if (common.isEmpty()) {
                continue;
            }
            rule.topic().ifPresentOrElse(template -> addFilled(template, common.get()), () -> {
                if (byDefault) {
                    addDefault(common.get());
                }
            });
            rule.legacyTopic().ifPresent(template -> addFilled(template, common.get()));
        }
    }

    private void addDefault(String names) {
        // The template of the default route, in which the place of the context is the only thing open.
        addFilled(topics.defaultDestination("{context}"), names);
    }

    /** Of two patterns the one that takes fewer names, if there are names that both take. */
    private static Optional<String> common(String one, String other) {
        if (covers(one, other)) {
            return Optional.of(other);
        }
        return covers(other, one) ? Optional.of(one) : Optional.empty();
    }

    /** Whether the one takes all that the other takes. */
    private static boolean covers(String wide, String narrow) {
        if (wide.equals(RoutePattern.ALL) || wide.equals(narrow)) {
            return true;
        }
        if (narrow.equals(RoutePattern.ALL)) {
            return false;
        }
        if (wide.endsWith(REST)) {
            return narrow.startsWith(wide.substring(0, wide.length() - 1));
        }
        // A name takes all of its versions.
        return !narrow.endsWith(REST)
                && RowName.event(narrow)
                        .name()
                        .filter(name -> String.join(".", name.segments()).equals(wide))
                        .isPresent();
    }

    private void addFilled(String template, String names) {
        Optional<RowName> only = new RoutePattern(names).onlyName();
        String context = names.equals(RoutePattern.ALL) ? ANYTHING : Pattern.quote(names.split("\\.", 2)[0]);
        String name = only.map(each -> Pattern.quote(String.join(".", each.segments())))
                .orElse(ANYTHING);
        String version = only.filter(each -> each.suffixVersion().isPresent())
                .map(each -> Integer.toString(each.suffixVersion().getAsInt()))
                .orElse("[0-9]+");
        StringBuilder regex = new StringBuilder();
        int from = 0;
        var found = PLACEHOLDER.matcher(template);
        while (found.find()) {
            regex.append(Pattern.quote(template.substring(from, found.start())));
            regex.append(
                    switch (found.group(1)) {
                        case "context" -> context;
                        case "name" -> name;
                        default -> version;
                    });
            from = found.end();
        }
        patterns.add(regex.append(Pattern.quote(template.substring(from))).toString());
    }
}
