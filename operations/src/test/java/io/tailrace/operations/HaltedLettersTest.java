package io.tailrace.operations;

import static io.tailrace.operations.Tables.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tailrace.contract.config.SubscriptionConfig;
import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.Replay.Order;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Letters at whose rows a key stops, when no router is there that could tell, and of databases that are not there. */
@RealParts
class HaltedLettersTest {

    private static final String BILLING = "billing";
    private static final Order ORDER = new Order("order", "somebody", false);
    private static final Order DRY = new Order("dry", "somebody", true);
    private static final Duration OLD = Duration.ofDays(40);

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private Stack stack;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private Tables tables;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private TailraceConfig config;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private DeadLetters letters;

    @BeforeEach
    void tables(Stack stack) throws Exception {
        this.stack = stack;
        tables = Tables.on(stack);
        config = subscribing(tables.config);
        letters = new DeadLetters(config);
    }

    @Test
    void anOperatorLetsAKeyGoOnAtWhatTheTableSays() throws Exception {
        ParkedRows parked = new ParkedRows(config);
        deadDelivery(1, true);
        tables.waitingDelivery(BILLING, 2, "k", 2, "NULL", 2);
        deadDelivery(3, false);
        deadCommand(11, true);
        for (int n : List.of(1, 3)) {
            parked.park(BILLING, id(n), "k", "inline", "{}");
        }
        parked.park(Topics.COMMANDS, id(11), "k", "inline", "{}");

        assertThat(letters.halts(letters.list(BILLING, Selection.ALL)))
                .isEqualTo(new Halts(Map.of(id(1), new Halt(1, true)), true));
        assertThat(texts(letters.skip(BILLING, Set.of(id(1), id(3)), DRY)))
                .isEqualTo(Map.of(
                        id(1), "would-skip: 1 newer rows go on",
                        id(3), "not-halted: its key does not stop here"));
        assertThat(texts(letters.skip(BILLING, Set.of(id(1)), ORDER)))
                .isEqualTo(Map.of(id(1), "skipped: 1 newer rows go on"));
        assertThat(tables.ofDelivery(1, "halts")).isEqualTo("f");
        assertThat(texts(letters.skip(Topics.COMMANDS, Set.of(id(11)), ORDER)))
                .isEqualTo(Map.of(id(11), "skipped: 0 newer rows go on"));
        assertThat(tables.column(11, "halts")).isEqualTo("f");
    }

    /** The end of its time is no reason to let newer rows pass it. */
    @Test
    void ageLetsNoKeyGoOnWhetherTheTableStopsItOrNobodyKnows() throws Exception {
        ParkedRows parked = new ParkedRows(config);
        deadDelivery(1, true);
        deadDelivery(2, false);
        deadCommand(11, true);
        deadCommand(12, false);
        for (int n : List.of(1, 2)) {
            parked.parkLongAgo(BILLING, id(n), "k", OLD);
        }
        for (int n : List.of(11, 12)) {
            parked.parkLongAgo(Topics.COMMANDS, id(n), "k", OLD);
        }
        // Of an event the router alone knows.
        parked.parkLongAgo(Topics.EVENTS, id(21), "k", OLD);
        parked.parkLongAgo(Topics.EVENTS, id(22), null, OLD);

        Map.of(BILLING, 2, Topics.COMMANDS, 12, Topics.EVENTS, 22)
                .forEach((x, gone) -> assertThat(
                                letters.expire(x, Selection.ALL, Instant.now().minus(Duration.ofDays(30)), ORDER)
                                        .rows())
                        .as(x)
                        .extracting(row -> row.letter().rowId(), Replay.Row::outcome)
                        .containsExactly(tuple(id(gone), Replay.Outcome.CLEARED)));

        assertThat(tables.ofDelivery(1, "concat(status, halts)")).isEqualTo("DEADt");
        assertThat(tables.ofDelivery(2, "status")).isEqualTo("CANCELLED");
        assertThat(tables.column(11, "concat(status, halts)")).isEqualTo("DEADt");
        assertThat(tables.column(12, "status")).isEqualTo("CANCELLED");
    }

