package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.config.ExecutorConfig.MissingHandler;
import io.tailrace.contract.config.MissingConfig;
import io.tailrace.contract.config.SubscriptionConfig;
import io.tailrace.contract.config.SubscriptionConfig.From;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.executor.handler.EventContext;
import io.tailrace.executor.handler.EventHandler;
import io.tailrace.executor.handler.EventInterceptor;
import io.tailrace.executor.handler.EventPayloadHandler;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.handler.Result;
import io.tailrace.executor.handler.Upcaster;
import io.tailrace.executor.handler.Versions;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What stands around a handler of events, on a real database and a real broker. The test is the router. */
@RealParts
class EventPipelineTest {

    private static final String BILLING = "billing";

    record Numbered(int n) {}

    /** Needs a role, and a payload that is read and checked. */
    private record Guarded(
            ConcurrentLinkedQueue<String> seen,
            String event,
            Optional<Versions> versions,
            Set<String> roles,
            int wanted)
            implements EventPayloadHandler<Numbered> {

        @Override
        public String subscription() {
            return BILLING;
        }

        @Override
        public Set<String> events() {
            return Set.of(event);
        }

        @Override
        public Class<Numbered> payloadType() {
            return Numbered.class;
        }

        @Override
        public Optional<String> problemIn(Numbered payload) {
            seen.add("checked");
            return payload.n() == wanted ? Optional.empty() : Optional.of("n is not " + wanted);
        }

        @Override
        public Result handle(Numbered payload, EventContext event) throws Exception {
            write(event);
            seen.add("handled " + event.version() + " " + payload.n());
            return Result.success();
        }
    }

    private static void write(EventContext event) throws SQLException {
        try (PreparedStatement insert =
                event.connection().prepareStatement("INSERT INTO effect (command, attempt) VALUES (?, ?)")) {
            insert.setObject(1, event.id());
            insert.setInt(2, event.attempt());
            insert.executeUpdate();
        }
    }

    /** A shop with a subscription. */
    private static final class Billing implements AutoCloseable {

        final Shop shop;
        final String topic;
        final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();

        Billing(Stack stack) throws SQLException {
            this.shop = Shop.open(stack);
            this.topic = stack.createTopic("events.shop", 1);
        }

        CommandExecutor executor(MissingConfig missing, Handlers.Builder handlers) {
            TailraceConfig config = shop.config.subscribing(List.of(
                    new SubscriptionConfig(BILLING, List.of("shop.*"), From.EARLIEST, 4, Configs.QUICK).with(missing)));
            CommandExecutor executor = shop.executor(config, new SimpleMeterRegistry(), handlers.build());
            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> executor.health().isReady());
            return executor;
        }

        UUID comes(String name, Map<HeaderName, String> more) {
            UUID id = UUID.randomUUID();
            shop.routed(topic, id, name, null, more);
            return id;
        }

        EventHandler handler(String event) {
            return new Guarded(seen, event, Optional.empty(), Set.of(), 1);
        }

        String row(UUID id) throws SQLException {
            return text(
                    "SELECT status || ' turn=' || turn || ' attempts=' || attempts || ' hold=' || coalesce(hold, '') || ' reason='"
                            + " || coalesce(reason, '') FROM tailrace.delivery WHERE event_id = '" + id + "'");
        }

        void await(UUID id, String row) {
            shop.awaitUntil(() -> row(id).startsWith(row));
        }

        String text(String sql) throws SQLException {
            try (Connection connection = shop.stack.connect();
                    PreparedStatement select = connection.prepareStatement(sql);
                    ResultSet rows = select.executeQuery()) {
                return rows.next() ? String.valueOf(rows.getString(1)) : "none";
            }
        }

        /** As its lane does when it has heard that the event is to run. */
        void release(UUID id, String name) throws SQLException {
            String turn = text("SELECT turn FROM tailrace.delivery WHERE hold IS NULL AND event_id = '" + id + "'");
            Map<HeaderName, String> released = Map.of(
                    HeaderName.KIND, "redelivery",
                    HeaderName.PLACE, "1:0",
                    HeaderName.TURN, turn,
                    HeaderName.PAYLOAD, "inline");
            shop.routed(shop.config.topicNames().redelivery(BILLING), id, name, null, released);
        }

