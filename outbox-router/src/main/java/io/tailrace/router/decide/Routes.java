package io.tailrace.router.decide;

import io.tailrace.contract.config.RouteProblems;
import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.config.RoutesConfig.Rule;
import io.tailrace.contract.name.RowName;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.contract.route.OnDeadLetter;
import io.tailrace.contract.route.PartitionKey;
import io.tailrace.contract.route.RoutePattern;
import io.tailrace.contract.route.TopicTemplate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The routes, compiled: of the patterns that take a name ({@link RoutePattern#taking}) the first for which there is a rule decides; what
 * no rule takes goes the default way. What a name came to is remembered, since every row asks. Never changes; thread-safe.
 */
public final class Routes {

    /** Names with a version, some hundred bytes each. */
    private static final int MOST_REMEMBERED = 4_096;

    private record Question(String name, int version) {}

    /**
     * What an event comes to.
     *
     * @param rule that takes it
     * @param route that it wants to go
     * @param allowed the same, if it may
     */
    private record Way(Optional<Rule> rule, Optional<Route> route, Optional<Route> allowed) {}

    private final Remembered<Question, Way> ways = new Remembered<>(MOST_REMEMBERED);

    private final Map<String, Rule> rules;
    private final RoutesConfig config;
    private final RetryPolicy retry;
    private final Topics topics;
    private final List<String> subscriptions;

    private Routes(
            Map<String, Rule> rules,
            RoutesConfig config,
            RetryPolicy retry,
            Topics topics,
            List<String> subscriptions) {
        this.rules = Map.copyOf(rules);
        this.config = config;
        this.retry = retry;
        this.topics = topics;
        this.subscriptions = List.copyOf(subscriptions);
    }

    /**
     * Compiles the configuration.
     *
     * @param retry of events whose rule has none, and of those that no rule takes
     * @param subscriptions whose topics no route may write either
     * @param problems takes every problem there is; routes with problems must not be used
     */
    public static Routes compile(
            RoutesConfig config, RetryPolicy retry, Topics topics, List<String> subscriptions, List<String> problems) {
        List<Rule> all = config.rules();
        List<List<String>> found = RouteProblems.of(all, topics, subscriptions);
        Map<String, Rule> rules = new HashMap<>();
        for (int i = 0; i < all.size(); i++) {
            Rule rule = all.get(i);
            rules.put(rule.pattern(), rule);
            found.get(i).forEach(problem -> problems.add("rule '%s': %s".formatted(rule.pattern(), problem)));
        }
        return new Routes(rules, config, retry, topics, subscriptions);
    }

    /**
     * Where an event goes; empty when nothing takes it, or when its name would lead it into a topic of Tailrace's own or make no
     * legal topic name.
     */
    public Optional<Route> resolve(RowName name, int version) {
        return way(name, version).allowed();
    }

    /** Policy of events that no rule takes, or whose name is none. */
    public RetryPolicy retry() {
        return retry;
    }

    /** Policy of an event: as its rule says, wherever the rule would have it go. */
    public RetryPolicy retry(RowName name, int version) {
        return way(name, version).rule().flatMap(Rule::retry).orElse(retry);
    }

    /**
     * What a dead letter of an event does to its key: as its rule says, wherever the rule would have it go; of one that no rule takes, or
     * whose name is none, as is said for all.
     */
    public OnDeadLetter onDeadLetter(Optional<RowName> name, int version) {
        return name.flatMap(each -> way(each, version).rule())
                .map(Rule::onDeadLetter)
                .orElse(config.onDeadLetter());
    }

    /** The patterns with a rule, of those that take an event, the most specific first; the first of them decides. */
    public List<String> considered(RowName name, int version) {
        return RoutePattern.taking(name, version).stream()
                .filter(rules::containsKey)
                .toList();
    }

    /** The topics that an event is to go to, whether or not it may. */
    public List<String> wanted(RowName name, int version) {
        return way(name, version).route().map(Route::topics).orElse(List.of());
    }

    private Way way(RowName name, int version) {
        return ways.of(new Question(name.text(), version), any -> workOut(name, version));
    }

    private Way workOut(RowName name, int version) {
        Optional<Rule> rule = ruleOf(name, version);
        Optional<Route> route = routeOf(rule, name, version);
        return new Way(rule, route, route.filter(each -> each.topics().stream().allMatch(this::isAllowed)));
    }

    private Optional<Route> routeOf(Optional<Rule> rule, RowName name, int version) {
        if (rule.isPresent()) {
            return destinationsOf(rule.get(), name, version).map(to -> routeBy(rule.get(), to));
        }
        return defaultDestination(name)
                .map(topic -> new Route(
                        List.of(topic),
                        PartitionKey.ORDERING_KEY,
                        retry,
                        config.onDeadLetter(),
                        config.audit(),
                        Route.DEFAULT));
    }

    private Route routeBy(Rule rule, List<String> destinations) {
        return new Route(
                destinations,
                rule.partitionKey(),
                rule.retry().orElse(retry),
                rule.onDeadLetter(),
                rule.audit(),
                rule.pattern());
    }

    /** Two templates may lead one name to the same topic: it goes there once. */
    private Optional<List<String>> destinationsOf(Rule rule, RowName name, int version) {
        Optional<String> canonical = rule.topic().isPresent()
                ? rule.topic().map(text -> new TopicTemplate(text).fill(name, version))
                : defaultDestination(name);
        Optional<String> legacy = rule.legacyTopic().map(text -> new TopicTemplate(text).fill(name, version));
        return canonical.map(topic ->
                Stream.concat(Stream.of(topic), legacy.stream()).distinct().toList());
    }

    private Optional<String> defaultDestination(RowName name) {
        return config.byDefault() == RoutesConfig.Default.CONTEXT
                ? Optional.of(topics.defaultDestination(name.context()))
                : Optional.empty();
    }

    private Optional<Rule> ruleOf(RowName name, int version) {
        for (String pattern : RoutePattern.taking(name, version)) {
            Rule rule = rules.get(pattern);
            if (rule != null) {
                return Optional.of(rule);
            }
        }
        return Optional.empty();
    }

    private boolean isAllowed(String topic) {
        return Topics.isLegal(topic) && !topics.isReserved(topic, subscriptions);
    }
}
