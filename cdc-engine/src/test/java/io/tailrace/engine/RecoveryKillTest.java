package io.tailrace.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.StartRefused;
import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A recovery that is killed where it may hurt, with SIGKILL, and run again: while it reads the raw topics, and while it publishes. Its heap
 * does not grow with the rows: the ids of two million would not fit into what it is given.
 */
@RealParts
class RecoveryKillTest {

    private static final Duration PATIENCE = Duration.ofSeconds(600);

    /** Rows of one INSERT. */
    private static final int FILL = 100_000;

    private static final String READING = "reading ";
    private static final String READ = "read ";
    private static final String HOLD = "the raw topics hold ";
    private static final String PUBLISHED = "published ";

    /** By the row's number: how often it was read. */
    private byte[] counts = {};

    private boolean ended;

    @Test
    void killedWhileItReadsAndWhileItPublishesItNeitherLosesNorDoubles(Stack stack) throws Exception {
        recovered(stack, 20_000, 7_000, "64m");
    }

    /** {@code mvn -Plong}; {@code -Dtailrace.rows=} takes others. */
    @Tag("long")
    @Test
    void theSameWithMillionsOfRows(Stack stack) throws Exception {
        recovered(stack, Integer.getInteger("tailrace.rows", 2_000_000), 60_000, "128m");
    }

    /** @param lacking of the rows, committed while there is no slot; the first tenth of them has an id that was there before */
    private void recovered(Stack stack, int rows, int lacking, String heap) throws Exception {
        int captured = rows - lacking;
        int twins = lacking / 10;
        counts = new byte[rows + 1];
        EngineFixture.migrate(stack);
        long began = System.nanoTime();
        fill(stack, captured);
        stack.execute(
                EngineFixture.dropSlot("tailrace_%s_%s".formatted(stack.namespace(), stack.database())),
                insert(0, lacking - 1, "CASE WHEN n < %d THEN n * 7 ELSE %d + n END".formatted(twins, captured)));
        // In the topics and no longer in the table: no reason to publish anything.
        stack.execute("DELETE FROM tailrace.outbox WHERE id = " + id(Integer.toString(captured - 1)));
        System.out.printf("%d rows captured, %d lacking: %d ms%n", captured, lacking, millisSince(began));

        killedWhileItReads(stack, heap, captured);
        killedWhileItPublishes(stack, heap, lacking);
        try (EngineFixture fixture = new EngineFixture(stack)) {
            assertThatThrownBy(fixture::started).isInstanceOf(StartRefused.class);
        }
        stack.execute(insert(rows, rows, "n"));
        int published = runToTheEnd(stack, heap);

        count(stack);
        int missing = 0;
        int doubled = 0;
        for (int n = 0; n < counts.length; n++) {
            // The numbers of the twins' second rows were never given out.
            int wanted = n % 7 == 0 && n / 7 < twins ? 2 : n >= captured && n < captured + twins ? 0 : 1;
            missing += Math.max(0, wanted - counts[n]);
            doubled += Math.max(0, counts[n] - wanted);
        }
        System.out.printf("%d rows: %d missing, %d doubled%n", rows + 1, missing, doubled);
        assertThat(missing).as("missing").isZero();
        assertThat(doubled).as("doubled").isZero();
        assertThat(published).as("by the last run").isBetween(1, lacking - 1);
        assertThat(EngineFixture.query(stack, "SELECT count(*) FROM tailrace.outbox WHERE event_name = 'a.row'"))
                .isEqualTo(Integer.toString(rows));
    }

    private static void killedWhileItReads(Stack stack, String heap, int captured) {
        try (ChildJvm recovery = RecoveryProcess.start(stack, heap)) {
            String said = recovery.awaitLine(
                    "half of the topics",
                    line -> captured > 1_000_000 ? told(line, READ) >= captured / 2 : line.startsWith(READING),
                    PATIENCE);
            recovery.kill();
            System.out.println("killed at: " + said);
            assertThat(recovery.output()).as("killed in the middle").noneMatch(line -> line.startsWith(HOLD));
        }
    }

