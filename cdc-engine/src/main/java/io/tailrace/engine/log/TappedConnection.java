package io.tailrace.engine.log;

import io.debezium.connector.postgresql.connection.Lsn;
import io.debezium.connector.postgresql.connection.ReplicationConnection;
import io.debezium.connector.postgresql.connection.ReplicationStream;
import io.debezium.connector.postgresql.connection.WalPositionLocator;
import io.debezium.connector.postgresql.spi.SlotCreationResult;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.ExecutorService;

/**
 * Debezium's replication connection with a {@link LogTap} on its stream. Debezium streams twice: first to search the place to begin at,
 * and sees everything; then, connected anew, from there on, and what the tap takes it does not see.
 */
final class TappedConnection implements ReplicationConnection {

    private final ReplicationConnection debezium;
    private final ChangeQueue queue;
    private boolean searched;

    TappedConnection(ReplicationConnection debezium, ChangeQueue queue) {
        this.debezium = debezium;
        this.queue = queue;
    }

    @Override
    public ReplicationStream startStreaming(WalPositionLocator walPosition) {
        throw new IllegalStateException("streaming begins at a position, always");
    }

    @Override
    public ReplicationStream startStreaming(Lsn offset, WalPositionLocator walPosition)
            throws SQLException, InterruptedException {
        ReplicationStream stream = debezium.startStreaming(offset, walPosition);
        if (!searched) {
            if (!walPosition.searchingEnabled()) {
                throw new IllegalStateException("streaming begins with a search, always");
            }
            return stream;
        }
        return new Tapped(
                stream, new LogTap(queue, walPosition.getLastCommitStoredLsn().asLong()));
    }

    @Override
    public Optional<SlotCreationResult> createReplicationSlot() throws SQLException {
        return debezium.createReplicationSlot();
    }

    @Override
    public void initConnection() throws SQLException, InterruptedException {
        debezium.initConnection();
    }

    @Override
    public boolean isConnected() throws SQLException {
        return debezium.isConnected();
    }

    @Override
    public void reconnect() throws SQLException {
        // What Debezium does between its search and its stream, and at no other time.
        searched = true;
        debezium.reconnect();
    }

    @Override
    public void close() throws Exception {
        debezium.close();
    }

    private record Tapped(ReplicationStream debezium, LogTap tap) implements ReplicationStream {

        @Override
        public void read(ReplicationMessageProcessor processor) throws SQLException, InterruptedException {
            debezium.read(message -> tap.take(message, debezium.lastReceivedLsn(), processor));
        }

        @Override
        public boolean readPending(ReplicationMessageProcessor processor) throws SQLException, InterruptedException {
            return debezium.readPending(message -> tap.take(message, debezium.lastReceivedLsn(), processor));
        }

        @Override
        public void flushLsn(Lsn lsn) throws SQLException {
            debezium.flushLsn(lsn);
        }

        @Override
        public Lsn lastReceivedLsn() {
            return debezium.lastReceivedLsn();
        }

        @Override
        public Lsn startLsn() {
            return debezium.startLsn();
        }

        @Override
        public void startKeepAlive(ExecutorService service) {
            debezium.startKeepAlive(service);
        }

        @Override
        public void stopKeepAlive() {
            debezium.stopKeepAlive();
        }

        @Override
        public void close() throws Exception {
            debezium.close();
        }
    }
}
