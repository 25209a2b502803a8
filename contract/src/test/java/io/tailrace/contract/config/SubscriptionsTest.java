package io.tailrace.contract.config;

import static io.tailrace.contract.config.ConfigFixture.leastWith;
import static io.tailrace.contract.config.ConfigFixture.problems;
import static io.tailrace.contract.config.ConfigFixture.read;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.config.ExecutorConfig.MissingHandler;
import io.tailrace.contract.config.SubscriptionConfig.From;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.Topics;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.contract.route.OnDeadLetter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SubscriptionsTest {

    @Test
    void byDefaultAndExplicitly() {
        TailraceConfig config = read(leastWith(
                "subscriptions.billing.events",
                List.of("sales.order.*", "sales.refund"),
                "subscriptions.shipping.events",
                List.of("*"),
                "subscriptions.shipping.from",
                "latest",
                "subscriptions.shipping.workers",
                9,
                "subscriptions.shipping.retry.base",
                "1s",
                "subscriptions.shipping.retry.cap",
                "2s",
                "subscriptions.shipping.retry.max-attempts",
                7,
                "subscriptions.shipping.on-dead-letter",
                "halt-key",
                "subscriptions.shipping.on-missing-handler",
                "wait",
                "subscriptions.shipping.switched-off",
                Map.of("sales.refund", "the bank moves")));
        assertThat(config.subscriptions())
                .containsExactly(
                        new SubscriptionConfig("billing", List.of("sales.order.*", "sales.refund")),
                        new SubscriptionConfig(
                                "shipping",
                                List.of("*"),
                                From.LATEST,
                                9,
                                new RetryPolicy(Duration.ofSeconds(1), Duration.ofSeconds(2), 7),
                                OnDeadLetter.HALT_KEY,
                                new MissingConfig(MissingHandler.WAIT, Map.of("sales.refund", "the bank moves"))));
        assertThat(config.subscriptionNames()).containsExactly("billing", "shipping");
    }

    @Test
    void whatCannotBeIsNamed() {
        assertThat(problems(leastWith("subscriptions.billing.workers", 1)))
                .containsExactly("subscriptions.billing.events: must be a list of texts, with one at least");
        assertThat(problems(leastWith("subscriptions.audit.events", List.of("a.b"))))
                .singleElement()
                .asString()
                .contains("subscriptions.audit", "may not be called 'audit'");
        assertThat(problems(leastWith("subscriptions.billing.events", List.of("sales.order.v1.*"))))
                .singleElement()
                .asString()
                .contains("no name goes on after its version");
        assertThat(problems(leastWith("subscriptions.billing.evnts", List.of("a.b"))))
                .contains("subscriptions.billing.events: must be a list of texts, with one at least");
        assertThat(problems(leastWith(
                        "subscriptions.billing.events",
                        List.of("a.b"),
                        "router.routes.rules",
                        List.of(ConfigFixture.tree("pattern", "a.b", "topic", "shop.billing.dlq")))))
                .singleElement()
                .asString()
                .contains("is written by Tailrace");
    }

    @Test
    void itsTopicsAreThoseOfEveryRouteThatMayTakeOneOfItsEvents() {
        RoutesConfig routes = new RoutesConfig(
                RoutesConfig.Default.CONTEXT,
                List.of(
                        new RoutesConfig.Rule("sales.order", "orders").withLegacyTopic("old.{context}"),
                        new RoutesConfig.Rule("sales.order.v2", "orders-{version}"),
                        new RoutesConfig.Rule("sales.*", "{name}.x"),
                        new RoutesConfig.Rule("stock.*", "stock")));
        SubscribedTopics name = topics(routes, "sales.order");
        assertThat(List.of("orders", "old.sales", "orders-2", "sales.order.x", "shop.events.sales"))
                .allMatch(name::has);
        assertThat(List.of("stock", "orders-3", "ordersx", "sales.refund.x", "shop.events.stock", "xshop.events.sales"))
                .noneMatch(name::has);
        SubscribedTopics prefix = topics(routes, "sales.*");
        assertThat(List.of("orders", "sales.refund.x", "shop.events.sales")).allMatch(prefix::has);
        assertThat(prefix.has("stock")).isFalse();
        SubscribedTopics all = topics(routes, "*");
        assertThat(List.of("stock", "orders", "shop.events.anything")).allMatch(all::has);
        assertThat(List.of("shop.events.retry", "shop.events.dlq", "shop.raw.events", "shop.billing.redelivery"))
                .noneMatch(all::has);
        SubscribedTopics none = topics(new RoutesConfig(RoutesConfig.Default.NONE, List.of()), "sales.*");
        assertThat(none.has("shop.events.sales")).isFalse();
    }

    private static SubscribedTopics topics(RoutesConfig routes, String events) {
        return SubscribedTopics.of(List.of(events), routes, new Topics(new Namespace("shop")), List.of("billing"));
    }
}
