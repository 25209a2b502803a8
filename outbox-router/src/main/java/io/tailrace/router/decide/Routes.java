package io.tailrace.router.decide;

import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.name.RowName;
import io.tailrace.contract.name.Topics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The routes, compiled. The most specific rule wins: a name with its version ({@code sales.order.v2}), the name, then the longest
 * prefix of whole segments ({@code sales.*}); what no rule takes goes the default way. Immutable.
 */
public final class Routes {

    private static final String REST = ".*";

    private final Map<String, TopicTemplate> exact;
    private final Map<String, TopicTemplate> prefixes;
    private final Set<String> halting;
    private final boolean contextByDefault;
    private final Topics topics;
    private final List<String> subscriptions;

    private Routes(
            Map<String, TopicTemplate> exact,
            Map<String, TopicTemplate> prefixes,
            Set<String> halting,
            boolean contextByDefault,
            Topics topics,
            List<String> subscriptions) {
        this.exact = Map.copyOf(exact);
        this.prefixes = Map.copyOf(prefixes);
        this.halting = Set.copyOf(halting);
        this.contextByDefault = contextByDefault;
        this.topics = topics;
        this.subscriptions = List.copyOf(subscriptions);
    }

    /**
     * Compiles the configuration.
     *
     * @param subscriptions whose topics no route may write either
     * @param problems takes every problem there is; routes with problems must not be used
     */
    public static Routes compile(
            RoutesConfig config, Topics topics, List<String> subscriptions, List<String> problems) {
        Map<String, TopicTemplate> exact = new HashMap<>();
        Map<String, TopicTemplate> prefixes = new HashMap<>();
        for (RoutesConfig.Rule rule : config.rules()) {
            TopicTemplate template = TopicTemplate.of(rule.topic());
            List<String> found = new ArrayList<>();
            patternProblem(rule.pattern()).ifPresent(found::add);
            template.problem(topic -> topics.isReserved(topic, subscriptions)).ifPresent(found::add);
            boolean isPrefix = rule.pattern().endsWith(REST);
            TopicTemplate before = isPrefix
                    ? prefixes.put(withoutRest(rule.pattern()), template)
                    : exact.put(rule.pattern(), template);
            if (before != null) {
                found.add("another rule has the same pattern; keep one of them");
            }
            found.forEach(
                    problem -> problems.add("route '%s' to '%s': %s".formatted(rule.pattern(), rule.topic(), problem)));
        }
        Set<String> halting = config.rules().stream()
                .filter(rule -> rule.onDeadLetter() == RoutesConfig.OnDeadLetter.HALT_KEY)
                .map(RoutesConfig.Rule::pattern)
                .collect(Collectors.toSet());
        return new Routes(
                exact, prefixes, halting, config.byDefault() == RoutesConfig.Default.CONTEXT, topics, subscriptions);
    }

    /**
     * Where an event goes; empty when nothing takes it, or when its name would lead it into a topic of Tailrace's own or make no
     * legal topic name.
     */
    public Optional<Route> resolve(RowName name, int version) {
        return choose(name, version)
                .filter(route -> Topics.isLegal(route.topic()))
                .filter(route -> !topics.isReserved(route.topic(), subscriptions));
    }

    /** Whether a dead letter of such an event stops its key. The rule that would route it says so, even if it leads nowhere. */
    public boolean haltsKey(RowName name, int version) {
        return choose(name, version)
                .filter(route -> halting.contains(route.rule()))
                .isPresent();
    }

    private Optional<Route> choose(RowName name, int version) {
        String plain = String.join(".", name.segments());
        for (String candidate : List.of(plain + ".v" + version, plain)) {
            TopicTemplate template = exact.get(candidate);
            if (template != null) {
                return Optional.of(new Route(template.fill(name, version), candidate));
            }
        }
        for (int depth = name.segments().size() - 1; depth > 0; depth--) {
            String prefix = String.join(".", name.segments().subList(0, depth));
            TopicTemplate template = prefixes.get(prefix);
            if (template != null) {
                return Optional.of(new Route(template.fill(name, version), prefix + REST));
            }
        }
        return contextByDefault
                ? Optional.of(new Route(topics.defaultDestination(name.context()), Route.DEFAULT))
                : Optional.empty();
    }

    private static Optional<String> patternProblem(String pattern) {
        boolean isPrefix = pattern.endsWith(REST);
        // A prefix may have one segment, as a command name may.
        RowName.Verdict verdict = isPrefix ? RowName.command(withoutRest(pattern)) : RowName.event(pattern);
        return verdict.match(
                name -> isPrefix && name.suffixVersion().isPresent()
                        ? Optional.of("no name goes on after its version, so this pattern takes none")
                        : Optional.empty(),
                problem -> Optional.of("no event can have a name like this: " + problem));
    }

    private static String withoutRest(String pattern) {
        return pattern.substring(0, pattern.length() - REST.length());
    }
}
