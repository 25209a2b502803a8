package io.tailrace.cli;

import io.tailrace.cli.demo.Demo;
import io.tailrace.cli.demo.Summary;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code demo}: the whole main job on a scripted shop, counted from outside. */
@Command(
        name = "demo",
        description = {
            "Play a small shop through everything, on a PostgreSQL and a Kafka of its own.",
            "Orders in transactions, some rolled back; events and commands, retries, two poisoned rows, their replay. Then what was",
            "committed is counted from outside against what arrived. Ends with 0 only if nothing is missing, duplicated or out of order."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  tailrace demo --once", "  tailrace demo --once -o json | jq .eventsMissing"})
final class DemoVerb implements Callable<Integer> {

    private static final Duration PATIENCE = Duration.ofSeconds(150);

    @Option(names = "--once", description = "Play once and end.")
    private boolean once;

    @Mixin
    private final Output output = new Output();

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, SQLException, InterruptedException {
        if (!once) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(),
                    "the demo plays once: say --once (for a stack that keeps running: " + Called.name() + " dev)");
        }
        PrintWriter err = output.err();
        Path log = Files.createTempFile("tailrace-demo-", ".log");
        Logging.to(log);
        try (Lifetime lifetime = Lifetime.begin()) {
            Demo demo = new Demo(
                    Clock.systemUTC(),
                    line -> {
                        err.println(line);
                        err.flush();
                    },
                    lifetime::isAskedToEnd,
                    PATIENCE);
            Summary summary = demo.run();
            print(summary);
            if (summary.isRight()) {
                Files.deleteIfExists(log);
                return Exit.DONE;
            }
            err.println("Not right:");
            summary.wrong().forEach(wrong -> err.println("  " + wrong));
        } catch (Demo.Stuck stuck) {
            err.println("The demo " + stuck.getMessage());
        }
        err.println("The log of all parts: " + log);
        return Exit.FAILED;
    }

    private void print(Summary summary) {
        if (output.isJson()) {
            Map<String, Object> json = new LinkedHashMap<>(summary.counts());
            json.put("right", summary.isRight());
            output.json(json);
            return;
        }
        Map<String, Number> counts = summary.counts();
        PrintWriter out = output.out();
        out.println();
        int width = counts.keySet().stream().mapToInt(String::length).max().orElse(0);
        counts.forEach((name, count) -> out.println(("%-" + (width + 2) + "s%8s").formatted(name, count)));
        out.println();
        out.println(
                summary.isRight()
                        ? "Right: every committed row arrived once and in order, and nothing else did."
                        : "NOT RIGHT.");
        out.flush();
    }
}
