package io.tailrace.engine.crash;

import io.tailrace.testkit.ChildJvm;
import io.tailrace.testkit.TopicReader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Kills an engine again and again while writers write, lets it finish, and counts: the rows in the table against the records that a
 * reader of committed records sees.
 *
 * @param jdbcUrl of the source
 * @param bootstrapServers of the broker
 * @param topic the raw topic of events
 * @param engine starts one in a JVM of its own that prints {@link #READY} when rows flow
 * @param settings size of the run
 */
public record CrashLoop(
        String jdbcUrl, String bootstrapServers, String topic, Supplier<ChildJvm> engine, Settings settings) {

    /** What an engine prints when rows flow. */
    public static final String READY = "engine is READY";

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /**
     * Size of a run.
     *
     * @param kills how often the engine is killed
     * @param writers that write side by side
     * @param copyRows most rows of one COPY
     * @param messages whether most events are messages, not rows
     * @param rowsPerKill that are written around each death, twice
     * @param seed of the writers and of the moments of death
     */
    public record Settings(int kills, int writers, int copyRows, boolean messages, int rowsPerKill, long seed) {}

    /**
     * What was counted.
     *
     * @param phantoms records of rows that were never committed
     * @param orderViolations records that stand before an earlier row of their key
     */
    public record Result(
            long seed,
            int kills,
            int rowsCommitted,
            int rowsRead,
            int missing,
            int duplicated,
            int phantoms,
            int orderViolations) {

        /** Nothing missing, doubled, made up or out of order. */
        public boolean isClean() {
            return missing == 0 && duplicated == 0 && phantoms == 0 && orderViolations == 0;
        }
    }

    /** Runs it; takes some seconds for each kill. */
    public Result run() throws SQLException {
        Random random = new Random(settings.seed());
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE emitted (id uuid)");
        }
        try (Workload workload =
                new Workload(jdbcUrl, settings.writers(), settings.copyRows(), settings.messages(), settings.seed())) {
            for (int kill = 0; kill < settings.kills(); kill++) {
                workload.allow(settings.rowsPerKill());
                try (ChildJvm child = engine.get()) {
                    // Most deaths come while rows flow; one in five while the engine still looks for its place.
                    if (random.nextInt(5) > 0) {
                        child.awaitLine(READY, PATIENCE);
                    }
                    workload.allow(settings.rowsPerKill());
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(900)));
                    child.kill();
                }
            }
        }
        Set<String> committed = committedIds();
        Count count = new Count(committed);
        try (ChildJvm last = engine.get();
                Witness witness = new Witness(bootstrapServers, topic)) {
            last.awaitLine(READY, PATIENCE);
            witness.readUntil(count::add, count::isComplete, PATIENCE);
            last.kill();
            witness.readToEnd(count::add);
        }
        return count.result(settings);
    }

    /** Waits until a topic holds so many committed records and says how many it holds then, or when the time has passed. */
    public static int awaitRows(String bootstrapServers, String topic, int rows) {
        AtomicInteger read = new AtomicInteger();
        try (Witness witness = new Witness(bootstrapServers, topic)) {
            witness.readUntil(record -> read.incrementAndGet(), () -> read.get() >= rows, PATIENCE);
            witness.readToEnd(record -> read.incrementAndGet());
        }
        return read.get();
    }

    /** What was seen, row by row. */
    private static final class Count {

        private final Set<String> committed;
        private final Set<String> missing;
        private final Map<String, Integer> lastOfKey = new HashMap<>();
        private int read;
        private int duplicated;
        private int phantoms;
        private int orderViolations;

        Count(Set<String> committed) {
            this.committed = committed;
            this.missing = new HashSet<>(committed);
        }

        boolean isComplete() {
            return missing.isEmpty();
        }

        void add(ConsumerRecord<byte[], byte[]> record) {
            read++;
            String id = String.valueOf(TopicReader.header(record, "ce_id"));
            if (!committed.contains(id)) {
                phantoms++;
            } else if (!missing.remove(id)) {
                duplicated++;
            }
            int number = Integer.parseInt(String.valueOf(TopicReader.text(record.value())));
            Integer before = lastOfKey.put(String.valueOf(TopicReader.text(record.key())), number);
            if (before != null && before >= number) {
                orderViolations++;
            }
        }

        Result result(Settings settings) {
            return new Result(
                    settings.seed(),
                    settings.kills(),
                    committed.size(),
                    read,
                    missing.size(),
                    duplicated,
                    phantoms,
                    orderViolations);
        }
    }

    private Set<String> committedIds() throws SQLException {
        List<String> ids = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT id::text FROM tailrace.outbox UNION ALL SELECT id::text FROM emitted")) {
            while (row.next()) {
                ids.add(row.getString(1));
            }
        }
        return new HashSet<>(ids);
    }
}
