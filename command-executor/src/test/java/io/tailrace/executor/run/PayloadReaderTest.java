package io.tailrace.executor.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tailrace.contract.record.Bytes;
import io.tailrace.contract.record.Origin;
import io.tailrace.executor.claim.CommandRow;
import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.handler.PayloadUnreadable;
import io.tailrace.executor.handler.Result;
import io.tailrace.executor.handler.Upcaster;
import io.tailrace.executor.handler.Versions;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PayloadReaderTest {

    private static final Upcaster TO_2 = Upcaster.of("ship", 1, PayloadReaderTest::named);
    private static final Upcaster TO_3 = Upcaster.of("ship", 2, payload -> ((ObjectNode) payload).put("express", true));

    record Line(String sku, int count) {}

    record Order(@Nullable String customer, List<Line> lines) {

        Order {
            if ("4711".equals(customer)) {
                throw new IllegalArgumentException("not 4711");
            }
        }
    }

    record Shipment(String customer, boolean express) {}

    private record Ship(Optional<Versions> versions) implements CommandHandler {
        @Override
        public Set<String> names() {
            return Set.of("ship");
        }

        @Override
        public Result handle(CommandContext command) {
            return Result.success();
        }
    }

    private static JsonNode named(JsonNode payload) {
        ObjectNode order = (ObjectNode) payload;
        return order.set("customer", order.remove("name"));
    }

    @Test
    void whatIsUnreadableIsNamedByFieldAndPositionAndNotByItsValue() {
        unreadable(
                "{\"customer\": \"c\", \"lines\": [{\"sku\": \"a\", \"count\": 1},\n {\"sku\": \"b\", \"count\": \"s3cret\"}]}",
                "it does not fit int in field lines[1].count at line 2, column 24 (InvalidFormatException)");
        unreadable("{\"lines\": \"s3cret\"}", "in field lines at line 1, column 11");
        unreadable("{\"customer\": \"4711\", \"lines\": []}", Order.class.getName() + " refuses it at line 1");
        unreadable("{\"customer\": s3cret}", "it is no JSON");
        unreadable("null", "the payload is null");
    }

    private static void unreadable(String payload, String problem) {
        assertThatThrownBy(() -> read(Handlers.none(), "ship", payload, new Ship(Optional.empty()), Order.class))
                .isInstanceOf(PayloadUnreadable.class)
                .hasMessageContaining(problem)
                .hasMessageNotContaining("s3cret")
                .hasMessageNotContaining("4711");
    }

    @Test
    void upcastersBringAPayloadToTheVersionOfItsHandler() throws Exception {
        Handlers upcasting = Handlers.builder().add(TO_2).add(TO_3).build();
        Ship toThree = new Ship(Optional.of(Versions.upTo(3)));
        Ship toTwo = new Ship(Optional.of(Versions.upTo(2)));
        assertThat(read(upcasting, "ship", "{\"name\":\"c\"}", toThree, Shipment.class))
                .isEqualTo(new Shipment("c", true));
        assertThat(read(upcasting, "ship.v2", "{\"customer\":\"c\"}", toThree, Shipment.class))
                .isEqualTo(new Shipment("c", true));
        assertThat(read(upcasting, "ship.v3", "{\"customer\":\"c\",\"express\":false}", toThree, Shipment.class))
                .isEqualTo(new Shipment("c", false));
        assertThat(read(upcasting, "ship", "{\"name\":\"c\"}", toTwo, Shipment.class))
                .isEqualTo(new Shipment("c", false));
        assertThat(new PayloadReader(upcasting.upcasters()).version(row("ship", "{}"), OptionalInt.empty(), toThree))
                .isEqualTo(3);
        assertThat(new PayloadReader(upcasting.upcasters()).version(row("ship", "{}"), OptionalInt.empty(), toTwo))
                .isEqualTo(2);
        assertThat(new PayloadReader(upcasting.upcasters())
                        .version(row("other.v7", "{}"), OptionalInt.empty(), toThree))
                .isEqualTo(7);
    }

    @Test
    void anUpcasterThatThrowsMakesThePayloadUnreadable() {
        Handlers upcasting = Handlers.builder().add(TO_3).build();
        assertThatThrownBy(() -> read(upcasting, "ship.v2", "\"s3cret\"", new Ship(Optional.empty()), Shipment.class))
                .isInstanceOf(PayloadUnreadable.class)
                .hasMessageContaining("version 2 of ship cannot be made a version 3")
                .hasMessageContaining("ClassCastException")
                .hasMessageNotContaining("s3cret");
    }

    private static <T> T read(Handlers handlers, String name, String payload, CommandHandler handler, Class<T> type)
            throws PayloadUnreadable {
        return new PayloadReader(handlers.upcasters()).read(row(name, payload), OptionalInt.empty(), handler, type);
    }

    private static CommandRow row(String name, String payload) {
        return new CommandRow(
                name,
                null,
                Bytes.utf8(payload),
                "application/json",
                null,
                Origin.NONE,
                new CommandRow.Progress("PENDING", 0, 0, OptionalInt.empty(), null, null, null, null, null, null),
                0);
    }
}
