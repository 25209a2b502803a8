package io.tailrace.cli;

import io.tailrace.executor.handler.Handlers;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code run}: parts against an external PostgreSQL and Kafka. */
@Command(
        name = "run",
        description = {
            "Run parts of Tailrace against your PostgreSQL and Kafka, until Ctrl-C or SIGTERM.",
            "Handlers of commands are found by ServiceLoader in the jars that $TAILRACE_CLASSPATH names."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace db migrate --config tailrace.yml    once, before the first run",
            "  tailrace run --config tailrace.yml           all parts in one process",
            "  tailrace run router --config tailrace.yml    one of them",
            "  TAILRACE_CLASSPATH='handlers.jar:lib/*' tailrace run executor --config tailrace.yml"
        })
final class RunVerb implements Callable<Integer> {

    @Mixin
    private final SomeSourcesOption config = new SomeSourcesOption();

    @Parameters(paramLabel = "<part>", arity = "0..*", description = "engine, router, executor or all (default).")
    private List<String> parts = List.of();

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        Set<PartName> names = names();
        try (Lifetime lifetime = Lifetime.begin()) {
            Handlers handlers = HandlerJars.discovered(Thread.currentThread().getContextClassLoader());
            return new Service(config.read(), names, handlers, config.reloading())
                    .run(lifetime, spec.commandLine().getErr(), () -> {});
        }
    }

    private Set<PartName> names() {
        Set<PartName> names = EnumSet.noneOf(PartName.class);
        for (String part : parts.isEmpty() ? List.of("all") : parts) {
            if (part.equals("all")) {
                names.addAll(EnumSet.allOf(PartName.class));
                continue;
            }
            names.add(Arrays.stream(PartName.values())
                    .filter(name -> name.name().toLowerCase(Locale.ROOT).equals(part))
                    .findFirst()
                    .orElseThrow(() -> new CommandLine.ParameterException(
                            spec.commandLine(),
                            "there is no part '" + part + "': say engine, router, executor or all")));
        }
        return names;
    }
}
