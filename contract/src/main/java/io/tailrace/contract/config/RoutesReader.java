package io.tailrace.contract.config;

import io.tailrace.contract.config.RoutesConfig.Rule;
import io.tailrace.contract.config.Section.Value;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.contract.route.OnDeadLetter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code router.routes:}, and what its rules say against each other. */
final class RoutesReader {

    private RoutesReader() {}

    /** @param subscriptions whose topics no rule may name */
    static Value<RoutesConfig> read(
            Section section, Value<Namespace> namespace, Value<RetryPolicy> common, List<String> subscriptions) {
        var byDefault = section.value(Keys.ROUTES_DEFAULT);
        Value<Boolean> audit = section.value(Keys.ROUTES_AUDIT);
        Value<OnDeadLetter> onDeadLetter = section.value(Keys.ROUTES_ON_DEAD_LETTER);
        Defaults defaults = new Defaults(audit, onDeadLetter, common);
        List<Section> elements = section.list("rules");
        List<Value<Rule>> rules =
                elements.stream().map(each -> rule(each, defaults)).toList();
        if (namespace.orNull() != null) {
            report(elements, rules, new Topics(namespace.get()), subscriptions);
        }
        return section.make(() -> new RoutesConfig(
                byDefault.get(),
                audit.get(),
                onDeadLetter.get(),
                rules.stream().map(Value::get).toList()));
    }

    private static Value<Rule> rule(Section element, Defaults defaults) {
        Value<String> pattern = element.value(Keys.RULE_PATTERN);
        Value<String> topic = element.value(Keys.RULE_TOPIC);
        Value<String> legacyTopic = element.value(Keys.RULE_LEGACY_TOPIC);
        var partitionKey = element.value(Keys.RULE_PARTITION_KEY);
        var onDeadLetter = element.value(Keys.RULE_ON_DEAD_LETTER.byDefault(defaults.end()));
        Value<Boolean> audit = element.value(Keys.RULE_AUDIT.byDefault(defaults.audits()));
        Section below = element.section("retry");
        Value<RetryPolicy> policy = ConfigReader.retry(below, Keys.RULE_RETRY.ofName(defaults.retry()));
        boolean hasPolicy = element.has("retry");
        return element.make(() -> new Rule(
                pattern.get(),
                given(topic),
                given(legacyTopic),
                partitionKey.get(),
                hasPolicy ? Optional.of(policy.get()) : Optional.empty(),
                onDeadLetter.get(),
                audit.get()));
    }

    /** Of the rules that can be read: those that cannot are reported already. */
    private static void report(
            List<Section> elements, List<Value<Rule>> rules, Topics topics, List<String> subscriptions) {
        List<Section> places = new ArrayList<>();
        List<Rule> readable = new ArrayList<>();
        for (int i = 0; i < rules.size(); i++) {
            if (rules.get(i).orNull() != null) {
                places.add(elements.get(i));
                readable.add(rules.get(i).get());
            }
        }
        List<List<String>> problems = RouteProblems.of(readable, topics, subscriptions);
        for (int i = 0; i < problems.size(); i++) {
            String pattern = readable.get(i).pattern();
            Section place = places.get(i);
            problems.get(i).forEach(problem -> place.report("rule '%s': %s".formatted(pattern, problem)));
        }
    }

    private static Optional<String> given(Value<String> text) {
        return Optional.of(text.get()).filter(each -> !each.isEmpty());
    }

    /** What a rule is when it does not say otherwise; of what cannot be read itself, anything will do. */
    private record Defaults(Value<Boolean> audit, Value<OnDeadLetter> onDeadLetter, Value<RetryPolicy> common) {

        boolean audits() {
            return audit.orNull() == null || audit.get();
        }

        OnDeadLetter end() {
            return onDeadLetter.orNull() == null ? OnDeadLetter.CONTINUE : onDeadLetter.get();
        }

        RetryPolicy retry() {
            return common.orNull() == null ? RetryPolicy.EVENTS : common.get();
        }
    }
}
