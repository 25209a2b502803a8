package io.tailrace.router.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.config.RoutesConfig.Default;
import io.tailrace.contract.config.RoutesConfig.Rule;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.RowName;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.retry.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoutesTest {

    private static final Topics TOPICS = new Topics(new Namespace("shop"));

    @ParameterizedTest
    @CsvSource({
        "sales.order.placed.v2, orders-v2,            sales.order.placed.v2",
        "sales.order.placed.v3, orders,               sales.order.placed",
        "sales.order.placed,    orders,               sales.order.placed",
        "sales.order.shipped,   all-sales.order.shipped.1, sales.order.*",
        "sales.invoice,         sales-context,        sales.*",
        "salesforce.invoice,    shop.events.salesforce, default",
        "sales.order,           sales-context,        sales.*",
        "stock.counted,         shop.events.stock,    default",
    })
    void theMostSpecificRuleWins(String name, String topic, String rule) {
        Routes routes = compiled(
                Default.CONTEXT,
                new Rule("sales.*", "{context}-context"),
                new Rule("sales.order.*", "all-{name}.{version}"),
                new Rule("sales.order.placed", "orders"),
                new Rule("sales.order.placed.v2", "orders-v2"));
        assertThat(resolve(routes, name)).hasValueSatisfying(route -> {
            assertThat(route.topics()).containsExactly(topic);
            assertThat(route.rule()).isEqualTo(rule);
        });
    }

    @Test
    void theOrderOfTheFileDoesNotMatterAndTheStarIsLast() {
        Rule all = new Rule("*", "all");
        Rule prefix = new Rule("sales.*", "prefix");
        Rule name = new Rule("sales.order", "name");
        for (List<Rule> order : List.of(List.of(all, prefix, name), List.of(name, prefix, all))) {
            Routes routes = compiled(Default.NONE, order.toArray(Rule[]::new));
            assertThat(resolve(routes, "sales.order")).map(Route::topic).contains("name");
            assertThat(resolve(routes, "sales.invoice")).map(Route::topic).contains("prefix");
            assertThat(resolve(routes, "stock.counted")).map(Route::topic).contains("all");
        }
    }

    @Test
    void withoutADefaultWhatNoRuleTakesHasNoRoute() {
        assertThat(resolve(compiled(Default.NONE, new Rule("sales.*", "sales")), "stock.counted"))
                .isEmpty();
    }

    @Test
    void aNameCannotLeadIntoTailracesOwnTopics() {
        Routes routes = compiled(Default.NONE, new Rule("shop.*", "{name}"));
        assertThat(resolve(routes, "shop.commands")).isEmpty();
        assertThat(resolve(routes, "shop.raw.events")).isEmpty();
        assertThat(resolve(routes, "shop.orders")).map(Route::topic).contains("shop.orders");
    }

    /** A rule's own policy holds for what it takes, also where it leads nowhere. */
    @Test
    void aRuleThatLeadsNowhereHasItsPolicyAllTheSame() {
        RetryPolicy once = new RetryPolicy(Duration.ofSeconds(1), Duration.ofSeconds(2), 1);
        Routes routes = compiled(Default.NONE, new Rule("shop.*", "{name}").with(once));
        assertThat(routes.retry(RowName.event("shop.commands").name().orElseThrow(), 1))
                .isEqualTo(once);
        assertThat(routes.retry(RowName.event("sales.order").name().orElseThrow(), 1))
                .isEqualTo(RetryPolicy.EVENTS);
    }

    @Test
    void everyProblemIsToldAtOnce() {
        List<String> problems = new ArrayList<>();
        Routes.compile(
                new RoutesConfig(
                        Default.CONTEXT,
                        List.of(
                                new Rule("sales.*", "a"),
                                new Rule("sales.*", "b"),
                                new Rule("retry.requested", "c"),
                                new Rule("sales.*.placed", "d"),
                                new Rule("sales.order.v2.*", "e"),
                                new Rule("sales.x", "{contxt}"),
                                new Rule("sales.y", "no spaces"),
                                new Rule("sales.z", "shop.events.dlq"),
                                new Rule("sales.b", "shop.billing.retry"),
                                new Rule("a".repeat(199) + ".*", "f"),
                                new Rule("sales.c", "g").withLegacyTopic("g"),
                                new Rule("shop.commands", "{name}"),
                                new Rule("sales.d", "shop.router-lane-changelog"),
                                new Rule("sales.e", "g").withLegacyTopic("__consumer_offsets"))),
                RetryPolicy.EVENTS,
                TOPICS,
                List.of("billing"),
                problems);
        assertThat(problems)
                .hasSize(13)
                .anyMatch(each -> each.contains("more than 200 characters"))
                .anyMatch(each -> each.contains("legacy-topic is the topic itself"))
                .anyMatch(each -> each.contains("same pattern"))
                .anyMatch(each -> each.contains("'retry.requested'") && each.contains("reserved"))
                .anyMatch(each -> each.contains("'sales.*.placed'"))
                .anyMatch(each -> each.contains("after its version"))
                .anyMatch(each -> each.contains("{contxt}"))
                .anyMatch(each -> each.contains("no legal topic name"))
                .filteredOn(each -> each.contains("written by Tailrace or by Kafka itself"))
                .hasSize(5);
    }

    private static Routes compiled(Default byDefault, Rule... rules) {
        List<String> problems = new ArrayList<>();
        Routes routes = Routes.compile(
                new RoutesConfig(byDefault, List.of(rules)), RetryPolicy.EVENTS, TOPICS, List.of(), problems);
        assertThat(problems).isEmpty();
        return routes;
    }

    private static Optional<Route> resolve(Routes routes, String name) {
        RowName rowName = RowName.event(name).name().orElseThrow();
        return routes.resolve(rowName, rowName.version(OptionalInt.empty()).orElseThrow());
    }
}
