package io.tailrace.operations;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tailrace.contract.config.TailraceConfig;
import io.tailrace.contract.name.Topics;
import io.tailrace.operations.Replay.Ending;
import io.tailrace.operations.Replay.Order;
import io.tailrace.operations.Replay.Outcome;
import io.tailrace.operations.Replay.Report;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import io.tailrace.testkit.TopicReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each row of the table stands differently, and has a letter. */
@RealParts
class CommandLettersTest {

    private static final Order DRY = new Order("dry", "somebody", true);
    private static final Order ORDER = new Order("real", "somebody", false);

    private static final String DEAD = id(1);
    private static final String TAKEN = id(2);
    private static final String FOLLOWED = id(3);
    private static final String COMPLETED = id(4);
    private static final String CANCELLED = id(5);
    private static final String PENDING = id(6);
    private static final String GONE = id(7);

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private Stack stack;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private TailraceConfig config;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private ParkedRows parked;

    @SuppressWarnings("NullAway.Init") // by beforeEach
    private DeadLetters deadLetters;

    @BeforeEach
    void tables(Stack stack) throws SQLException {
        this.stack = stack;
        config = Tables.on(stack).config;
        parked = new ParkedRows(config);
        deadLetters = new DeadLetters(config);
    }

    @Test
    void aDryRunLooksAtTheRowsAndTellsWhatTheReplayThenDoes() throws Exception {
        row(DEAD, "DEAD", null);
        row(TAKEN, "DEAD", null);
        row(FOLLOWED, "DEAD", "nightly");
        row(id(9), "PENDING", "nightly");
        // The payload is in the row: that the letter has none does not matter.
        parked.park(Topics.COMMANDS, DEAD, "k", "omitted", "");
        parked.park(Topics.COMMANDS, TAKEN, "k", "inline", "{}");
        parked.park(Topics.COMMANDS, FOLLOWED, "k", "inline", "{}");
        try (Connection worker = stack.connect()) {
            worker.setAutoCommit(false);
            worker.createStatement()
                    .execute("SELECT FROM tailrace.internal_command WHERE id = '" + TAKEN + "' FOR UPDATE");
            assertThat(outcomes(dryRunThatWritesNothing()))
                    .isEqualTo(Map.of(DEAD, Outcome.WOULD_REPLAY, TAKEN, Outcome.RUNNING, FOLLOWED, Outcome.DUPLICATE));
            assertThat(outcomes(replay(ORDER)))
                    .isEqualTo(Map.of(DEAD, Outcome.REPLAYED, TAKEN, Outcome.RUNNING, FOLLOWED, Outcome.DUPLICATE));
        }
    }

    @Test
    void newerCommandsOfTheKeyThatWereDoneAreCountedAndAStrictReplayStaysAway() throws Exception {
        row(DEAD, "DEAD", null);
        row(TAKEN, "DEAD", null);
        keyed(DEAD, "k", "place = 50, failed_at = now() - interval '1 hour'");
        keyed(TAKEN, "j", "place = 50, failed_at = now() - interval '1 hour'");
        int n = 20;
        for (String set : List.of(
                "place = 51, completed_at = now()",
                "place = 49, completed_at = now()",
                "completed_at = now()",
                "completed_at = now() - interval '2 hours'")) {
            row(id(n), "COMPLETED", null);
            keyed(id(n++), "k", set);
        }
        row(id(n), "CANCELLED", null);
        keyed(id(n), "k", "place = 60, completed_at = now()");
        parked.park(Topics.COMMANDS, DEAD, "k", "inline", "{}");
        parked.park(Topics.COMMANDS, TAKEN, "j", "inline", "{}");

        assertThat(newer(dryRunThatWritesNothing())).isEqualTo(Map.of(DEAD, "2", TAKEN, "0"));
        assertThat(texts(replay(new Order("strict", "somebody", false, true))))
                .isEqualTo(Map.of(DEAD, "newer-delivered: 2 newer rows of its key were delivered", TAKEN, "replayed"));
        assertThat(text("SELECT status FROM tailrace.internal_command WHERE id = '" + DEAD + "'"))
                .isEqualTo("DEAD");
        assertThat(newer(replay(ORDER))).containsEntry(DEAD, "2");
    }

