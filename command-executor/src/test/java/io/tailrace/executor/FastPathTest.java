package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.client.Event;
import io.tailrace.client.TailraceClient;
import io.tailrace.contract.config.SubscriptionConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.executor.FastPath.Dispatched;
import io.tailrace.executor.FastPath.Outcome;
import io.tailrace.executor.handler.EventContext;
import io.tailrace.executor.handler.EventHandler;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.handler.Result;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.MDC;

/** The two ways of an event to its handler, in both orders and at the same time. The test is the router. */
@RealParts
class FastPathTest {

    private static final String BILLING = "billing";

    /** Writes its effect, and then waits, fails or succeeds as the test wants it for this event. */
    private static final class Billing implements EventHandler {

        final Map<UUID, CountDownLatch> entered = new ConcurrentHashMap<>();
        final Map<UUID, CountDownLatch> leaves = new ConcurrentHashMap<>();
        final Set<UUID> failing = ConcurrentHashMap.newKeySet();
        volatile Map<String, String> logged = Map.of();

        @Override
        public String subscription() {
            return BILLING;
        }

        @Override
        public Set<String> events() {
            return Set.of("shop.*");
        }

        @Override
        public Result handle(EventContext event) throws Exception {
            logged = MDC.getCopyOfContextMap();
            try (PreparedStatement insert = event.connection()
                    .prepareStatement("INSERT INTO effect (command, attempt, note) VALUES (?, ?, ?)")) {
                insert.setObject(1, event.id());
                insert.setInt(2, event.attempt());
                insert.setString(
                        3,
                        event.origin().userId() + " "
                                + event.payload().orElseThrow().utf8());
                insert.executeUpdate();
            }
            event.commands().schedule(event.connection(), io.tailrace.client.Command.of("caused-" + event.id()));
            CountDownLatch here = entered.get(event.id());
            if (here != null) {
                here.countDown();
                Objects.requireNonNull(leaves.get(event.id())).await(1, TimeUnit.MINUTES);
            }
            return failing.contains(event.id()) ? Result.failure("it is told to") : Result.success();
        }
    }

    /** A shop with a subscription, an executor of it, and the fast path of an application. */
    private static final class Two implements AutoCloseable {

        final Billing billing = new Billing();
        final SimpleMeterRegistry meters = new SimpleMeterRegistry();
        final SimpleMeterRegistry own = new SimpleMeterRegistry();
        final PGSimpleDataSource database = new PGSimpleDataSource();
        final Shop shop;
        final String topic;
        final FastPath fast;

        Two(Stack stack) throws SQLException {
            this.shop = Shop.open(stack, Configs.withTimeout(Duration.ofMinutes(1)));
            this.topic = stack.createTopic("events.shop", 1);
            database.setUrl(stack.jdbcUrl());
            TailraceConfig config = shop.config.subscribing(List.of(
                    new SubscriptionConfig(BILLING, List.of("shop.*")), new SubscriptionConfig("other", List.of("*"))));
            Handlers handlers = Handlers.builder().add(billing).build();
            this.fast = new FastPath(config, BILLING, handlers, own, Clock.systemUTC());
            CommandExecutor executor = shop.executor(config, meters, handlers);
            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> executor.health().isReady());
        }

        UUID publish(@Nullable String key) throws SQLException {
            try (Connection connection = database.getConnection()) {
                connection.setAutoCommit(false);
                UUID id = publish(connection, key);
                connection.commit();
                return id;
            }
        }

        UUID publish(Connection connection, @Nullable String key) throws SQLException {
            Event event = Event.of("shop.ordered").json("{\"n\": 1}");
            return TailraceClient.builder()
                    .origin(() -> new io.tailrace.contract.record.Origin(null, "u7", null, null, null, null))
                    .build()
                    .outbox()
                    .publish(connection, key == null ? event : event.key(key));
        }

        Dispatched dispatch(UUID id) {
            return fast.dispatch(database, List.of(id)).get(0);
        }

        void comes(UUID id) {
            shop.routed(topic, id, "shop.ordered", null, Map.of());
        }

        void awaitOutcome(String outcome, int times) {
            shop.awaitMeter(meters, "tailrace.executor.processed", "outcome", outcome, times);
        }

        /** Whoever handles this event waits in its handler from now on. */
        void hold(UUID id) {
            billing.leaves.put(id, new CountDownLatch(1));
            billing.entered.put(id, new CountDownLatch(1));
        }

        void awaitEntered(UUID id) throws InterruptedException {
            assertThat(Objects.requireNonNull(billing.entered.get(id)).await(1, TimeUnit.MINUTES))
                    .isTrue();
        }

        void release(UUID id) {
            Objects.requireNonNull(billing.leaves.get(id)).countDown();
        }

