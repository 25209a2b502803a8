package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.engine.Silence.Run;
import io.tailrace.engine.source.SlotFigures;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TcpProxy;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A run that is deaf is ended, one that only has much to read is not, and a heartbeat that cannot be written is heard of. */
@RealParts
class SilenceTest {

    /** A third of the real one, which is waited for three times. */
    private static final Duration SHORT_SILENCE = Duration.ofSeconds(5);

    /** Three times the bound, and a start. */
    private static final Duration HEALED = Duration.ofSeconds(120);

    @Test
    void aStreamThatDiesWithoutAWordIsBegunAnew(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", stack.postgres().port())) {
            blackHole(
                    stack,
                    proxy,
                    "SELECT client_port FROM pg_stat_replication JOIN pg_replication_slots ON pid = active_pid WHERE database = '"
                            + stack.database() + "'");
        }
    }

    /** The thread that reads the log writes the heartbeats, and waits for the answer. */
    @Tag("long")
    @Test
    void aHeartbeatThatIsNeverAnsweredIsNoReasonToStandStill(Stack stack) throws Exception {
        EngineFixture.migrate(stack);
        try (TcpProxy proxy = TcpProxy.to("127.0.0.1", stack.postgres().port())) {
            blackHole(
                    stack,
                    proxy,
                    "SELECT client_port FROM pg_stat_activity WHERE datname = '" + stack.database()
                            + "' AND query LIKE 'SELECT pg_logical_emit_message%' AND application_name LIKE 'Debezium%'");
        }
    }

    private static void blackHole(Stack stack, TcpProxy proxy, String clientPort) throws Exception {
        try (EngineFixture fixture = new EngineFixture(
                        stack,
                        EngineFixture.config(
                                stack.namespace(), stack.database(), proxy.port(), stack.bootstrapServers()),
                        Clock.systemUTC(),
                        SHORT_SILENCE)
                .started()) {
            fixture.awaitState(Health.State.READY);
            await().atMost(EngineFixture.PATIENCE).ignoreExceptions().until(() -> {
                proxy.silenceForEver(Integer.parseInt(EngineFixture.query(stack, clientPort)));
                return true;
            });
            fixture.awaitState(Health.State.WAITING);
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('into.silence')");
            stack.reader().awaitCount(1, HEALED, fixture.topics.rawEvents());
            fixture.awaitState(Health.State.READY);
            assertThat(fixture.registry
                            .get("tailrace.engine.rebuilds")
                            .counter()
                            .count())
                    .isPositive();
        }
    }

    @Test
    void aFunctionThatIsTakenAwayFromTheEngineIsNamedAndRowsGoOn() {
        Bench bench = new Bench();
        bench.obstacle = "permission denied for function pg_logical_emit_message";
        assertThat(bench.lookFor(Duration.ofHours(1), run(true, true, true))).isEmpty();
        assertThat(bench.state.health().detail())
                .contains("heartbeats cannot be written: permission denied for function");
        bench.obstacle = "";
        assertThat(bench.look(new Run(Duration.ZERO, Duration.ZERO, true, Optional.empty())))
                .isEmpty();
        assertThat(bench.state.health().detail()).doesNotContain("cannot be written");
    }

    @Test
    void onlyAWalsenderWithoutWorkIsEvidence() {
        Duration hour = Duration.ofHours(1);
        assertThat(new Bench().lookFor(Duration.ofSeconds(30), run(true, true, true)))
                .as("not for long enough")
                .isEmpty();
        assertThat(new Bench().lookFor(hour, run(true, true, true)))
                .as("deaf")
                .hasValueSatisfying(why -> assertThat(why).contains("the walsender waits"));
        assertThat(new Bench().lookFor(hour, run(true, true, false)))
                .as("it decodes a giant transaction")
                .isEmpty();
        assertThat(new Bench().lookFor(hour, run(false, true, true)))
                .as("it searches its place in one")
                .isEmpty();
        assertThat(new Bench().lookFor(hour, run(false, false, false)))
                .as("there is none any more")
                .hasValueSatisfying(why -> assertThat(why).contains("the walsender is gone"));
        Run nobodyAnswers = new Run(hour, hour, true, Optional.empty());
        assertThat(new Bench().lookFor(hour, nobodyAnswers))
                .as("nobody can tell")
                .isEmpty();
        Bench atWork = new Bench();
        assertThat(atWork.lookFor(Duration.ofSeconds(29), run(true, true, true)))
                .isEmpty();
        assertThat(atWork.look(run(true, true, false))).as("once at work").isEmpty();
        assertThat(atWork.lookFor(Duration.ofSeconds(29), run(true, true, true)))
                .isEmpty();
    }

    private static Run run(boolean arrived, boolean active, boolean waits) {
        return new Run(
                Duration.ofHours(1),
                Duration.ofHours(1),
                arrived,
                Optional.of(new SlotFigures(
                        0, 0, 0, Optional.empty(), "reserved", active, waits, Optional.empty(), Duration.ZERO)));
    }

    private static final class Bench {

        private final EngineMetrics metrics = new EngineMetrics(new SimpleMeterRegistry(), "slot", Clock.systemUTC());
        private final EngineState state;
        private final Silence silence;
        private String obstacle = "";
        private long nanos;

        Bench() {
            state = new EngineState(
                    "slot",
                    EngineFixture.config("app", "app", 1, "nowhere:9092").engine(),
                    metrics,
                    EngineState.SHORTEST_SILENCE);
            state.become(Health.State.READY, "");
            silence = new Silence("slot", Duration.ofSeconds(15), this::write, state);
        }

        private void write() throws SQLException {
            if (!obstacle.isEmpty()) {
                throw new SQLException(obstacle);
            }
        }

        Optional<String> look(Run run) {
            nanos += Duration.ofSeconds(1).toNanos();
            return silence.look(run, nanos);
        }

        Optional<String> lookFor(Duration time, Run run) {
            Optional<String> end = Optional.empty();
            for (int second = 0; second < time.toSeconds() && end.isEmpty(); second++) {
                end = look(run);
            }
            return end;
        }
    }
}