    private void keyed(String id, String key, String set) throws SQLException {
        stack.execute("UPDATE tailrace.internal_command SET ordering_key = '" + key + "', " + set + " WHERE id = '" + id
                + "'");
    }

    private static Map<String, String> newer(Report report) {
        return report.rows().stream()
                .filter(row -> row.newer().isPresent())
                .collect(toMap(
                        row -> row.letter().rowId(),
                        row -> row.newer().map(Replay.Newer::text).orElse("?")));
    }

    @Test
    void whatCanNotRunAnyMoreIsClearedAndAPendingRowKeepsItsLetter() throws Exception {
        row(COMPLETED, "COMPLETED", null);
        row(CANCELLED, "CANCELLED", null);
        row(PENDING, "PENDING", null);
        for (String each : List.of(COMPLETED, CANCELLED, PENDING, GONE, "no uuid")) {
            parked.park(Topics.COMMANDS, each, "k", "inline", "{}");
        }
        assertThat(texts(dryRunThatWritesNothing()))
                .isEqualTo(Map.of(
                        COMPLETED,
                        "would-clear: row completed",
                        CANCELLED,
                        "would-clear: row cancelled",
                        PENDING,
                        "already-requeued",
                        GONE,
                        "would-clear: row gone",
                        "no uuid",
                        "would-clear: row gone"));
        Report report = replay(ORDER);
        assertThat(texts(report))
                .isEqualTo(Map.of(
                        COMPLETED,
                        "cleared: row completed",
                        CANCELLED,
                        "cleared: row cancelled",
                        PENDING,
                        "already-requeued",
                        GONE,
                        "cleared: row gone",
                        "no uuid",
                        "cleared: row gone"));
        assertThat(report.isDone()).isTrue();
        assertThat(deadLetters.list(Topics.COMMANDS, Selection.ALL))
                .extracting(DeadLetter::rowId)
                .containsExactly(PENDING);
        assertThat(stack.reader().uncommitted().read(config.topicNames().retry(Topics.COMMANDS)))
                .isEmpty();
    }

    @Test
    void whatChangedBeforeTheOthersWereFencedIsSeenAndTheLetterStays() throws Exception {
        parked.park(Topics.COMMANDS, GONE, "k", "inline", "{}");
        CommandLetters racing = new CommandLetters(config, new LetterTransactions(config), rows -> {
            insertPending(GONE);
            return deadLetters.list(Topics.COMMANDS, Selection.ofRows(rows));
        });
        Report report = racing.replay(deadLetters.list(Topics.COMMANDS, Selection.ALL), ORDER, 10);
        assertThat(texts(report)).isEqualTo(Map.of(GONE, "already-requeued"));
        assertThat(deadLetters.list(Topics.COMMANDS, Selection.ALL)).hasSize(1);
    }

    @Test
    void aMalformedRowIsRefusedUnlessNothingIsLeftOfIt() throws Exception {
        row(DEAD, "DEAD", null);
        row(CANCELLED, "CANCELLED", null);
        parked.parkMalformed(Topics.COMMANDS, DEAD, "handler");
        parked.parkMalformed(Topics.COMMANDS, CANCELLED, "handler");
        assertThat(texts(dryRunThatWritesNothing()))
                .isEqualTo(Map.of(DEAD, "malformed: insert a corrected row", CANCELLED, "would-clear: row cancelled"));
        Report report = replay(ORDER);
        assertThat(texts(report))
                .isEqualTo(Map.of(DEAD, "malformed: insert a corrected row", CANCELLED, "cleared: row cancelled"));
        assertThat(report.isDone()).isFalse();
        assertThat(text("SELECT status FROM tailrace.internal_command WHERE id = '" + DEAD + "'"))
                .isEqualTo("DEAD");
    }

