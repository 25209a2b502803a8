package io.tailrace.router.topology;

import static io.tailrace.contract.config.RoutesConfig.Default.CONTEXT;
import static io.tailrace.contract.config.RoutesConfig.Default.NONE;
import static io.tailrace.contract.header.HeaderName.CE_PARTITIONKEY;
import static io.tailrace.contract.header.HeaderName.CE_TENANTID;
import static io.tailrace.contract.header.HeaderName.DESTINATION;
import static io.tailrace.contract.header.HeaderName.REASON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.config.RoutesConfig;
import io.tailrace.contract.config.RoutesConfig.Rule;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Kind;
import io.tailrace.contract.retry.RetryPolicy;
import io.tailrace.contract.route.PartitionKey;
import io.tailrace.router.decide.Destination;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Routes at work: two topics at once, other keys, own waits, and an exchange under way. */
class RouteBehaviourTest {

    private static final Rule MOVING = new Rule("sales.*", "new.{context}").withLegacyTopic("old.{name}.{version}");

    @Test
    void duringATransitionAnEventIsInBothTopicsAndOnceOnTheAuditFeed() {
        try (Rig rig = new Rig(CONTEXT, MOVING)) {
            rig.event("a", "sales.order.v2", "k");

            List<Rig.Out> canonical = rig.read("new.sales");
            assertThat(canonical).hasSize(1);
            assertThat(rig.read("old.sales.order.2")).isEqualTo(canonical);
            assertThat(rig.read("shop.audit-feed"))
                    .singleElement()
                    .satisfies(copy -> assertThat(copy.text(DESTINATION)).isEqualTo("new.sales,old.sales.order.2"));
        }
    }

    @Test
    void whileOneOfTheTwoIsDownTheOtherGetsNothingEither() {
        try (Rig rig = new Rig(CONTEXT, MOVING)) {
            rig.destinations.put("old.sales.order.1", Destination.down(Destination.State.MISSING, "gone"));
            rig.event("a", "sales.order", "k");
            rig.event("b", "sales.order", "k");
            assertThat(rig.ids("new.sales")).isEmpty();

            rig.destinations.clear();
            rig.pass(Duration.ofSeconds(12));
            assertThat(rig.ids("new.sales")).containsExactly("a", "b");
            assertThat(rig.ids("old.sales.order.1")).containsExactly("a", "b");
            assertThat(rig.ids("shop.events.dlq")).isEmpty();
        }
    }

    @Test
    void whatIsTooLargeForOneOfTheTwoGoesToNeither() {
        try (Rig rig = new Rig(CONTEXT, MOVING)) {
            rig.destinations.put("old.sales.order.1", Destination.writable(10));
            rig.event("a", "sales.order", "k");
            assertThat(rig.ids("new.sales")).isEmpty();
            assertThat(rig.read("shop.events.dlq"))
                    .singleElement()
                    .satisfies(letter -> assertThat(letter.text(REASON)).isEqualTo("too-large"));
        }
    }

    @Test
    void anotherKeyAtTheDestinationAndNowhereElse() {
        Rule byTenant = new Rule("sales.*", "to").with(PartitionKey.parse("tenant-id"));
        Rule byHeader = new Rule("stock.*", "to").with(PartitionKey.parse("header:region"));
        Rule byRow = new Rule("bulk.*", "to").with(PartitionKey.parse("row-id"));
        try (Rig rig = new Rig(CONTEXT, byTenant, byHeader, byRow)) {
            rig.pipe("shop.raw.events", with("a", "sales.order"), "k", "p");
            rig.pipe("shop.raw.events", with("b", "stock.counted"), "k", "p");
            rig.pipe("shop.raw.events", with("c", "bulk.loaded"), "k", "p");
            rig.event("d", "sales.order", "k");

            List<Rig.Out> out = rig.read("to");
            assertThat(out).extracting(Rig.Out::key).containsExactly("acme", "eu", "c", "k");
            assertThat(out).extracting(each -> each.text(CE_PARTITIONKEY)).containsOnly("k");
            assertThat(rig.read("shop.audit-feed"))
                    .as("the feed stays in the order of the ordering keys, and shows no other")
                    .extracting(Rig.Out::key)
                    .containsOnly("k");
        }
    }

    @Test
    void aRuleHasWaitsOfItsOwn() {
        RetryPolicy quick = new RetryPolicy(Duration.ofSeconds(1), Duration.ofSeconds(1), 5);
        try (Rig rig = new Rig(CONTEXT, new Rule("sales.*", "sales").with(quick))) {
            rig.destinations.put("sales", Destination.down(Destination.State.MISSING, "gone"));
            rig.destinations.put("shop.events.stock", Destination.down(Destination.State.MISSING, "gone"));
            rig.event("a", "sales.order", "k");
            rig.event("b", "stock.counted", "j");
            rig.destinations.clear();
            rig.pass(Duration.ofMillis(1_200));
            assertThat(rig.ids("sales")).containsExactly("a");
            assertThat(rig.ids("shop.events.stock")).isEmpty();
            rig.pass(Duration.ofMillis(11_000));
            assertThat(rig.ids("shop.events.stock")).containsExactly("b");
        }
    }

    @Test
    void rowsThatWaitFollowTheRoutesOfTheDayOnWhichTheyGo() {
        try (Rig rig = new Rig(NONE, new Rule("sales.*", "yesterday"))) {
            rig.destinations.put("yesterday", Destination.down(Destination.State.MISSING, "gone"));
            rig.event("a", "sales.order", "k");
            rig.event("b", "sales.order", "k");
            rig.event("unkeyed", "sales.order", null);
            rig.event("lost", "stock.counted", "j");

            rig.reroute(new RoutesConfig(NONE, List.of(new Rule("*", "today"))));
            rig.event("c", "sales.order", "k");
            rig.event("other", "sales.order", "i");
            assertThat(rig.ids("today")).as("a key that waits is not overtaken").containsExactly("other");
            rig.pass(Duration.ofSeconds(12));

            assertThat(rig.ids("today"))
                    .containsSubsequence("a", "b", "c")
                    .contains("unkeyed", "lost")
                    .hasSize(5);
            assertThat(rig.ids("yesterday")).isEmpty();
            assertThat(rig.ids("shop.events.dlq")).isEmpty();
        }
    }

    @Test
    void whereItsRuleAllowsOneAttemptAnEventThatCanGoNowhereIsNotTriedAgain() {
        RetryPolicy once = new RetryPolicy(Duration.ofSeconds(1), Duration.ofSeconds(2), 1);
        Rule impatient = new Rule("shop.*", "{name}").with(once);
        Rule patient = new Rule("shop.raw.*", "{name}").with(new RetryPolicy(once.base(), once.cap(), 9));
        try (Rig rig = new Rig(NONE, impatient, patient)) {
            rig.event("once", "shop.commands", "i");
            rig.event("twice", "shop.raw.events", "k");
            rig.event("twice-by-default", "stock.counted", "j");
            assertThat(rig.ids("shop.events.dlq")).containsExactly("once");
            rig.pass(Duration.ofMillis(1_200));
            assertThat(rig.ids("shop.events.dlq")).as("its rule's wait too").containsExactly("twice");
            rig.pass(Duration.ofSeconds(12));
            assertThat(rig.ids("shop.events.dlq")).containsExactly("twice-by-default");
        }
    }

    private static Headers with(String id, String name) {
        return Rig.raw(id, name, "k", Kind.EVENT).toBuilder()
                .put(CE_TENANTID, "acme")
                .add("region", Bytes.utf8("eu"))
                .build();
    }
}
