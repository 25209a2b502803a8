package io.tailrace.benchmarks.contender;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.logging.LogLevel;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.FailureHandler;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * db-scheduler with one-time tasks, which it locks and fetches in batches, as its guide advises for throughput. A handler writes in a
 * transaction of its own; that the task is done is another: the scheduler does not share one.
 */
final class DbSchedulerPipeline implements Pipeline {

    private static final Duration RETRY = Duration.ofSeconds(10);

    private final CommandWork work = new CommandWork(Clock.systemUTC());
    private final AtomicLong done = new AtomicLong();
    private final HikariDataSource pool;
    private final Scheduler scheduler;

    private DbSchedulerPipeline(String jdbcUrl, PeerSettings settings) {
        HikariConfig connections = new HikariConfig();
        connections.setJdbcUrl(jdbcUrl);
        // One more to fetch with, and some for heartbeats and the like.
        connections.setMaximumPoolSize(settings.threads() + 4);
        this.pool = new HikariDataSource(connections);
        OneTimeTask<byte[]> reminder = Tasks.oneTime(CommandWork.NAME, byte[].class)
                .onFailure(new FailureHandler.OnFailureRetryLater<>(RETRY))
                .execute((instance, context) -> run(instance));
        this.scheduler = Scheduler.create(pool, reminder)
                .schedulerName(new SchedulerName.Fixed("bench"))
                .threads(settings.threads())
                .pollingInterval(settings.poll())
                .pollUsingLockAndFetch(1.0, 4.0)
                .serializer(new Bytes())
                .failureLogging(LogLevel.DEBUG, false)
                .build();
    }

    static DbSchedulerPipeline of(Servers servers, Site site, Map<String, String> settings) {
        return new DbSchedulerPipeline(servers.jdbcUrl(site), PeerSettings.of(settings));
    }

    @Override
    public void start() {
        scheduler.start();
    }

    @Override
    public long delivered() {
        return done.get();
    }

    @Override
    public void close() {
        try (pool) {
            scheduler.stop();
        }
    }

    private void run(TaskInstance<byte[]> instance) {
        // The instance is named key/number.
        String key = instance.getId().substring(0, instance.getId().lastIndexOf('/'));
        try (Connection connection = pool.getConnection()) {
            work.run(connection, instance.getData(), key);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        done.incrementAndGet();
    }

    /** Payloads are bytes already. */
    private static final class Bytes implements Serializer {

        @Override
        public byte[] serialize(Object data) {
            return (byte[]) data;
        }

        @Override
        public <T> T deserialize(Class<T> type, byte[] bytes) {
            return type.cast(bytes);
        }
    }
}
