package io.tailrace.executor;

import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.Result;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Set;

/** Handlers whose effects are counted in a table. */
final class Effects {

    private Effects() {}

    /** What a handler does after its effect is written. */
    interface Then {
        Result end(CommandContext command) throws Exception;
    }

    /** Writes one row for the command, then does what it is told. */
    static CommandHandler handler(String name, Then then) {
        return new CommandHandler() {
            @Override
            public Set<String> names() {
                return Set.of(name);
            }

            @Override
            public Result handle(CommandContext command) throws Exception {
                write(command, "");
                return then.end(command);
            }
        };
    }

    static CommandHandler succeeding(String name) {
        return handler(name, command -> Result.success());
    }

    static void write(CommandContext command, String note) throws SQLException {
        try (PreparedStatement insert = command.connection()
                .prepareStatement("INSERT INTO effect (command, key, attempt, note) VALUES (?, ?, ?, ?)")) {
            insert.setObject(1, command.id());
            insert.setString(2, command.orderingKey().orElse(null));
            insert.setInt(3, command.attempt());
            insert.setString(4, note);
            insert.executeUpdate();
        }
    }
}
