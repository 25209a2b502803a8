package io.tailrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.cli.CommandLines.Ran;
import io.tailrace.engine.CdcEngine;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A slot that somebody made again: every verb that looks at it says so, and the one that helps does. */
@RealParts
class EngineVerbsTest {

    @TempDir
    Path directory;

    @Test
    void nobodyIsSilentAboutASlotThatWasMadeAgain(Stack stack) throws Exception {
        Path config = Files.writeString(directory.resolve("tailrace.yml"), """
                namespace: %s
                source: {host: 127.0.0.1, port: %d, database: %s, user: postgres, sslmode: disable}
                kafka: {bootstrap-servers: "%s"}
                topics: {partitions: 2, replication: 1, min-insync-replicas: 1}
                """.formatted(
                        stack.namespace(), stack.postgres().port(), stack.database(), stack.bootstrapServers()));
        assertThat(verb(config, "db", "migrate").exit()).isZero();
        captureOneRow(stack, config);
        assertThat(verb(config, "engine", "check").exit()).isZero();
        assertThat(verb(config, "db", "migrate").exit()).isZero();
        String slot = "tailrace_" + stack.namespace() + "_" + stack.database();
        // The server may take a moment to notice that its reader has gone.
        await().ignoreExceptions()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> stack.execute("SELECT pg_drop_replication_slot('" + slot + "')"));
        Ran gone = verb(config, "db", "migrate");
        assertThat(gone.exit()).isEqualTo(Exit.REFUSED);
        assertThat(gone.err()).contains("is gone", "tailrace engine recover --from-table");
        stack.execute(
                "INSERT INTO tailrace.outbox (event_name) VALUES ('in.the-gap')",
                "SELECT pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");

        assertSaid(verb(config, "db", "migrate"));
        assertSaid(verb(config, "db", "check"));
        assertSaid(verb(config, "status"));
        assertSaid(verb(config, "status", "-o", "json"));
        assertSaid(verb(config, "engine", "check"));
        assertSaid(verb(config, "engine", "check", "-o", "json"));

        JsonNode dry = json(verb(config, "engine", "recover", "--from-table", "--dry-run", "-o", "json"));
        assertThat(dry.at("/events/lacking").asInt()).isEqualTo(1);
        assertThat(dry.at("/position").isNull()).isTrue();
        Ran recovered = verb(config, "engine", "recover", "--from-table", "--note", "a test");
        assertThat(recovered.exit()).isZero();
        assertThat(recovered.out()).contains("published 1 events and 0 commands");
        assertThat(verb(config, "engine", "check").exit()).isZero();
        assertThat(verb(config, "db", "check").exit()).isZero();
        assertThat(verb(config, "status").out()).contains("not refused");
        assertThat(verb(config, "engine", "recover", "--accept-gap").exit())
                .as("nothing to accept")
                .isEqualTo(Exit.REFUSED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"engine", "engine recover", "engine recover --from-table --accept-gap"})
    void aWayMustBeChosen(String line) {
        assertThat(CommandLines.tailrace(line.split(" ")).exit()).isEqualTo(Exit.USAGE);
    }

    private static void captureOneRow(Stack stack, Path config) throws Exception {
        try (CdcEngine engine =
                new CdcEngine(ConfigOption.read(config), new SimpleMeterRegistry(), Clock.systemUTC(), () -> {})) {
            engine.start();
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('a.b')");
            stack.reader().awaitCount(1, Duration.ofSeconds(60), stack.namespace() + ".raw.events");
        }
    }

    private static void assertSaid(Ran ran) {
        assertThat(ran.exit()).isEqualTo(Exit.FAILED);
        assertThat(ran.out() + ran.err()).contains("somebody moved or re-created the slot");
    }

    private static JsonNode json(Ran ran) throws Exception {
        assertThat(ran.exit()).as(ran.err()).isZero();
        return new ObjectMapper().readTree(ran.out());
    }

    private static Ran verb(Path config, String... words) {
        List<String> line = new ArrayList<>(List.of(words));
        line.addAll(List.of("-c", config.toString()));
        return CommandLines.tailrace(line.toArray(String[]::new));
    }
}
