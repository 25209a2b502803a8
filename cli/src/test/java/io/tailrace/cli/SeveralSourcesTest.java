package io.tailrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.cli.CommandLines.Ran;
import io.tailrace.contract.Health;
import io.tailrace.contract.Health.State;
import io.tailrace.contract.Part;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.SourceConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.executor.handler.CommandContext;
import io.tailrace.executor.handler.CommandHandler;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.executor.handler.Result;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TcpProxy;
import io.tailrace.testkit.TopicReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several databases in one process: each works as if it were alone. */
@RealParts
class SeveralSourcesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Repair repair = new Repair();

    @TempDir
    Path directory;

    @Test
    void anEngineThatIsRefusedOrDownLeavesTheOthersAsTheyAreAndComesWhenItIsMended(Stack stack) throws Exception {
        String fine = stack.database();
        String altered = stack.anotherDatabase("altered");
        String down = stack.anotherDatabase("down");
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", stack.postgres().port())) {
            Path file = file(stack, source(stack, fine), source(stack, altered), source(proxy.port(), down));
            TailraceConfig config = ConfigOption.read(file);
            assertThat(CommandLines.tailrace("db", "migrate", "-c", file.toString()))
                    .satisfies(ran -> assertThat(ran.exit()).as(ran.err()).isZero())
                    .satisfies(ran -> assertThat(ran.out()).contains(fine + ": created slot", down + ": created slot"));
            execute(
                    stack,
                    altered,
                    "ALTER PUBLICATION %s SET (publish = 'insert, update')".formatted(slot(config, altered)));
            proxy.refuse();
            proxy.cutAll();

            try (Part engines = PartPerSource.of(
                    config, one -> PartName.engine(one, registry, Clock.systemUTC()), Duration.ofMillis(500))) {
                engines.start();
                await().atMost(PATIENCE).until(() -> !engines.health().detail().contains("source " + fine + " is"));
                Health health = engines.health();
                assertThat(health.state()).isEqualTo(State.WAITING);
                assertThat(health.detail())
                        .contains("source " + altered + " is failed refused:", "source " + down + " is waiting")
                        .doesNotContain("\n");
                insertEvent(stack, fine);
                awaitEventsOf(stack, config, fine);

                insertEvent(stack, down);
                proxy.resume();
                awaitEventsOf(stack, config, fine, down);
                await().atMost(PATIENCE).until(() -> !engines.health().detail().contains("source " + down + " is"));
                assertThat(engines.health().detail()).contains("source " + altered + " is failed");
                assertThat(registry.find("tailrace.engine.rows").counters().stream()
                                .filter(rows -> rows.count() == 1)
                                .map(rows -> rows.getId().getTag("slot")))
                        .containsExactlyInAnyOrder(slot(config, fine), slot(config, down));

                execute(
                        stack,
                        altered,
                        "ALTER PUBLICATION %s SET (publish = 'insert')".formatted(slot(config, altered)));
                await().atMost(PATIENCE).until(() -> engines.health().isReady());
                insertEvent(stack, altered);
                awaitEventsOf(stack, config, fine, down, altered);
                assertThat(registry.get("tailrace.engine.position.lsn")
                                .tag("slot", slot(config, altered))
                                .gauge()
                                .value())
                        .as("the gauge is that of the engine that runs")
                        .isPositive();
            }
        }
    }

    @Test
    void aStartIsRefusedWhenNoneCanStart(Stack stack) throws Exception {
        String one = stack.database();
        String other = stack.anotherDatabase("other");
        TailraceConfig config = ConfigOption.read(file(stack, source(stack, one), source(stack, other)));
        try (Part engines = PartName.ENGINE.make(config, Handlers.none(), registry, Clock.systemUTC())) {
            assertThatThrownBy(engines::start)
                    .isInstanceOf(StartRefused.class)
                    .hasMessageContaining("source " + one + ": ")
                    .hasMessageContaining("source " + other + ": ");
            assertThat(engines.health().state()).isEqualTo(State.FAILED);
        }
    }

    @Test
    void aCommandRunsInTheDatabaseItCameFromAndComesBackThere(Stack stack) throws Exception {
        String one = stack.database();
        String other = stack.anotherDatabase("other");
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", stack.postgres().port())) {
            Path file = file(stack, source(stack, one), source(stack, other));
            TailraceConfig direct = ConfigOption.read(file);
            TailraceConfig proxied = direct.of(List.of(direct.sources().get(0), through(proxy, direct, other)));
            assertThat(CommandLines.tailrace("db", "migrate", "-c", file.toString())
                            .exit())
                    .isZero();
            for (String database : List.of(one, other)) {
                execute(stack, database, "CREATE TABLE effect (name text, source text)");
            }
            Handlers handlers = Handlers.of(repair);
            try (RunningParts running = RunningParts.start(List.of(
                    PartName.ENGINE.make(direct, handlers, registry, Clock.systemUTC()),
                    PartName.ROUTER.make(direct, handlers, registry, Clock.systemUTC()),
                    PartName.EXECUTOR.make(proxied, handlers, registry, Clock.systemUTC())))) {
                await().atMost(PATIENCE).until(running::areReady);
                proxy.refuse();
                proxy.cutAll();
                insertCommands(stack, other, "far", 4);
                insertCommands(stack, one, "near", 3);
                awaitEffects(stack, one, "near", 3);
                assertThat(count(stack, other, "SELECT count(*) FROM effect")).isZero();
                proxy.resume();
                awaitEffects(stack, other, "far", 4);
                assertThat(count(stack, one, "SELECT count(*) FROM effect WHERE name = 'far'"))
                        .isZero();

                repair.isDue.set(true);
                insertCommands(stack, one, "broken", 1);
                insertCommands(stack, other, "broken", 1);
                for (String database : List.of(one, other)) {
                    awaitCount(
                            stack, database, "SELECT count(*) FROM tailrace.internal_command WHERE status = 'DEAD'", 1);
                }
                theVerbsKnowTheSources(file, one, other);
                repair.isDue.set(false);
                replay(file, one, "--source", one);
                awaitEffects(stack, one, "broken", 1);
                assertThat(count(stack, other, "SELECT count(*) FROM effect WHERE name = 'broken'"))
                        .isZero();
                leavesAlone(file, awaitLetter(file, other), one);
                replay(file, other);
                awaitEffects(stack, other, "broken", 1);
                for (String database : List.of(one, other)) {
                    assertThat(count(stack, database, "SELECT count(*) FROM effect WHERE source <> current_database()"))
                            .as("a handler knows the source")
                            .isZero();
                }
            }
        }
    }

    private static void theVerbsKnowTheSources(Path file, String one, String other) {
        Ran unsaid = CommandLines.tailrace("commands", "count", "-c", file.toString());
        assertThat(unsaid.exit()).isEqualTo(Exit.USAGE);
        assertThat(unsaid.err()).contains("say which one with --source (%s, %s)".formatted(one, other));
        Ran unknown = CommandLines.tailrace("commands", "count", "--source", "x", "-c", file.toString());
        assertThat(unknown.exit()).isEqualTo(Exit.USAGE);
        assertThat(unknown.err()).contains("there is no source 'x' (%s, %s)".formatted(one, other));
        Ran said = CommandLines.tailrace("commands", "count", "--source", other, "-c", file.toString());
        // Not as many as in the other one.
        assertThat(said.out()).containsPattern("completed +4").containsPattern("dead +1");
        Ran status = CommandLines.tailrace("status", "-c", file.toString());
        assertThat(status.exit()).as(status.err()).isZero();
        assertThat(status.out())
                .containsPattern(one + " slot +\\S+, active")
                .containsPattern(other + " slot +\\S+, active")
                .contains("executor of " + one, "executor of " + other)
                .containsPattern(other + " commands +0 pending, 4 completed, 1 dead");
    }

    private static void leavesAlone(Path file, String letter, String source) {
        for (String verb : List.of("skip", "discard")) {
            Ran ran = CommandLines.tailrace("dlq", verb, letter, "--source", source, "-c", file.toString());
            assertThat(ran.exit()).as(ran.out()).isEqualTo(Exit.FAILED);
            assertThat(ran.err()).contains("no dead letter of row " + letter + " was looked at");
        }
    }

    /** The id of the one letter of a source. */
    private static String awaitLetter(Path file, String of) {
        return await().atMost(PATIENCE)
                .until(
                        () -> CommandLines.tailrace(
                                        "dlq",
                                        "list",
                                        "--of",
                                        "commands",
                                        "--source",
                                        of,
                                        "-o",
                                        "json",
                                        "-c",
                                        file.toString())
                                .out()
                                .lines()
                                .filter(line -> line.contains("\"id\""))
                                .map(line -> line.replaceAll(".*\"id\" *: *\"([^\"]*)\".*", "$1"))
                                .toList(),
                        ids -> ids.size() == 1)
                .get(0);
    }

    /** Both letters are there before one is replayed, and one source's alone when that one is said. */
    private static void replay(Path file, String of, String... more) {
        awaitLetter(file, of);
        String[] line = {"dlq", "replay", "--of", "commands", "--all", "-c", file.toString()};
        String[] all = Arrays.copyOf(line, line.length + more.length);
        System.arraycopy(more, 0, all, line.length, more.length);
        Ran replayed = CommandLines.tailrace(all);
        assertThat(replayed.exit()).as(replayed.out() + replayed.err()).isZero();
        assertThat(replayed.err()).contains("1 replayed");
    }

    private Path file(Stack stack, String... sources) throws IOException {
        String text = """
                namespace: %s
                sources:
                %s
                kafka: {bootstrap-servers: "%s"}
                topics: {partitions: 3, replication: 1, min-insync-replicas: 1}
                engine: {heartbeat-interval: 500ms}
                router: {state-directory: "%s"}
                executor: {workers: 2, retry: {max-attempts: 1}}
                """.formatted(
                stack.namespace(), String.join("\n", sources), stack.bootstrapServers(), directory.resolve("state"));
        return Files.writeString(directory.resolve("tailrace.yml"), text);
    }

    private static String source(Stack stack, String database) {
        return source(stack.postgres().port(), database);
    }

    private static String source(int port, String database) {
        return "  - {host: 127.0.0.1, port: %d, database: %s, user: postgres, sslmode: disable}"
                .formatted(port, database);
    }

    private static SourceConfig through(TcpProxy proxy, TailraceConfig config, String name) {
        SourceConfig direct = named(config, name).source();
        return new SourceConfig(
                direct.host(),
                proxy.port(),
                direct.database(),
                direct.user(),
                direct.password(),
                direct.sslMode(),
                direct.tables());
    }

    private static String slot(TailraceConfig config, String name) {
        return named(config, name).slot();
    }

    private static TailraceConfig named(TailraceConfig config, String name) {
        return config.eachSource().stream()
                .filter(one -> one.source().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static void awaitEventsOf(Stack stack, TailraceConfig config, String... databases) {
        Set<String> sources = Arrays.stream(databases)
                .map(database -> named(config, database).ceSource())
                .collect(Collectors.toSet());
        assertThat(stack
                        .reader()
                        .awaitCount(
                                databases.length, PATIENCE, config.topicNames().rawEvents())
                        .stream()
                        .map(read -> TopicReader.header(read, "ce_source")))
                .containsExactlyInAnyOrderElementsOf(sources);
    }

    private static void insertEvent(Stack stack, String database) throws SQLException {
        execute(stack, database, "INSERT INTO tailrace.outbox (event_name) VALUES ('a.b')");
    }

    private static void insertCommands(Stack stack, String database, String name, int count) throws SQLException {
        execute(
                stack,
                database,
                "INSERT INTO tailrace.internal_command (command_name, ordering_key) SELECT '%s', 'k' || n FROM generate_series(1, %d) n"
                        .formatted(name, count));
    }

    private static void awaitEffects(Stack stack, String database, String name, int count) {
        awaitCount(stack, database, "SELECT count(*) FROM effect WHERE name = '" + name + "'", count);
    }

    private static void awaitCount(Stack stack, String database, String query, int count) {
        await().atMost(PATIENCE).until(() -> count(stack, database, query) == count);
    }

    private static int count(Stack stack, String database, String query) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(stack.postgres().jdbcUrl(database));
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void execute(Stack stack, String database, String sql) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(stack.postgres().jdbcUrl(database));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Notes each command in the database that it was given a connection to. */
    private static final class Repair implements CommandHandler {

        private final AtomicBoolean isDue = new AtomicBoolean();

        @Override
        public Set<String> names() {
            return Set.of("near", "far", "broken");
        }

        @Override
        public Result handle(CommandContext command) throws SQLException {
            if (isDue.get()) {
                return Result.failure("to be repaired");
            }
            try (PreparedStatement insert =
                    command.connection().prepareStatement("INSERT INTO effect (name, source) VALUES (?, ?)")) {
                insert.setString(1, command.name());
                insert.setString(2, command.source());
                insert.executeUpdate();
            }
            return Result.success();
        }
    }
}
