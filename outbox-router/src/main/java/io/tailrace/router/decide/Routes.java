package io.tailrace.router.decide;

import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.name.RowName;
import io.tailrace.contract.name.Topics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The routes, compiled. The most specific rule wins: a name with its version ({@code sales.order.v2}), the name, then the longest
 * prefix of whole segments ({@code sales.*}); what no rule takes goes the default way. Immutable.
 */
public final class Routes {

    private static final String REST = ".*";

    private final Map<String, Target> exact;
    private final Map<String, Target> prefixes;
    private final RoutesConfig config;
    private final Topics topics;
    private final List<String> subscriptions;

    private Routes(
            Map<String, Target> exact,
            Map<String, Target> prefixes,
            RoutesConfig config,
            Topics topics,
            List<String> subscriptions) {
        this.exact = Map.copyOf(exact);
        this.prefixes = Map.copyOf(prefixes);
        this.config = config;
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
        Map<String, Target> exact = new HashMap<>();
        Map<String, Target> prefixes = new HashMap<>();
        for (RoutesConfig.Rule rule : config.rules()) {
            TopicTemplate template = TopicTemplate.of(rule.topic());
            List<String> found = new ArrayList<>();
            patternProblem(rule.pattern()).ifPresent(found::add);
            template.problem(topic -> topics.isReserved(topic, subscriptions)).ifPresent(found::add);
            boolean isPrefix = rule.pattern().endsWith(REST);
            Target target = new Target(template, rule.audit());
            Target before =
                    isPrefix ? prefixes.put(withoutRest(rule.pattern()), target) : exact.put(rule.pattern(), target);
            if (before != null) {
                found.add("another rule has the same pattern; keep one of them");
            }
            found.forEach(
                    problem -> problems.add("route '%s' to '%s': %s".formatted(rule.pattern(), rule.topic(), problem)));
        }
        return new Routes(exact, prefixes, config, topics, subscriptions);
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

    private Optional<Route> choose(RowName name, int version) {
        String plain = String.join(".", name.segments());
        for (String candidate : List.of(plain + ".v" + version, plain)) {
            Target target = exact.get(candidate);
            if (target != null) {
                return Optional.of(target.of(name, version, candidate));
            }
        }
        for (int depth = name.segments().size() - 1; depth > 0; depth--) {
            String prefix = String.join(".", name.segments().subList(0, depth));
            Target target = prefixes.get(prefix);
            if (target != null) {
                return Optional.of(target.of(name, version, prefix + REST));
            }
        }
        return config.byDefault() == RoutesConfig.Default.CONTEXT
                ? Optional.of(new Route(topics.defaultDestination(name.context()), config.audit(), Route.DEFAULT))
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

    /** What a rule says of the events it takes. */
    private record Target(TopicTemplate template, boolean audited) {
        Route of(RowName name, int version, String rule) {
            return new Route(template.fill(name, version), audited, rule);
        }
    }

    private static String withoutRest(String pattern) {
        return pattern.substring(0, pattern.length() - REST.length());
    }
}
