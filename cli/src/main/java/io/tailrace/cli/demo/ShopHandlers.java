package io.tailrace.cli.demo;

import io.tailrace.client.Event;
import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.handler.Result;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;

/** The shop's handlers. Each writes its effect first, so that a failure has something to take back. */
final class ShopHandlers {

    private ShopHandlers() {}

    /** What the shop's commands carry. */
    record Order(int n, int failures) {}

    static Handlers all() {
        return Handlers.of(new ChargeCard(), new SendReminder(), new BookCarrier());
    }

    private static void effect(CommandContext command, Order order) throws SQLException {
        try (PreparedStatement statement = command.connection()
                .prepareStatement("INSERT INTO shop.effects (command_id, name, customer, n) VALUES (?, ?, ?, ?)")) {
            statement.setObject(1, command.id());
            statement.setString(2, command.name());
            statement.setString(3, command.orderingKey().orElse(""));
            statement.setInt(4, order.n());
            statement.executeUpdate();
        }
    }

    private static final class ChargeCard implements CommandHandler {
        @Override
        public Set<String> names() {
            return Set.of(Story.CHARGE_CARD);
        }

        @Override
        public Result handle(CommandContext command) throws Exception {
            Order order = command.payloadAs(Order.class);
            effect(command, order);
            if (command.attempt() <= order.failures()) {
                return Result.failure("the bank does not answer");
            }
            command.outbox()
                    .publish(
                            command.connection(),
                            Event.of(Story.CARD_CHARGED)
                                    .key(command.orderingKey().orElseThrow())
                                    .json("{\"n\": " + order.n() + "}"));
            return Result.success();
        }
    }

    private static final class SendReminder implements CommandHandler {
        @Override
        public Set<String> names() {
            return Set.of(Story.SEND_REMINDER);
        }

        @Override
        public Result handle(CommandContext command) throws Exception {
            effect(command, command.payloadAs(Order.class));
            return Result.success();
        }
    }

    private static final class BookCarrier implements CommandHandler {
        @Override
        public Set<String> names() {
            return Set.of(Story.BOOK_CARRIER);
        }

        @Override
        public Result handle(CommandContext command) throws Exception {
            effect(command, command.payloadAs(Order.class));
            try (PreparedStatement statement =
                    command.connection().prepareStatement("SELECT is_on FROM shop.switches WHERE name = ?")) {
                statement.setString(1, Story.CARRIER);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() && row.getBoolean(1)
                            ? Result.success()
                            : Result.rejected("the carrier is switched off");
                }
            }
        }
    }
}
