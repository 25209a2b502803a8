package io.tailrace.client;

import io.tailrace.contract.name.RowName;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Something to be done later, with the identity of whoever scheduled it: {@code Command.of("mail.send").json("{\"to\": 7}")}.
 * Immutable. Its text form shows neither payload nor headers.
 */
public final class Command extends Row<Command> {

    /** Under one dedup key at most one command is pending. */
    record Dedup(String key, OnDuplicate onDuplicate) {}

    private final RowName name;
    private final @Nullable Dedup dedup;
    private final OptionalInt maxAttempts;

    private Command(RowName name, @Nullable Dedup dedup, OptionalInt maxAttempts, Content content) {
        super(content);
        this.name = name;
        this.dedup = dedup;
        this.maxAttempts = maxAttempts;
    }

    /**
     * A command of that name, without key and payload.
     *
     * @param name {@code segment(.segment)*}, at most 200 characters, optionally ending in {@code .vN}
     */
    public static Command of(String name) {
        return new Command(
                Text.name("command_name", name, RowName.command(name)), null, OptionalInt.empty(), Content.EMPTY);
    }

    /**
     * At most one command is pending under this key.
     *
     * @param dedupKey at most 512 characters
     * @param onDuplicate what to do when there is one
     */
    public Command dedup(String dedupKey, OnDuplicate onDuplicate) {
        Dedup changed = new Dedup(Text.required("dedup_key", dedupKey, Content.MAX_KEY), onDuplicate);
        return new Command(name, changed, maxAttempts, content());
    }

    /** How often it is tried before it dies, in place of the retry policy's number; at least 1. */
    public Command maxAttempts(int attempts) {
        if (attempts < 1) {
            throw new IllegalArgumentException("max_attempts is " + attempts + ", at least 1 is allowed");
        }
        return new Command(name, dedup, OptionalInt.of(attempts), content());
    }

    RowName name() {
        return name;
    }

    @Nullable
    Dedup dedup() {
        return dedup;
    }

    OptionalInt maxAttempts() {
        return maxAttempts;
    }

    @Override
    Command with(Content changed) {
        return new Command(name, dedup, maxAttempts, changed);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Command command
                && name.equals(command.name)
                && Objects.equals(dedup, command.dedup)
                && maxAttempts.equals(command.maxAttempts)
                && content().equals(command.content());
    }

    @Override
    public int hashCode() {
        return name.hashCode() * 31 + content().hashCode();
    }

    @Override
    public String toString() {
        return "Command[" + name.text() + ", key=" + content().key() + "]";
    }
}
