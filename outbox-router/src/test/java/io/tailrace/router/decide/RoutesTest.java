package io.tailrace.router.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.config.RoutesConfig.Default;
import io.tailrace.contract.config.RoutesConfig.Rule;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.RowName;
import io.tailrace.contract.name.Topics;
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
    })
    void theMostSpecificRuleWins(String name, String topic, String rule) {
        Routes routes = compiled(
                Default.CONTEXT,
                RoutesConfig.rule("sales.*", "{context}-context"),
                RoutesConfig.rule("sales.order.*", "all-{name}.{version}"),
                RoutesConfig.rule("sales.order.placed", "orders"),
                RoutesConfig.rule("sales.order.placed.v2", "orders-v2"));
        assertThat(resolve(routes, name)).contains(new Route(topic, rule));
    }

    @Test
    void withoutADefaultWhatNoRuleTakesHasNoRoute() {
        assertThat(resolve(compiled(Default.NONE, RoutesConfig.rule("sales.*", "sales")), "stock.counted"))
                .isEmpty();
    }

    @Test
    void aNameCannotLeadIntoTailracesOwnTopics() {
        Routes routes = compiled(Default.NONE, RoutesConfig.rule("shop.*", "{name}"));
        assertThat(resolve(routes, "shop.commands")).isEmpty();
        assertThat(resolve(routes, "shop.raw.events")).isEmpty();
        assertThat(resolve(routes, "shop.orders")).map(Route::topic).contains("shop.orders");
    }

    @Test
    void everyProblemIsToldAtOnce() {
        List<String> problems = new ArrayList<>();
        Routes.compile(
                new RoutesConfig(
                        Default.CONTEXT,
                        List.of(
                                RoutesConfig.rule("sales.*", "a"),
                                RoutesConfig.rule("sales.*", "b"),
                                RoutesConfig.rule("retry.requested", "c"),
                                RoutesConfig.rule("sales.*.placed", "d"),
                                RoutesConfig.rule("sales.order.v2.*", "e"),
                                RoutesConfig.rule("sales.x", "{contxt}"),
                                RoutesConfig.rule("sales.y", "no spaces"),
                                RoutesConfig.rule("sales.z", "shop.events.dlq"),
                                RoutesConfig.rule("sales.b", "shop.billing.retry"))),
                TOPICS,
                List.of("billing"),
                problems);
        assertThat(problems)
                .hasSize(8)
                .anyMatch(each -> each.contains("same pattern"))
                .anyMatch(each -> each.contains("'retry.requested'") && each.contains("reserved"))
                .anyMatch(each -> each.contains("'sales.*.placed'"))
                .anyMatch(each -> each.contains("after its version"))
                .anyMatch(each -> each.contains("{contxt}"))
                .anyMatch(each -> each.contains("no legal topic name"))
                .filteredOn(each -> each.contains("written by Tailrace itself"))
                .hasSize(2);
    }

    private static Routes compiled(Default byDefault, Rule... rules) {
        List<String> problems = new ArrayList<>();
        Routes routes = Routes.compile(new RoutesConfig(byDefault, List.of(rules)), TOPICS, List.of(), problems);
        assertThat(problems).isEmpty();
        return routes;
    }

    private static Optional<Route> resolve(Routes routes, String name) {
        RowName rowName = RowName.event(name).name().orElseThrow();
        return routes.resolve(rowName, rowName.version(OptionalInt.empty()).orElseThrow());
    }
}
