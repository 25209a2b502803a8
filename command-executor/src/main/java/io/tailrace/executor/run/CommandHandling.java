package io.tailrace.executor.run;

import io.tailrace.executor.claim.Claim;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.Handlers;
import java.util.Optional;

/**
 * Commands: all of one stands in its row.
 *
 * @param handlers by name
 */
public record CommandHandling(Handlers handlers) implements Handling {

    @Override
    public Optional<CommandHandler> handlerOf(Claim claim) {
        return handlers.find(claim.theRow().name());
    }

    @Override
    public boolean knows(String name) {
        return handlers.find(name).isPresent();
    }

    @Override
    public String noun() {
        return "Command";
    }

    @Override
    public Whole whole(Claim claim) {
        return Whole.of(claim);
    }
}
