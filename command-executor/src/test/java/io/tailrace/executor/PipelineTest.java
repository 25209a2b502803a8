package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.client.Event;
import io.tailrace.client.TailraceClient;
import io.tailrace.contract.record.Origin;
import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.CommandInterceptor;
import io.tailrace.executor.handler.CommandRejected;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.handler.PayloadHandler;
import io.tailrace.executor.handler.Result;
import io.tailrace.executor.handler.RunningCommand;
import io.tailrace.executor.handler.Upcaster;
import io.tailrace.executor.handler.Versions;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** What stands around a handler, on a real database and a real broker. */
@RealParts
class PipelineTest {

    record Numbered(int n) {}

    /** Needs a role, and a payload that is read and checked. */
    private record Guarded(ConcurrentLinkedQueue<String> seen, String name, Set<String> roles, int wanted)
            implements PayloadHandler<Numbered> {

        @Override
        public Set<String> names() {
            return Set.of(name);
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
        public Result handle(Numbered payload, CommandContext command) throws Exception {
            Effects.write(command, "handled");
            seen.add("handled " + payload.n());
            return Result.success();
        }
    }

    @Test
    void whatStandsFurtherOutAnswersFirst(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
            CommandInterceptor own = (command, next) -> {
                seen.add("own");
                Effects.write(command, "own");
                return next.proceed();
            };
            start(
                    shop,
                    Handlers.builder()
                            .add(new Guarded(seen, "forbidden", Set.of("owner", "auditor"), 7))
                            .add(new Guarded(seen, "refused", Set.of("admin"), 7))
                            .add(new Guarded(seen, "allowed", Set.of("admin", "owner"), 1))
                            .add(own));
            // Its payload would be refused as well: the role comes first.
            UUID forbidden = shop.due("forbidden", null);
            assertThat(shop.answersTo(forbidden, 1).get(0))
                    .containsEntry("tailrace-kind", "dead")
                    .containsEntry("tailrace-reason", "rejected")
                    .containsEntry(
                            "tailrace-error-message",
                            "it needs one of the roles auditor, owner, and whoever scheduled it has none of them");
            assertThat(seen).isEmpty();
            UUID refused = shop.due("refused", null);
            assertThat(shop.answersTo(refused, 1).get(0))
                    .containsEntry("tailrace-reason", "rejected")
                    .containsEntry("tailrace-error-message", "n is not 7");
            assertThat(seen).containsExactly("checked");
            seen.clear();
            UUID allowed = shop.due("allowed", null);
            shop.awaitStatus(allowed, "COMPLETED");
            assertThat(seen).containsExactly("checked", "own", "handled 1");
            assertThat(shop.effects(allowed)).as("of the own one too").isEqualTo(2);
            assertThat(shop.effects(refused) + shop.effects(forbidden)).isZero();
        }
    }

