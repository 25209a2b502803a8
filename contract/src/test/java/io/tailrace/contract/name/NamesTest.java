package io.tailrace.contract.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "order",
                "a..b",
                ".a.b",
                "a.b.",
                "a.b c",
                "a.b/c",
                "a.$1",
                "a.🚀",
                "a.1b",
                "..",
                "dlq.cleared",
                "retry.requested",
                "raw.x",
                "tailrace.x",
                "audit.x",
                "redelivery.x",
                "order.v2",
                "a.ö"
            })
    void notAnEventName(String text) {
        assertThat(RowName.event(text).name()).isEmpty();
        assertThat(RowName.event(text).<String>match(name -> "valid", problem -> problem))
                .isNotEqualTo("valid");
    }

    @Test
    void aNameHasAtMost200Characters() {
        assertThat(RowName.event("a." + "b".repeat(198)).name()).isPresent();
        assertThat(RowName.event("a." + "b".repeat(199)).name()).isEmpty();
    }

    @Test
    void aCommandMayHaveOneSegment() {
        assertThat(RowName.command("sendInvoice").name()).isPresent();
        assertThat(RowName.command("send-invoice.v3").name())
                .map(RowName::suffixVersion)
                .contains(OptionalInt.of(3));
        assertThat(RowName.command("v3").name()).map(RowName::suffixVersion).contains(OptionalInt.empty());
    }

    @ParameterizedTest
    @CsvSource({
        "sales.order-placed,   ,  1",
        "sales.order-placed,   3, 3",
        "sales.order-placed.v2, , 2",
        "sales.order-placed.v2,2, 2",
        "sales.order-placed.v2,3, ",
        "sales.order-placed.v2147483647, , 2147483647",
        "sales.order-placed,   0, ",
        "sales.order-placed,  -1, ",
        "sales.order-placed.v0, , ",
    })
    void onlyAStatedVersionThatDiffersIsAMismatch(String text, Integer stated, Integer version) {
        OptionalInt said = stated == null ? OptionalInt.empty() : OptionalInt.of(stated);
        RowName name = RowName.event(text).name().orElseThrow();
        if (text.endsWith(".v0")) {
            assertThat(name.segments()).as("v0 is no version but a segment").endsWith("v0");
        } else {
            assertThat(name.version(said)).isEqualTo(version == null ? OptionalInt.empty() : OptionalInt.of(version));
        }
    }

    @Test
    void topicsOfANamespace() {
        Topics topics = new Topics(new Namespace("shop"));
        assertThat(List.of(
                        topics.rawEvents(),
                        topics.rawCommands(),
                        topics.commands(),
                        topics.retry("events"),
                        topics.retry("billing"),
                        topics.redelivery("commands"),
                        topics.deadLetters("events"),
                        topics.auditFeed(),
                        topics.operations(),
                        topics.positions(),
                        topics.defaultDestination("sales")))
                .containsExactly(
                        "shop.raw.events",
                        "shop.raw.commands",
                        "shop.commands",
                        "shop.events.retry",
                        "shop.billing.retry",
                        "shop.commands.redelivery",
                        "shop.events.dlq",
                        "shop.audit-feed",
                        "shop.operations",
                        "shop.positions",
                        "shop.events.sales");
        assertThat(topics.isReserved("shop.billing.dlq", List.of("billing"))).isTrue();
        assertThat(topics.isReserved("shop.billing.dlq", List.of())).isFalse();
        assertThat(topics.isReserved("shop.events.redelivery", List.of())).isTrue();
        assertThat(topics.isReserved("shop.events.sales", List.of())).isFalse();
        assertThatThrownBy(() -> topics.redelivery("events")).hasMessageContaining("no redelivery topic");
    }

    @Test
    void slotsAreLegalAndDifferWhereTheirDatabasesDo() {
        Namespace shop = new Namespace("shop");
        assertThat(shop.slot("orders")).isEqualTo("tailrace_shop_orders");
        assertThat(List.of(
                        shop.slot("Orders"),
                        shop.slot("orders-1"),
                        shop.slot("日本"),
                        shop.slot("x".repeat(80)),
                        new Namespace("a-b").slot("c")))
                .allMatch(slot -> slot.matches("[a-z0-9_]{1,63}"))
                .doesNotHaveDuplicates();
        assertThat(shop.slot("a-b")).isNotEqualTo(shop.slot("a_b"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Shop", "my.shop", "1shop", "shöp", "a b"})
    void notANamespace(String text) {
        assertThatThrownBy(() -> new Namespace(text)).hasMessageContaining("namespace '" + text + "'");
    }

    @Test
    void identifiersAreQuoted() {
        assertThat(new TableNames("Täil\"race", "outbox", "c").qualified("out box"))
                .isEqualTo("\"Täil\"\"race\".\"out box\"");
        assertThatThrownBy(() -> new TableNames("s", "o".repeat(64), "c")).hasMessageContaining("63 bytes");
    }
}