    private static void killedWhileItPublishes(Stack stack, String heap, int lacking) {
        try (ChildJvm recovery = RecoveryProcess.start(stack, heap)) {
            int half = lacking > 20_000 ? lacking / 2 : 1;
            String said = recovery.awaitLine("half published", line -> told(line, PUBLISHED) >= half, PATIENCE);
            recovery.kill();
            System.out.println("killed at: " + said);
            assertThat(recovery.output())
                    .as("killed in the middle")
                    .noneMatch(line -> line.startsWith(RecoveryProcess.DONE));
        }
    }

    /** How many rows the last run has published. */
    private static int runToTheEnd(Stack stack, String heap) {
        long began = System.nanoTime();
        try (ChildJvm recovery = RecoveryProcess.start(stack, heap)) {
            String said = recovery.awaitLine(RecoveryProcess.DONE, PATIENCE);
            assertThat(recovery.awaitExit(Duration.ofSeconds(30))).isZero();
            System.out.printf("run to the end in %d ms, %s; it said: %s%n", millisSince(began), said, words(recovery));
            return (int) told(said, RecoveryProcess.DONE);
        }
    }

    private static List<String> words(ChildJvm recovery) {
        return recovery.output().stream()
                .filter(line -> Character.isLowerCase(line.isEmpty() ? ' ' : line.charAt(0)))
                .toList();
    }

    private static void fill(Stack stack, int rows) throws SQLException {
        try (ChildJvm engine = EngineProcess.start(stack)) {
            engine.awaitLine(EngineProcess.READY, PATIENCE);
            for (int first = 0; first < rows; first += FILL) {
                stack.execute(insert(first, Math.min(first + FILL, rows) - 1, "n"));
            }
            int[] read = {0};
            try (Witness witness = new Witness(stack.bootstrapServers(), stack.namespace() + ".raw.events")) {
                witness.readUntil(record -> read[0]++, () -> read[0] >= rows, PATIENCE);
            }
            assertThat(read[0]).isEqualTo(rows);
        }
    }

    /** An engine runs, one more row passes, and what would come twice or late has come before it. */
    private void count(Stack stack) throws SQLException {
        try (ChildJvm engine = EngineProcess.start(stack);
                Witness witness = new Witness(stack.bootstrapServers(), stack.namespace() + ".raw.events")) {
            engine.awaitLine(EngineProcess.READY, PATIENCE);
            stack.execute("INSERT INTO tailrace.outbox (event_name) VALUES ('the.end')");
            witness.readUntil(this::add, () -> ended, PATIENCE);
            witness.readToEnd(this::add);
        }
        assertThat(ended).as("an engine took one more row").isTrue();
    }

    private void add(ConsumerRecord<byte[], byte[]> record) {
        if ("the.end".equals(EngineFixture.header(record, "ce_type"))) {
            ended = true;
            return;
        }
        counts[Integer.parseInt(EngineFixture.header(record, "ce_id").substring(24), 16)]++;
    }

    /** Rows of an age that says nothing of when they were captured. */
    private static String insert(int first, int last, String number) {
        return """
                INSERT INTO tailrace.outbox (id, event_name, ordering_key, payload, occurred_at)
                SELECT %s, 'a.row', 'k' || n %% 500, to_json(repeat('x', 100)), now() - (n %% 3600) * interval '1 s'
                  FROM generate_series(%d, %d) n
                """.formatted(id(number), first, last);
    }

    private static String id(String number) {
        return "('00000000-0000-7000-8000-' || lpad(to_hex(" + number + "), 12, '0'))::uuid";
    }

    /** The number that such a line tells; -1 when it is another line. */
    private static long told(String line, String begin) {
        return line.startsWith(begin)
                ? Long.parseLong(line.substring(begin.length())
                        .replaceFirst("\\D* .*", "")
                        .replace(",", ""))
                : -1;
    }

    private static long millisSince(long began) {
        return Duration.ofNanos(System.nanoTime() - began).toMillis();
    }
}
