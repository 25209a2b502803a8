package io.tailrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.cli.CommandLines.Ran;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.TopicReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole of it in one process, used as its owner would: rows by SQL, everything else by verbs, and a restart between. */
class DevTest {

    private static final Duration START = Duration.ofSeconds(90);
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration STOP = Duration.ofSeconds(10);

    @TempDir
    Path data;

    @Test
    void dataSurviveARestartAndTheVerbsFindWhatIsThere() throws Exception {
        try (ChildJvm dev = dev()) {
            dev.awaitLine("Ctrl-C stops it.", START);
            insert("sales.order-placed", "{\"n\": 1}");
            insert("not a name", "{\"n\": 2}");
            String dead = awaitDeadLetter();
            replayBeforeTheFixEndsHereAgain(dead);
            everyListPrints();
            dev.terminate();
            dev.awaitExit(STOP);
        }
        try (ChildJvm dev = dev()) {
            dev.awaitLine("Ctrl-C stops it.", START);
            insert("sales.order-placed", "{\"n\": 3}");
            TopicReader.on(config().kafka().bootstrapServers()).awaitCount(2, SOON, "dev.events.sales");
            assertThat(awaitDeadLetter()).isNotEmpty();
            dev.terminate();
            dev.awaitExit(STOP);
        }
    }

    private void replayBeforeTheFixEndsHereAgain(String dead) {
        Ran dry = verb("dlq", "replay", "--id", " " + dead + " ,", "--dry-run");
        assertThat(dry.exit()).isZero();
        assertThat(dry.out()).contains("would-replay");
        Ran replay = verb("dlq", "replay", "--id", dead, "-o", "json");
        assertThat(replay.exit()).isZero();
        assertThat(replay.out()).contains("\"outcome\" : \"replayed\"");
        Awaitility.await()
                .atMost(SOON)
                .untilAsserted(
                        () -> assertThat(verb("dlq", "show", dead, "-o", "json").out())
                                .contains("\"replays\" : 1")
                                .doesNotContain("\"n\\\": 2"));
        assertThat(verb("dlq", "show", dead, "--payload").out()).contains("{\"n\": 2}");
    }

    private void everyListPrints() {
        assertThat(verb("dlq", "list", "--of", "commands", "-o", "json").out()).isEqualTo("[]\n");
        assertThat(verb("commands", "list", "-o", "json").out()).isEqualTo("[]\n");
        assertThat(verb("commands", "count").out()).contains("pending    0");
        assertThat(verb("db", "check", "-o", "json").out()).isEqualTo("[]\n");
        Ran status = verb("status", "-o", "json");
        assertThat(status.exit()).as(status.out()).isZero();
        assertThat(status.out()).contains("\"active\" : true", "\"name-invalid\" : 1");
    }

    private String awaitDeadLetter() {
        Pattern id = Pattern.compile("\"id\" : \"([^\"]+)\"");
        return Awaitility.await()
                .atMost(SOON)
                .until(
                        () -> {
                            Matcher found =
                                    id.matcher(verb("dlq", "list", "-o", "json").out());
                            return found.find() ? found.group(1) : "";
                        },
                        found -> !found.isEmpty());
    }

    private void insert(String name, String payload) throws SQLException {
        try (Connection connection = SourceConnection.open(config().source());
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO tailrace.outbox (event_name, ordering_key, payload) VALUES ('" + name
                    + "', 'k', '" + payload + "')");
        }
    }

    private Ran verb(String... arguments) {
        String[] all = java.util.Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "--config";
        all[arguments.length + 1] = data.resolve("tailrace.yml").toString();
        return CommandLines.tailrace(all);
    }

    private TailraceConfig config() {
        return ConfigOption.read(data.resolve("tailrace.yml"));
    }

    private ChildJvm dev() {
        return ChildJvm.of(Tailrace.class)
                .heap("768m")
                .arguments("dev", "--data", data.toString())
                .start();
    }
}
