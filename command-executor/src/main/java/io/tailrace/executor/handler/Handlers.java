package io.tailrace.executor.handler;

import io.tailrace.contract.name.RowName;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;

/** Which handler answers to which command name, and which to the events of subscriptions. Immutable. */
public final class Handlers {

    private final Map<String, CommandHandler> byName;
    private final EventHandlers events;

    private Handlers(Map<String, CommandHandler> byName, EventHandlers events) {
        this.byName = Map.copyOf(byName);
        this.events = events;
    }

    /** None: every command is one without a handler. */
    public static Handlers none() {
        return builder().build();
    }

    /** These. */
    public static Handlers of(CommandHandler... handlers) {
        Builder builder = builder();
        for (CommandHandler handler : handlers) {
            builder.add(handler);
        }
        return builder.build();
    }

    /** Those that {@link ServiceLoader} finds with a class loader. */
    public static Handlers discovered(ClassLoader loader) {
        return builder().addDiscovered(loader).build();
    }

    /** To collect some. */
    public static Builder builder() {
        return new Builder();
    }

    /** The handler of a command name, as it stands in the row. */
    public Optional<CommandHandler> find(String commandName) {
        return Optional.ofNullable(byName.get(commandName));
    }

    /** Those of events. */
    public EventHandlers events() {
        return events;
    }

    /** All names that are answered to. */
    public Set<String> names() {
        return byName.keySet();
    }

    /** Collects handlers; two that answer to one name are refused. Not for use by two threads. */
    public static final class Builder {

        private final Map<String, CommandHandler> byName = new LinkedHashMap<>();
        private final EventHandlers.Builder events = new EventHandlers.Builder();

        private Builder() {}

        /**
         * Adds one.
         *
         * @throws IllegalArgumentException if it names nothing, something that is no command name, or a name that another one answers to
         */
        public Builder add(CommandHandler handler) {
            Set<String> names = Set.copyOf(handler.names());
            if (names.isEmpty()) {
                throw new IllegalArgumentException(handler.getClass().getName() + " answers to no command name");
            }
            for (String name : names) {
                RowName.command(name).match(valid -> valid, problem -> {
                    throw new IllegalArgumentException("%s answers to '%s': %s"
                            .formatted(handler.getClass().getName(), name, problem));
                });
                CommandHandler other = byName.putIfAbsent(name, handler);
                if (other != null) {
                    throw new IllegalArgumentException("both %s and %s answer to '%s'; take the name from one of them"
                            .formatted(
                                    other.getClass().getName(),
                                    handler.getClass().getName(),
                                    name));
                }
            }
            return this;
        }

        /**
         * Adds one of events.
         *
         * @throws IllegalArgumentException if what it names is no subscription or no pattern, or another one has its pattern there
         */
        public Builder add(EventHandler handler) {
            events.add(handler);
            return this;
        }

        /** Adds those that {@link ServiceLoader} finds with a class loader. */
        public Builder addDiscovered(ClassLoader loader) {
            ServiceLoader.load(CommandHandler.class, loader).forEach(handler -> add(handler));
            ServiceLoader.load(EventHandler.class, loader).forEach(handler -> add(handler));
            return this;
        }

        /** The handlers as collected. */
        public Handlers build() {
            return new Handlers(byName, events.build());
        }
    }
}
