package io.tailrace.contract.config;

import io.tailrace.contract.config.RoutesConfig.Rule;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.route.RoutePattern;
import io.tailrace.contract.route.TopicTemplate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What is wrong with routes, whatever comes: patterns that take nothing, rules that can never win, topics that are not theirs. Pure. */
public final class RouteProblems {

    private RouteProblems() {}

    /**
     * Everything, rule by rule.
     *
     * @param rules null stands for one that cannot be read
     * @param topics of the namespace
     * @param subscriptions whose topics no route may write either
     * @return for each rule, in their order, what is wrong with it; empty lists for those that are right
     */
    public static List<List<String>> of(List<Rule> rules, Topics topics, List<String> subscriptions) {
        List<List<String>> problems = new ArrayList<>();
        Set<String> before = new HashSet<>();
        for (Rule rule : rules) {
            List<String> found = new ArrayList<>();
            problems.add(found);
            RoutePattern pattern = new RoutePattern(rule.pattern());
            pattern.problem().ifPresent(found::add);
            if (!before.add(rule.pattern())) {
                found.add("another rule has the same pattern and always wins; keep one of them");
            }
            rule.topic().ifPresent(topic -> target("topic", topic, pattern, topics, subscriptions, found));
            rule.legacyTopic().ifPresent(topic -> target("legacy-topic", topic, pattern, topics, subscriptions, found));
            if (rule.legacyTopic().isPresent() && rule.legacyTopic().equals(rule.topic())) {
                found.add("legacy-topic is the topic itself: each event would be there twice; delete it");
            }
        }
        return problems;
    }

    private static void target(
            String key,
            String topic,
            RoutePattern pattern,
            Topics topics,
            List<String> subscriptions,
            List<String> found) {
        Optional<String> problem =
                new TopicTemplate(topic).problem(pattern.onlyName(), each -> topics.isReserved(each, subscriptions));
        problem.ifPresent(what -> found.add("%s '%s': %s".formatted(key, topic, what)));
    }
}