        String text(String sql) throws SQLException {
            try (Connection connection = database.getConnection();
                    PreparedStatement select = connection.prepareStatement(sql);
                    ResultSet row = select.executeQuery()) {
                row.next();
                return String.valueOf(row.getString(1));
            }
        }

        String row(UUID id) throws SQLException {
            return text("SELECT coalesce(max(status || ' turn=' || turn || ' attempts=' || attempts), 'none')"
                    + " FROM tailrace.delivery WHERE event_id = '" + id + "'");
        }

        @Override
        public void close() throws Exception {
            fast.close();
            shop.close();
        }
    }

    @Test
    void whicheverComesSecondDoesNothing(Stack stack) throws Exception {
        try (Two two = new Two(stack)) {
            UUID fastFirst = two.publish(null);
            assertThat(two.dispatch(fastFirst).outcome()).isEqualTo(Outcome.HANDLED);
            assertThat(two.row(fastFirst)).isEqualTo("COMPLETED turn=0 attempts=0");
            two.comes(fastFirst);
            two.awaitOutcome("settled", 1);
            assertThat(two.dispatch(fastFirst).outcome()).isEqualTo(Outcome.DUPLICATE);

            UUID slowFirst = two.publish(null);
            two.comes(slowFirst);
            two.awaitOutcome("completed", 1);
            assertThat(two.dispatch(slowFirst).outcome()).isEqualTo(Outcome.DUPLICATE);

            for (UUID id : List.of(fastFirst, slowFirst)) {
                assertThat(two.shop.effects(id)).isEqualTo(1);
                assertThat(two.shop.count("SELECT count(*) FROM tailrace.internal_command WHERE command_name = 'caused-"
                                + id + "' AND causation_id = '" + id + "'"))
                        .as("what it scheduled, once")
                        .isEqualTo(1);
            }
            assertThat(two.text("SELECT min(note) FROM effect WHERE command = '" + fastFirst + "'"))
                    .as("origin and payload of the row")
                    .isEqualTo("u7 {\"n\": 1}");
            assertThat(Shop.count(two.own, "tailrace.executor.fast.path", "outcome", "handled"))
                    .isEqualTo(1);
            assertThat(Shop.count(two.own, "tailrace.executor.fast.path", "outcome", "duplicate"))
                    .isEqualTo(2);
        }
    }

    @Test
    void ofTwoAtTheSameTimeOneRuns(Stack stack) throws Exception {
        try (Two two = new Two(stack)) {
            UUID fastFirst = two.publish(null);
            two.hold(fastFirst);
            CompletableFuture<Dispatched> dispatched = CompletableFuture.supplyAsync(() -> two.dispatch(fastFirst));
            two.awaitEntered(fastFirst);
            two.comes(fastFirst);
            two.shop.awaitMeter(two.meters, "tailrace.executor.stepped.back", "why", "busy", 1);
            two.release(fastFirst);
            assertThat(dispatched.get(1, TimeUnit.MINUTES).outcome()).isEqualTo(Outcome.HANDLED);
            two.awaitOutcome("settled", 1);

            UUID slowFirst = two.publish(null);
            two.hold(slowFirst);
            two.comes(slowFirst);
            two.awaitEntered(slowFirst);
            assertThat(two.dispatch(slowFirst).outcome()).isEqualTo(Outcome.RUNNING);
            two.release(slowFirst);
            two.awaitOutcome("completed", 1);

            assertThat(two.shop.effects(fastFirst)).isEqualTo(1);
            assertThat(two.shop.effects(slowFirst)).isEqualTo(1);
        }
    }

    @Test
    void aFailureLeavesNothingAndUsesNoAttempt(Stack stack) throws Exception {
        try (Two two = new Two(stack)) {
            UUID id = two.publish(null);
            two.billing.failing.add(id);
            Dispatched failed = two.dispatch(id);
            assertThat(failed.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(failed.error()).contains("Failure: it is told to");
            assertThat(two.row(id)).isEqualTo("none");
            assertThat(two.shop.effects(id)).isZero();

            // The subscription's own failure is what counts, and from then on the event is the subscription's.
            two.comes(id);
            two.awaitOutcome("failed", 1);
            assertThat(two.row(id)).isEqualTo("PENDING turn=1 attempts=1");
            assertThat(Shop.count(two.meters, "tailrace.executor.attempts", "name", "shop.ordered"))
                    .isEqualTo(1);
            two.billing.failing.clear();
            assertThat(two.dispatch(id).outcome()).isEqualTo(Outcome.WAITING);
            assertThat(two.row(id)).isEqualTo("PENDING turn=1 attempts=1");
            assertThat(two.shop.effects(id)).isZero();

            UUID next = two.publish(null);
            two.billing.failing.add(next);
            two.dispatch(next);
            two.billing.failing.clear();
            two.comes(next);
            two.awaitOutcome("completed", 1);
            assertThat(two.text("SELECT max(attempt)::text FROM effect WHERE command = '" + next + "'"))
                    .as("the first attempt, as if nothing had been before")
                    .isEqualTo("1");
        }
    }

    @Test
    void anEventWhoseNameIsHeldIsLeftToTheSubscription(Stack stack) throws Exception {
        try (Two two = new Two(stack)) {
            UUID id = two.publish(null);
            stack.execute("SELECT tailrace.pause_events('billing', 'shop.ordered')");
            assertThat(two.dispatch(id).outcome()).isEqualTo(Outcome.WAITING);
            assertThat(two.row(id)).isEqualTo("none");
            stack.execute("SELECT tailrace.resume_events('billing', 'shop.ordered')");
            assertThat(two.dispatch(id).outcome()).isEqualTo(Outcome.HANDLED);
        }
    }

    @Test
    void whatTheCallersThreadLogsIsNotTouched(Stack stack) throws Exception {
        try (Two two = new Two(stack)) {
            UUID id = two.publish(null);
            MDC.put("request", "r-1");
            try {
                assertThat(two.dispatch(id).outcome()).isEqualTo(Outcome.HANDLED);
                assertThat(MDC.getCopyOfContextMap()).isEqualTo(Map.of("request", "r-1"));
            } finally {
                MDC.clear();
            }
            assertThat(two.billing.logged)
                    .containsEntry("rowId", id.toString())
                    .as("the handler logs nothing of its caller")
                    .doesNotContainKey("request");
        }
    }

    @Test
    void whatIsCommittedIsHandledThoughItsConnectionIsLostThen(Stack stack) throws Exception {
        try (Two two = new Two(stack)) {
            UUID id = two.publish(null);
            DataSource losing = proxy(
                    DataSource.class,
                    (proxy, method, arguments) -> lostByItsCommit(two.database.getConnection(), stack));
            assertThat(two.fast.dispatch(losing, List.of(id)))
                    .containsExactly(new Dispatched(id, Outcome.HANDLED, Optional.empty()));
            assertThat(two.shop.effects(id)).isEqualTo(1);
        }
    }

    /** The server ends its session as soon as it has committed. */
    private static Connection lostByItsCommit(Connection real, Stack stack) {
        return proxy(Connection.class, (proxy, method, arguments) -> {
            Object result;
            try {
                result = method.invoke(real, arguments);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
            if (method.getName().equals("commit")) {
                int session = real.unwrap(PGConnection.class).getBackendPID();
                stack.execute("SELECT pg_terminate_backend(" + session + ", 60000)");
            }
            return result;
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(FastPathTest.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Test
    void whatItIsNotForIsRefusedOrLeftAlone(Stack stack) throws Exception {
        try (Two two = new Two(stack)) {
            UUID keyed = two.publish("order-7");
            UUID unkeyed = two.publish(null);
            assertThatThrownBy(() -> two.fast.dispatch(two.database, List.of(unkeyed, keyed)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(keyed.toString())
                    .hasMessageContaining("ordering key")
                    .hasMessageContaining("overtake");
            assertThat(two.row(unkeyed)).as("nothing was begun").isEqualTo("none");

            try (Connection connection = two.database.getConnection()) {
                connection.setAutoCommit(false);
                UUID uncommitted = two.publish(connection, null);
                UUID others = TailraceClient.create()
                        .outbox()
                        .publish(connection, Event.of("mail.sent").json("{}"));
                assertThat(two.dispatch(uncommitted).outcome()).isEqualTo(Outcome.NOT_FOUND);
                connection.commit();
                assertThat(two.fast.dispatch(two.database, List.of(others, uncommitted, others)))
                        .extracting(Dispatched::id, Dispatched::outcome)
                        .containsExactly(
                                org.assertj.core.groups.Tuple.tuple(others, Outcome.NOT_TAKEN),
                                org.assertj.core.groups.Tuple.tuple(uncommitted, Outcome.HANDLED));
            }
            Handlers handlers = Handlers.builder().add(two.billing).build();
            TailraceConfig config = two.shop.config.subscribing(List.of(
                    new SubscriptionConfig("other", List.of("*")), new SubscriptionConfig(BILLING, List.of("*"))));
            assertThatThrownBy(() -> new FastPath(config, "biling", handlers, two.own, Clock.systemUTC()))
                    .hasMessageContaining("biling")
                    .hasMessageContaining(BILLING);
            assertThatThrownBy(() -> new FastPath(config, "other", handlers, two.own, Clock.systemUTC()))
                    .hasMessageContaining("no handler works for subscription 'other'");
        }
    }
}