    @Test
    void anOwnOneIsTakenBackWithWhatStandsWithinIt(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            CommandInterceptor writes = (command, next) -> {
                Effects.write(command, "before");
                Result result = next.proceed();
                Effects.write(command, "after");
                return command.name().equals("vetoed") ? Result.failure("vetoed") : result;
            };
            start(
                    shop,
                    Handlers.builder()
                            .add(Effects.succeeding("vetoed"))
                            .add(Effects.handler("throws", command -> {
                                throw new CommandRejected("no such order");
                            }))
                            .add(writes));
            UUID vetoed = shop.due("vetoed", null);
            UUID throwing = shop.due("throws", null);
            assertThat(shop.answersTo(vetoed, 1).get(0))
                    .containsEntry("tailrace-kind", "failed")
                    .containsEntry("tailrace-error-message", "vetoed");
            assertThat(shop.answersTo(throwing, 1).get(0))
                    .containsEntry("tailrace-kind", "dead")
                    .containsEntry("tailrace-reason", "rejected")
                    .containsEntry("tailrace-attempt", "1");
            assertThat(shop.count("SELECT count(*) FROM effect")).isZero();
        }
    }

    @Test
    void aRangeOfVersionsIsUpcastToTheOneOfTheType(Stack stack) throws Exception {
        record Shipment(int number) {}
        try (Shop shop = Shop.open(stack)) {
            ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
            CommandHandler ranged = new PayloadHandler<Shipment>() {
                @Override
                public Set<String> names() {
                    return Set.of("ship", "send");
                }

                @Override
                public Optional<Versions> versions() {
                    return Optional.of(Versions.upTo(2));
                }

                @Override
                public Class<Shipment> payloadType() {
                    return Shipment.class;
                }

                @Override
                public Result handle(Shipment payload, CommandContext command) {
                    seen.add(command.name() + " " + command.version() + " " + payload.number());
                    return Result.success();
                }
            };
            start(shop, Handlers.builder().add(ranged).add(Upcaster.of("ship", 1, payload -> {
                ObjectNode order = (ObjectNode) payload;
                return order.put("number", order.get("n").intValue() + 40);
            })));
            for (String name : List.of("ship", "ship.v2", "send.v1")) {
                shop.awaitStatus(shop.due(name, "k"), "COMPLETED");
            }
            assertThat(seen).containsExactly("ship 2 41", "ship.v2 2 0", "send.v1 1 0");
            assertThat(shop.awaitStatus(shop.due("ship.v3", "k"), "DEAD")).containsEntry("reason", "handler-missing");
        }
    }

    @Test
    void anUnreadablePayloadIsDeadAtOnceAndItsValueIsNowhere(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            start(
                    shop,
                    Handlers.builder()
                            .add(CommandHandler.of("ship", Numbered.class, (payload, command) -> Result.success())));
            UUID id = shop.insert("ship", null);
            stack.execute(
                    "UPDATE tailrace.internal_command SET payload = '{\"n\": \"s3cret\"}' WHERE id = '" + id + "'");
            shop.due(id, "ship", null, 0);
            Map<String, @Nullable String> dead = shop.answersTo(id, 1).get(0);
            assertThat(dead)
                    .containsEntry("tailrace-kind", "dead")
                    .containsEntry("tailrace-reason", "payload-unreadable")
                    .containsEntry("tailrace-attempt", "1");
            assertThat(dead.get("tailrace-error-message")).contains("in field n at line 1, column 7");
            assertThat(dead.toString() + shop.row(id).get("last_error")).doesNotContain("s3cret");
        }
    }

    /** One worker, one thread, one connection as a rule: what stays behind of one row would be seen by the next. */
    @Test
    void oneRowsIdentityNeverAnswersForTheNext(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack, Configs.executor(1))) {
            ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
            // A client of the application's own, made once.
            TailraceClient own = TailraceClient.builder()
                    .origin(RunningCommand.originOr(() -> Origin.NONE))
                    .build();
            shop.executor(Effects.handler("act", command -> {
                seen.add(String.join(
                        " ",
                        String.valueOf(command.origin().userId()),
                        String.valueOf(MDC.get("user")),
                        String.valueOf(MDC.get("mine")),
                        RunningCommand.current().orElseThrow().id().toString(),
                        session(command.connection())));
                MDC.put("mine", String.valueOf(command.origin().userId()));
                try (Statement local = command.connection().createStatement()) {
                    local.execute("SET LOCAL app.actor = '" + command.origin().userId() + "'");
                }
                own.outbox()
                        .publish(command.connection(), Event.of("sales.acted").json("{}"));
                command.outbox()
                        .publish(command.connection(), Event.of("sales.acted").json("{}"));
                if ("mallory".equals(command.origin().userId())) {
                    throw new IllegalStateException("fails with its identity in place");
                }
                return Result.success();
            }));
            List<UUID> ids = new ArrayList<>();
            List<@Nullable String> users = new ArrayList<>();
            for (String user : List.of("alice", "mallory", "bob", "carol")) {
                ids.add(insert(shop, user));
                users.add(user);
            }
            // And one on behalf of nobody.
            ids.add(insert(shop, null));
            for (UUID id : ids) {
                shop.due(id, "act", null, 0);
            }
            for (int i = 0; i < ids.size(); i++) {
                if (i != 1) {
                    shop.awaitStatus(ids.get(i), "COMPLETED");
                }
            }
            shop.answersTo(ids.get(1), 1);
            List<String> wanted = new ArrayList<>();
            for (int i = 0; i < ids.size(); i++) {
                wanted.add("%s %s null %s unset"
                        .formatted(
                                users.size() > i ? users.get(i) : "null",
                                users.size() > i ? users.get(i) : "null",
                                ids.get(i)));
            }
            assertThat(seen).containsExactlyInAnyOrderElementsOf(wanted);
            assertThat(shop.count("SELECT count(*) FROM tailrace.outbox WHERE user_id = 'mallory'"))
                    .isZero();
            for (String user : List.of("alice", "bob", "carol")) {
                assertThat(shop.count("SELECT count(*) FROM tailrace.outbox WHERE user_id = '" + user + "'"))
                        .as("both clients wrote for " + user)
                        .isEqualTo(2);
            }
            assertThat(shop.count("SELECT count(*) FROM tailrace.outbox WHERE user_id IS NULL"))
                    .isEqualTo(2);
            assertThat(shop.count("SELECT count(*) FROM tailrace.outbox e JOIN tailrace.internal_command c"
                            + " ON e.causation_id = c.id::text AND e.user_id IS NOT DISTINCT FROM c.user_id"))
                    .as("each by the command that wrote it")
                    .isEqualTo(8);
        }
    }

    @Test
    void aSettingThatWouldOutlastItsRowIsRefused(Stack stack) throws Exception {
        try (Shop shop = Shop.open(stack)) {
            shop.executor(Effects.handler("sets", command -> {
                try (Statement statement = command.connection().createStatement()) {
                    statement.execute("SET app.actor = 'u7'");
                }
                return Result.success();
            }));
            UUID id = shop.due("sets", null);
            assertThat(shop.answersTo(id, 1).get(0).get("tailrace-error-message"))
                    .contains("use SET LOCAL");
        }
    }

    private static String session(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT coalesce(nullif(current_setting('app.actor', true), ''), 'unset')")) {
            row.next();
            return row.getString(1);
        }
    }

    private static UUID insert(Shop shop, @Nullable String user) throws SQLException {
        try (Connection connection = shop.stack.connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO tailrace.internal_command (command_name, payload, user_id) VALUES ('act', '{}', ?) RETURNING id")) {
            insert.setString(1, user);
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return row.getObject(1, UUID.class);
            }
        }
    }

    private static void start(Shop shop, Handlers.Builder handlers) {
        shop.executor(shop.config, new SimpleMeterRegistry(), handlers.build());
    }
}