    @Test
    void aDeadCommandThatIsDiscardedIsCancelledAndAPendingOneKeepsItsLetter() throws Exception {
        row(DEAD, "DEAD", null);
        row(TAKEN, "DEAD", null);
        row(PENDING, "PENDING", null);
        Set<String> all = Set.of(DEAD, TAKEN, PENDING, GONE);
        for (String each : all) {
            parked.park(Topics.COMMANDS, each, "k", "inline", "{}");
        }
        Map<String, String> kept = Map.of(PENDING, "already-requeued", TAKEN, "running");
        try (Connection worker = stack.connect()) {
            worker.setAutoCommit(false);
            worker.createStatement()
                    .execute("SELECT FROM tailrace.internal_command WHERE id = '" + TAKEN + "' FOR UPDATE");
            assertThat(texts(deadLetters.discard(Topics.COMMANDS, all, DRY)))
                    .containsAllEntriesOf(kept)
                    .containsEntry(DEAD, "would-clear: row dead, it is cancelled first")
                    .containsEntry(GONE, "would-clear: row gone");
            assertThat(status(DEAD)).isEqualTo("DEAD");
            assertThat(texts(deadLetters.discard(Topics.COMMANDS, all, ORDER)))
                    .containsAllEntriesOf(kept)
                    .containsEntry(DEAD, "cleared: row dead, cancelled")
                    .containsEntry(GONE, "cleared: row gone");
        }
        assertThat(List.of(status(DEAD), status(TAKEN), status(PENDING)))
                .containsExactly("CANCELLED", "DEAD", "PENDING");
        assertThat(deadLetters.list(Topics.COMMANDS, Selection.ALL))
                .extracting(DeadLetter::rowId)
                .containsExactlyInAnyOrder(TAKEN, PENDING);
    }

    private String status(String id) throws SQLException {
        return text("SELECT status FROM tailrace.internal_command WHERE id = '" + id + "'");
    }

    @Test
    void whoAskedForARequeueIsNoted() throws Exception {
        row(DEAD, "DEAD", null);
        row(PENDING, "PENDING", null);
        parked.park(Topics.COMMANDS, DEAD, "k", "inline", "{}");
        parked.park(Topics.COMMANDS, PENDING, "k", "inline", "{}");
        dryRunThatWritesNothing();
        replay(ORDER);
        assertThat(stack.reader().read(config.topicNames().operations()))
                .extracting(record -> TopicReader.text(record.key()), record -> TopicReader.text(record.value()))
                .containsExactly(tuple(
                        "requeue/commands/" + DEAD + "/real",
                        "requeue asked for: of=commands row=" + DEAD + " reason=no-route by=somebody"));
    }

    @Test
    void whatWasDoneBeforeAFailureIsReported() throws Exception {
        row(DEAD, "DEAD", null);
        parked.park(Topics.COMMANDS, DEAD, "k", "inline", "{}");
        parked.park(Topics.COMMANDS, GONE, "k", "inline", "{}");
        List<DeadLetter> letters = deadLetters.list(Topics.COMMANDS, Selection.ALL);
        CommandLetters failing = new CommandLetters(config, new LetterTransactions(config), rows -> {
            throw new KafkaException("the broker is away");
        });
        Report report = failing.replay(letters, ORDER, 10);
        assertThat(report.ending()).isEqualTo(Ending.FAILED);
        assertThat(report.because()).isEqualTo("the broker is away");
        assertThat(outcomes(report)).isEqualTo(Map.of(DEAD, Outcome.REPLAYED));
        assertThat(report.remaining()).isEqualTo(1);
        assertThat(report.isDone()).isFalse();
        List<DeadLetter> gone =
                letters.stream().filter(each -> each.rowId().equals(GONE)).toList();
        assertThatThrownBy(() -> failing.replay(gone, ORDER, 10))
                .as("nothing was done")
                .hasMessage("the broker is away");
    }

    @Test
    void aFencedReplayThatReachedNothingIsNotDone() {
        assertThat(new Report(ORDER, List.of(), 0, Ending.FENCED).isDone()).isFalse();
        assertThat(new Report(ORDER, List.of(), 0, Ending.COMPLETE).isDone()).isTrue();
    }

