package io.tailrace.benchmarks.contender;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.PGReplicationStream;

/**
 * The limit: the replication stream as the driver gives it, looked at as far as is needed to count inserts. It confirms nothing to the
 * slot and could not resume.
 */
final class LimitPipeline implements Pipeline {

    /** First byte of an insert in the protocol of pgoutput. */
    private static final byte INSERT = 'I';

    private static final long IDLE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    private final Servers servers;
    private final Site site;
    private final Rows rows;
    private final Thread reader = new Thread(this::read, "limit-reader");
    private volatile boolean stopping;
    private volatile @Nullable Exception failure;

    LimitPipeline(Servers servers, Site site, Rows rows) {
        this.servers = servers;
        this.site = site;
        this.rows = rows;
    }

    @Override
    public void start() {
        reader.start();
    }

    @Override
    public long delivered() {
        Exception failed = failure;
        if (failed != null) {
            throw new IllegalStateException("the stream has ended", failed);
        }
        return rows.done();
    }

    @Override
    public void close() {
        stopping = true;
        try {
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        rows.close();
    }

    private void read() {
        try (Connection connection = connect();
                PGReplicationStream stream = stream(connection)) {
            while (!stopping) {
                ByteBuffer message = stream.readPending();
                if (message == null) {
                    LockSupport.parkNanos(IDLE_NANOS);
                } else if (message.get(message.position()) == INSERT) {
                    rows.take(message);
                }
            }
        } catch (SQLException | RuntimeException e) {
            failure = e;
        }
    }

    private Connection connect() throws SQLException {
        Properties properties = new Properties();
        PGProperty.REPLICATION.set(properties, "database");
        PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
        PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "15");
        return DriverManager.getConnection(servers.jdbcUrl(site), properties);
    }

    private PGReplicationStream stream(Connection connection) throws SQLException {
        return connection
                .unwrap(PGConnection.class)
                .getReplicationAPI()
                .replicationStream()
                .logical()
                .withSlotName(site.ownership().slot())
                .withSlotOption("proto_version", 1)
                .withSlotOption("publication_names", site.ownership().publication())
                .withStatusInterval(10, TimeUnit.SECONDS)
                .start();
    }
}
