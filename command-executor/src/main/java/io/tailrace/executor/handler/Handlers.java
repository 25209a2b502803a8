package io.tailrace.executor.handler;

import io.tailrace.contract.name.RowName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Which handler answers to which command name, which to the events of subscriptions, and what stands around all of them. Immutable. */
public final class Handlers {

    private final Map<String, CommandHandler> byName;
    private final Map<String, List<Ranged>> byBase;
    private final Upcasters upcasters;
    private final List<CommandInterceptor> interceptors;
    private final EventHandlers events;

    /** A handler that answers to versions of a name. */
    private record Ranged(Versions versions, CommandHandler handler) {}

    private Handlers(Builder builder) {
        this.byName = Map.copyOf(builder.byName);
        this.byBase = builder.byBase.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, each -> List.copyOf(each.getValue())));
        this.upcasters = builder.upcasters.build();
        this.interceptors = builder.interceptors.stream()
                .sorted(Comparator.comparingInt(CommandInterceptor::order))
                .toList();
        this.events = builder.events.build();
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

    /** To add to these; what is added does not show here. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.byName.putAll(byName);
        byBase.forEach((base, ranged) -> builder.byBase.put(base, new ArrayList<>(ranged)));
        builder.upcasters.addAll(upcasters);
        builder.interceptors.addAll(interceptors);
        builder.events.addAll(events);
        return builder;
    }

    /** To collect some. */
    public static Builder builder() {
        return new Builder();
    }

    /** The handler of a command name, as it stands in the row. */
    public Optional<CommandHandler> find(String commandName) {
        CommandHandler exact = byName.get(commandName);
        if (exact != null || byBase.isEmpty()) {
            return Optional.ofNullable(exact);
        }
        return RowName.command(commandName)
                .name()
                .flatMap(name -> byBase.getOrDefault(base(name), List.of()).stream()
                        .filter(each -> each.versions().contains(versionOf(name)))
                        .map(Ranged::handler)
                        .findFirst());
    }

    /** Those of events, and what stands around them. */
    public EventHandlers events() {
        return events;
    }

    /** All names that are answered to; those of a handler with versions stand without them. */
    public Set<String> names() {
        Set<String> all = new TreeSet<>(byName.keySet());
        all.addAll(byBase.keySet());
        return all;
    }

    /** What stands around every handler of commands, from the outside in. */
    public List<CommandInterceptor> interceptors() {
        return interceptors;
    }

    /** What leads from one version of a command to the next. */
    public Upcasters upcasters() {
        return upcasters;
    }

    private static String base(RowName name) {
        return String.join(".", name.segments());
    }

    private static int versionOf(RowName name) {
        return name.version(OptionalInt.empty()).orElse(1);
    }

    /** Collects handlers; two that answer to one name are refused. Not for use by two threads. */
    public static final class Builder {

        private final Map<String, CommandHandler> byName = new HashMap<>();
        private final Map<String, List<Ranged>> byBase = new HashMap<>();
        private final Upcasters.Builder upcasters = new Upcasters.Builder();
        private final List<CommandInterceptor> interceptors = new ArrayList<>();
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
            if (handler instanceof ExternalHandler external) {
                external.timeout().ifPresent(timeout -> checkTimeout(external, timeout));
            }
            Optional<Versions> versions = handler.versions();
            for (String text : names) {
                RowName name = valid(text, handler);
                if (versions.isPresent()) {
                    addRanged(name, versions.get(), handler);
                } else {
                    addExact(name, handler);
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

        /** Adds what stands around every handler of commands; {@link CommandInterceptor#order} says where. */
        public Builder add(CommandInterceptor interceptor) {
            interceptors.add(interceptor);
            return this;
        }

        /** Adds what stands around every handler of events; {@link EventInterceptor#order} says where. */
        public Builder add(EventInterceptor interceptor) {
            events.add(interceptor);
            return this;
        }

        /**
         * Adds one, of commands or of events.
         *
         * @throws IllegalArgumentException if its name is none or has a version, or another one takes the same
         */
        public Builder add(Upcaster upcaster) {
            if (upcaster.isForEvents()) {
                events.add(upcaster);
            } else {
                upcasters.add(valid(upcaster.name(), upcaster), upcaster);
            }
            return this;
        }

        /** Adds the handlers, interceptors and upcasters that {@link ServiceLoader} finds with a class loader. */
        public Builder addDiscovered(ClassLoader loader) {
            ServiceLoader.load(CommandHandler.class, loader).forEach(this::add);
            ServiceLoader.load(EventHandler.class, loader).forEach(this::add);
            ServiceLoader.load(CommandInterceptor.class, loader).forEach(this::add);
            ServiceLoader.load(EventInterceptor.class, loader).forEach(this::add);
            ServiceLoader.load(Upcaster.class, loader).forEach(this::add);
            return this;
        }

        /** The handlers as collected. */
        public Handlers build() {
            return new Handlers(this);
        }

        private void addExact(RowName name, CommandHandler handler) {
            CommandHandler other = byName.putIfAbsent(name.text(), handler);
            if (other != null) {
                throw twice(other, handler, name.text());
            }
            for (Ranged ranged : byBase.getOrDefault(base(name), List.of())) {
                if (ranged.versions().contains(versionOf(name))) {
                    throw twice(ranged.handler(), handler, name.text());
                }
            }
        }

        private void addRanged(RowName name, Versions versions, CommandHandler handler) {
            refuseSuffix(name, handler);
            List<Ranged> same = byBase.computeIfAbsent(name.text(), any -> new ArrayList<>());
            for (Ranged other : same) {
                if (other.versions().overlaps(versions)) {
                    throw twice(other.handler(), handler, name.text());
                }
            }
            byName.forEach((text, other) -> {
                RowName exact = valid(text, other);
                if (base(exact).equals(name.text()) && versions.contains(versionOf(exact))) {
                    throw twice(other, handler, text);
                }
            });
            same.add(new Ranged(versions, handler));
        }

        private static void checkTimeout(ExternalHandler handler, Duration timeout) {
            if (timeout.toMillis() < 1 || timeout.compareTo(ExternalHandler.LONGEST) > 0) {
                throw new IllegalArgumentException("%s asks for a timeout of %s; it may be 1 ms to %s"
                        .formatted(classOf(handler), timeout, ExternalHandler.LONGEST));
            }
        }

        private static RowName valid(String text, Object owner) {
            return RowName.command(text).match(valid -> valid, problem -> {
                throw new IllegalArgumentException("%s answers to '%s': %s".formatted(classOf(owner), text, problem));
            });
        }

        private static void refuseSuffix(RowName name, Object owner) {
            if (name.suffixVersion().isPresent()) {
                throw new IllegalArgumentException(
                        "%s says of which versions it is and names '%s'; take the version from the name"
                                .formatted(classOf(owner), name.text()));
            }
        }

        private static IllegalArgumentException twice(Object one, Object other, String name) {
            return new IllegalArgumentException("both %s and %s answer to '%s'; take the name from one of them"
                    .formatted(classOf(one), classOf(other), name));
        }

        private static String classOf(Object owner) {
            return owner.getClass().getName();
        }
    }
}
