package io.tailrace.cli;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.embedded.EmbeddedStack;
import io.tailrace.embedded.EmbeddedStartException;
import io.tailrace.schema.Ownership;
import io.tailrace.schema.Schema;
import io.tailrace.schema.Scope;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code dev}: everything on this machine, data kept. */
@Command(
        name = "dev",
        description = {
            "Run PostgreSQL, Kafka and all parts of Tailrace on this machine, without Docker, until Ctrl-C.",
            "The data survive a restart, and the other verbs find this stack by themselves when run in the same directory."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  tailrace dev",
            "  tailrace dev --data /tmp/shop",
            "",
            "From another terminal, in the same directory:",
            "  tailrace status",
            "  tailrace status --config /tmp/shop/tailrace.yml"
        })
final class DevVerb implements Callable<Integer> {

    /** Where the data stand unless said otherwise; the other verbs look for its configuration. */
    static final Path DIRECTORY = Path.of(".tailrace", "dev");

    @Option(names = "--data", paramLabel = "<directory>", description = "Keep the data here (default: .tailrace/dev).")
    private Path directory = DIRECTORY;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException, SQLException {
        Path data = Files.createDirectories(directory).toRealPath();
        try (Lifetime lifetime = Lifetime.begin();
                FileChannel file =
                        FileChannel.open(data.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = file.tryLock()) {
            if (lock == null) {
                throw new VerbFailed(
                        "another `" + Called.name() + " dev` runs on " + data + "; stop it or choose another --data");
            }
            TailraceConfig config = DevConfig.in(data);
            try (EmbeddedStack stack = servers(data, config)) {
                // Nobody else would stop it: it is a process of its own.
                lifetime.beforeGivingUp(() -> stack.postgres().stopImmediate());
                prepare(stack, config);
                return new Service(
                                config,
                                EnumSet.allOf(PartName.class),
                                HandlerJars.discovered(Thread.currentThread().getContextClassLoader()),
                                new Reloading(
                                        data.resolve(DevConfig.FILE), text -> ConfigOption.read("tailrace.yml", text)))
                        .run(lifetime, spec.commandLine().getErr(), () -> greet(stack, config, data));
            }
        }
    }

    /** @throws VerbFailed naming the key of a port that is in use */
    private static EmbeddedStack servers(Path data, TailraceConfig config) {
        int kafka = DevConfig.kafkaPort(config);
        try {
            return EmbeddedStack.start(data, config.source().port(), kafka, false);
        } catch (EmbeddedStartException failed) {
            if (failed.takenPort().isEmpty()) {
                throw failed;
            }
            String key = failed.takenPort().getAsInt() == kafka ? "kafka.bootstrap-servers" : "source.port";
            throw new VerbFailed(
                    "%s It is %s in %s.".formatted(failed.getMessage(), key, data.resolve(DevConfig.FILE)));
        }
    }

    private static void prepare(EmbeddedStack stack, TailraceConfig config) throws SQLException {
        String database = config.source().database();
        if (!DevConfig.exists(stack, database)) {
            stack.postgres().createDatabase(database);
        }
        try (Connection connection = SourceConnection.open(config.source())) {
            Schema.migrate(
                    connection,
                    config.source().tables(),
                    Scope.ALL,
                    Ownership.of(config.namespace(), config.source().name()));
        }
    }

    private void greet(EmbeddedStack stack, TailraceConfig config, Path data) {
        String psql = stack.postgres().psqlLine(config.source().database());
        String kafka = stack.broker().bootstrapServers();
        String namespace = config.namespace().value();
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                """

                Tailrace runs. Data and configuration: %s

                PostgreSQL  %s
                Kafka       kcat -b %s -L
                Metrics     http://%s:%d/metrics

                Commit an event:
                  %s -c "INSERT INTO tailrace.outbox (event_name, ordering_key, payload) VALUES ('sales.order-placed', 'order-1', '{\\"total\\": 42}')"
                See it arrive:
                  kcat -b %s -C -t %s.events.sales -o beginning -X isolation.level=read_committed -f '%%k %%s\\n'
                Look at it all:
                  %s status --config '%s'

                Ctrl-C stops it.
                """,
                data,
                psql,
                kafka,
                config.http().host(),
                config.http().port(),
                psql,
                kafka,
                namespace,
                Called.name(),
                data.resolve(DevConfig.FILE));
        out.flush();
    }
}