    @Test
    void anOrderThatTheRouterDidNotKnowIsNoRow() throws Exception {
        String order = "shop.raw.commands-0@7";
        parked.parkMalformed(Topics.COMMANDS, order, "control");
        assertThat(texts(replay(ORDER)))
                .isEqualTo(Map.of(order, "malformed: word about a row, not a row: give an order again"));
        assertThat(texts(deadLetters.discard(Topics.COMMANDS, Set.of(order), ORDER)))
                .isEqualTo(Map.of(order, "cleared: word about a row, not a row"));
        assertThat(deadLetters.list(Topics.COMMANDS, Selection.ALL)).isEmpty();
    }

    @Test
    void aLetterOfAnotherDatabaseIsLeftAlone() throws Exception {
        TailraceConfig elsewhere =
                ParkedRows.config(stack.namespace(), stack.bootstrapServers(), "127.0.0.1", 1, "elsewhere");
        new ParkedRows(elsewhere).park(Topics.COMMANDS, GONE, "k", "inline", "{}");
        assertThat(outcomes(replay(ORDER))).isEqualTo(Map.of(GONE, Outcome.NOT_FOUND));
        assertThat(deadLetters.list(Topics.COMMANDS, Selection.ALL)).hasSize(1);
    }

    private void insertPending(String id) {
        try {
            row(id, "PENDING", null);
        } catch (SQLException failed) {
            throw new AssertionError(failed);
        }
    }

    /** No record, no transactional id, no change of a row, and no lock: xmax would show it. */
    private Report dryRunThatWritesNothing() throws Exception {
        Map<TopicPartition, Long> ends = ends();
        String rows = rows();
        Report report = replay(DRY);
        assertThat(ends()).isEqualTo(ends);
        assertThat(rows()).isEqualTo(rows);
        try (Admin admin = stack.admin()) {
            assertThat(admin.listTransactions().all().get())
                    .noneMatch(listing -> listing.transactionalId()
                            .startsWith(config.namespace().value()));
        }
        return report;
    }

    private Map<TopicPartition, Long> ends() throws Exception {
        try (Admin admin = stack.admin()) {
            List<String> ours = admin.listTopics().names().get().stream()
                    .filter(topic -> topic.startsWith(config.namespace().value() + "."))
                    .toList();
            Map<TopicPartition, OffsetSpec> partitions =
                    admin.describeTopics(ours).allTopicNames().get().values().stream()
                            .flatMap(topic -> topic.partitions().stream()
                                    .map(each -> new TopicPartition(topic.name(), each.partition())))
                            .collect(toMap(partition -> partition, partition -> OffsetSpec.latest()));
            return admin.listOffsets(partitions).all().get().entrySet().stream()
                    .collect(toMap(Map.Entry::getKey, end -> end.getValue().offset()));
        }
    }

    private String rows() throws SQLException {
        return text("SELECT string_agg(concat(ctid, xmin, xmax, to_jsonb(c)), E'\\n' ORDER BY id)"
                + " FROM tailrace.internal_command c");
    }

    private String text(String query) throws SQLException {
        try (Connection connection = stack.connect();
                var found = connection.createStatement().executeQuery(query)) {
            found.next();
            return String.valueOf(found.getString(1));
        }
    }

    private void row(String id, String status, @org.jspecify.annotations.Nullable String dedupKey) throws SQLException {
        stack.execute("INSERT INTO tailrace.internal_command (id, command_name, status, dedup_key) VALUES ('" + id
                + "', 'mail', '" + status + "', " + (dedupKey == null ? "NULL" : "'" + dedupKey + "'") + ")");
    }

    private Report replay(Order order) {
        return deadLetters.replay(Topics.COMMANDS, Selection.ALL, order);
    }

    private static Map<String, Outcome> outcomes(Report report) {
        return report.rows().stream().collect(toMap(row -> row.letter().rowId(), Replay.Row::outcome));
    }

    private static Map<String, String> texts(Report report) {
        return report.rows().stream().collect(toMap(row -> row.letter().rowId(), Replay.Row::text));
    }

    private static String id(int n) {
        return new UUID(0x0190b7a000007000L, 0x8000000000000000L + n).toString();
    }
}