        @Override
        public void close() throws Exception {
            shop.close();
        }
    }

    @Test
    void whatStandsFurtherOutAnswersFirst(Stack stack) throws Exception {
        try (Billing billing = new Billing(stack)) {
            EventInterceptor own = (event, next) -> {
                billing.seen.add("own of " + event.subscription() + " " + event.name());
                write(event);
                Result result = next.proceed();
                return event.name().equals("shop.vetoed") ? Result.rejected("vetoed") : result;
            };
            billing.executor(
                    MissingConfig.DEFAULT,
                    Handlers.builder()
                            .add(new Guarded(
                                    billing.seen, "shop.forbidden", Optional.empty(), Set.of("owner", "auditor"), 7))
                            .add(new Guarded(billing.seen, "shop.refused", Optional.empty(), Set.of("admin"), 7))
                            .add(new Guarded(billing.seen, "shop.*", Optional.empty(), Set.of("admin", "owner"), 1))
                            .add(own));
            Map<HeaderName, String> byAdmin = Map.of(HeaderName.CE_USERROLES, "clerk,admin");
            // Its payload would be refused as well: the role comes first.
            UUID forbidden = billing.comes("shop.forbidden", byAdmin);
            billing.await(forbidden, "DEAD turn=1 attempts=1 hold= reason=rejected");
            assertThat(billing.text("SELECT last_error FROM tailrace.delivery WHERE event_id = '" + forbidden + "'"))
                    .contains("it needs one of the roles auditor, owner, and whoever published it has none of them");
            assertThat(billing.seen).isEmpty();

            UUID refused = billing.comes("shop.refused", byAdmin);
            billing.await(refused, "DEAD turn=1 attempts=1 hold= reason=rejected");
            assertThat(billing.seen).containsExactly("checked");
            billing.seen.clear();

            UUID allowed = billing.comes("shop.allowed", byAdmin);
            billing.await(allowed, "COMPLETED");
            assertThat(billing.seen).containsExactly("checked", "own of billing shop.allowed", "handled 1 1");
            assertThat(billing.shop.effects(allowed)).as("of the own one too").isEqualTo(2);

            UUID vetoed = billing.comes("shop.vetoed", byAdmin);
            billing.await(vetoed, "DEAD");
            assertThat(billing.shop.effects(refused) + billing.shop.effects(forbidden) + billing.shop.effects(vetoed))
                    .as("taken back with what stands within")
                    .isZero();
        }
    }

    @Test
    void aRangeOfVersionsIsUpcastToTheOneOfTheType(Stack stack) throws Exception {
        try (Billing billing = new Billing(stack)) {
            billing.executor(
                    MissingConfig.DEFAULT,
                    Handlers.builder()
                            .add(new Guarded(billing.seen, "shop.shipped", Optional.of(Versions.upTo(2)), Set.of(), 41))
                            .add(new Guarded(billing.seen, "shop.*", Optional.empty(), Set.of(), 1))
                            .add(Upcaster.ofEvent(
                                    "shop.shipped",
                                    1,
                                    payload -> ((ObjectNode) payload)
                                            .put("n", payload.get("n").intValue() + 40)))
                            // Of a command that is called like the event.
                            .add(Upcaster.of("shop.shipped", 1, payload -> {
                                throw new IllegalStateException("not of the event");
                            })));
            UUID first = billing.comes("shop.shipped", Map.of());
            billing.await(first, "COMPLETED");
            UUID second = billing.comes("shop.shipped", Map.of(HeaderName.CE_EVENTVERSION, "2"));
            billing.await(second, "DEAD turn=1 attempts=1 hold= reason=rejected");
            UUID third = billing.comes("shop.shipped", Map.of(HeaderName.CE_EVENTVERSION, "3"));
            billing.await(third, "COMPLETED");
            assertThat(billing.seen)
                    .as("the second one is of the version that is wanted, and what it has is not upcast")
                    .containsExactly("checked", "handled 2 41", "checked", "checked", "handled 3 1");
        }
    }

    @Test
    void anUnreadablePayloadIsDeadAtOnceAndItsValueIsNowhere(Stack stack) throws Exception {
        record Named(String n, int missing) {
            Named {
                if (missing == 0) {
                    throw new IllegalArgumentException("its n is " + n);
                }
            }
        }
        try (Billing billing = new Billing(stack)) {
            billing.executor(
                    MissingConfig.DEFAULT,
                    Handlers.builder()
                            .add(EventHandler.of(
                                    BILLING, "shop.named", Named.class, (payload, event) -> Result.success())));
            UUID id = billing.comes("shop.named", Map.of());
            billing.await(id, "DEAD turn=1 attempts=1 hold= reason=payload-unreadable");
            assertThat(billing.text("SELECT last_error FROM tailrace.delivery WHERE event_id = '" + id + "'"))
                    .contains(Named.class.getName() + " refuses it")
                    .doesNotContain("its n is");
        }
    }

    @Test
    void aSubscriptionThatIsPausedWholeWaitsThroughRestartsAndIsWoken(Stack stack) throws Exception {
        try (Billing billing = new Billing(stack)) {
            stack.execute("SELECT tailrace.pause_events('billing')", "SELECT tailrace.pause_commands('shop.other')");
            CommandExecutor first =
                    billing.executor(MissingConfig.DEFAULT, Handlers.builder().add(billing.handler("*")));
            UUID id = billing.comes("shop.paid", Map.of());
            billing.await(id, "PENDING turn=1 attempts=0 hold=shop.paid");
            first.close();
            billing.executor(MissingConfig.DEFAULT, Handlers.builder().add(billing.handler("*")));
            UUID later = billing.comes("shop.other", Map.of());
            billing.await(later, "PENDING turn=1 attempts=0 hold=shop.other");
            assertThat(billing.seen).isEmpty();

            stack.execute("SELECT tailrace.resume_events('billing')");
            billing.await(id, "PENDING turn=2 attempts=0 hold= ");
            // That commands of this name are paused is nothing to events.
            billing.await(later, "PENDING turn=2 attempts=0 hold= ");
            billing.release(id, "shop.paid");
            billing.release(later, "shop.other");
            billing.await(id, "COMPLETED turn=2 attempts=0");
            billing.await(later, "COMPLETED turn=2 attempts=0");
            assertThat(billing.shop.count("SELECT count(*) FROM tailrace.pause WHERE subscription = 'commands'"))
                    .isEqualTo(1);
        }
    }

    @Test
    void whatHasNoHandlerOrIsSwitchedOffWaitsForAnExecutorThatHandlesIt(Stack stack) throws Exception {
        try (Billing billing = new Billing(stack)) {
            CommandExecutor old = billing.executor(
                    new MissingConfig(MissingHandler.WAIT, Map.of("shop.closed", "the port is closed")),
                    Handlers.builder().add(billing.handler("shop.closed")));
            UUID missing = billing.comes("shop.new", Map.of());
            UUID off = billing.comes("shop.closed", Map.of());
            billing.await(missing, "PENDING turn=1 attempts=0 hold=shop.new");
            billing.await(off, "PENDING turn=1 attempts=0 hold=shop.closed");
            assertThat(billing.text("SELECT last_error FROM tailrace.delivery WHERE event_id = '" + off + "'"))
                    .contains("shop.closed is switched off: the port is closed");
            old.close();

            billing.executor(MissingConfig.DEFAULT, Handlers.builder().add(billing.handler("shop.*")));
            billing.await(missing, "PENDING turn=2 attempts=0 hold= ");
            billing.await(off, "PENDING turn=2 attempts=0 hold= ");
            billing.release(missing, "shop.new");
            billing.release(off, "shop.closed");
            billing.await(missing, "COMPLETED turn=2 attempts=0");
            billing.await(off, "COMPLETED turn=2 attempts=0");
            assertThat(billing.shop.count("SELECT count(*) FROM tailrace.pause"))
                    .isZero();
        }
    }
}