    @Test
    void aLetterOfADatabaseThatIsNotConfiguredStaysAndNobodyIsToldThatItsKeyGoesOn() throws Exception {
        ParkedRows elsewhere = new ParkedRows(elsewhere());
        elsewhere.park(BILLING, id(1), "k", "inline", "{}");
        String foreign = "not-found: source %s is not one of the configuration's"
                .formatted(elsewhere().ceSource());
        for (Order order : List.of(DRY, ORDER)) {
            assertThat(texts(letters.discard(BILLING, Set.of(id(1)), order))).isEqualTo(Map.of(id(1), foreign));
            assertThat(texts(letters.skip(BILLING, Set.of(id(1)), order))).isEqualTo(Map.of(id(1), foreign));
        }
        assertThat(letters.discard(BILLING, Selection.ofRows(Set.of(id(1))).ofSources(Set.of(config.ceSource())), ORDER)
                        .rows())
                .as("not asked for")
                .isEmpty();
        assertThat(letters.list(BILLING, Selection.ALL)).hasSize(1);
        assertThat(stack.reader().read(config.topicNames().retry(BILLING))).isEmpty();
        assertThat(stack.reader().read(config.topicNames().operations())).isEmpty();
    }

    @Test
    void theRowOfADatabaseThatWasCalledOtherwiseOnceIsFoundInTheOneThereIs() throws Exception {
        ParkedRows before = new ParkedRows(elsewhere());
        for (int n : List.of(1, 2)) {
            deadDelivery(n, true);
            tables.setDelivery(n, "source = '" + elsewhere().ceSource() + "', ordering_key = 'k" + n + "'");
            before.park(BILLING, id(n), "k" + n, "inline", "{}");
        }
        assertThat(texts(letters.skip(BILLING, Set.of(id(1)), ORDER)))
                .isEqualTo(Map.of(id(1), "skipped: 0 newer rows go on"));
        assertThat(texts(letters.discard(BILLING, Set.of(id(2)), ORDER)))
                .isEqualTo(Map.of(id(2), "cleared: discarded"));
        assertThat(tables.ofDelivery(1, "concat(status, halts)")).isEqualTo("DEADf");
        assertThat(tables.ofDelivery(2, "concat(status, halts)")).isEqualTo("CANCELLEDf");
        assertThat(stack.reader().read(config.topicNames().retry(BILLING)))
                .extracting(word -> TopicReader.header(word, "tailrace-control"))
                .containsExactlyInAnyOrder("skip", "discard");
    }

    private TailraceConfig elsewhere() {
        return subscribing(ParkedRows.config(stack.namespace(), stack.bootstrapServers(), "127.0.0.1", 1, "elsewhere"));
    }

    private static TailraceConfig subscribing(TailraceConfig config) {
        return config.subscribing(List.of(new SubscriptionConfig(BILLING, List.of("a.thing"))));
    }

    private void deadDelivery(int n, boolean halts) throws Exception {
        tables.waitingDelivery(BILLING, n, "k", n, "NULL", n);
        tables.setDelivery(
                n, "status = 'DEAD', failed_at = now() - interval '40 days', announced_at = now(), halts = " + halts);
    }

    private void deadCommand(int n, boolean halts) throws Exception {
        tables.command(n, "DEAD", null, "now() - interval '40 days'");
        tables.set(n, "failed_at = now() - interval '40 days', announced_at = now(), halts = " + halts);
        tables.standing(n, "k" + n, 10);
    }

    private static Map<String, String> texts(Replay.Report report) {
        return report.rows().stream()
                .collect(Collectors.toMap(row -> row.letter().rowId(), Replay.Row::text));
    }
}
