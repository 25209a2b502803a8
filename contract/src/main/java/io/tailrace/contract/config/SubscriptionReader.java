package io.tailrace.contract.config;

import io.tailrace.contract.config.Section.Value;
import io.tailrace.contract.retry.RetryPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code subscriptions:}, by the names that they are given. */
final class SubscriptionReader {

    private SubscriptionReader() {}

    static Value<List<SubscriptionConfig>> read(Map<String, Section> byName, Section top) {
        List<Value<SubscriptionConfig>> all = new ArrayList<>();
        byName.forEach((name, section) -> all.add(subscription(name, section)));
        return top.make(() -> all.stream().map(Value::get).toList());
    }

    private static Value<SubscriptionConfig> subscription(String name, Section section) {
        Value<List<String>> events = section.texts(SubscriptionKeys.EVENTS);
        var from = section.value(SubscriptionKeys.FROM);
        Value<Integer> workers = section.value(SubscriptionKeys.WORKERS);
        Value<RetryPolicy> retry = ConfigReader.retry(section.section("retry"), SubscriptionKeys.RETRY);
        var onDeadLetter = section.value(SubscriptionKeys.ON_DEAD_LETTER);
        var onMissingHandler = section.value(SubscriptionKeys.ON_MISSING_HANDLER);
        Map<String, String> switchedOff = section.section("switched-off").texts();
        return section.make(() -> new SubscriptionConfig(
                name,
                events.get(),
                from.get(),
                workers.get(),
                retry.get(),
                onDeadLetter.get(),
                new MissingConfig(onMissingHandler.get(), switchedOff)));
    }
}
