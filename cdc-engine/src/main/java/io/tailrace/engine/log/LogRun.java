package io.tailrace.engine.log;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What can be taken away from a run of Debezium whose threads wait for something that does not come. A call that waits for a server
 * that says nothing cannot be interrupted; when its socket is closed it ends. And once they are all closed, and no new one is made, the
 * run cannot hold the slot any more, whatever its threads still do. A reader that waits for room in a queue that nobody empties any more
 * goes when the queue is closed.
 *
 * <p>Debezium and the driver make their parts by class name; these find their run by a number among the options. Thread-safe.
 */
final class LogRun implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LogRun.class);

    private static final String NUMBER = "driver.socketFactoryArg";

    private static final Map<String, LogRun> RUNS = new ConcurrentHashMap<>();

    private static final AtomicLong NUMBERS = new AtomicLong();

    private final String number = Long.toString(NUMBERS.incrementAndGet());
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;
    private volatile boolean readEnough;
    private volatile @Nullable ChangeQueue queue;

    LogRun() {
        RUNS.put(number, this);
    }

    /** The run of a number; none when it is over. */
    static Optional<LogRun> numbered(String number) {
        return Optional.ofNullable(RUNS.get(number));
    }

    /** The run that these options of Debezium lead to; none when it is over, or when they lead to none. */
    static Optional<LogRun> of(Map<String, String> options) {
        return numbered(options.getOrDefault(NUMBER, ""));
    }

    /** The options that lead here. */
    Map<String, String> options() {
        return Map.of("driver.socketFactory", RunSockets.class.getName(), NUMBER, number);
    }

    /** The queue that the run reads into. */
    void readsInto(ChangeQueue made) {
        queue = made;
        // Between the look at the queue and its entry.
        if (readEnough) {
            made.close();
        }
    }

    /** Lets go of the reader, which comes no further. Before Debezium is stopped, for it waits for its reader first. */
    void endReading() {
        readEnough = true;
        ChangeQueue made = queue;
        if (made != null) {
            made.close();
        }
    }

    Socket socket() throws SocketException {
        open.removeIf(Socket::isClosed);
        Socket socket = new Socket();
        open.add(socket);
        // Between the first look and the entry in the list.
        if (cut) {
            close(socket);
            throw new SocketException("the run is over");
        }
        return socket;
    }

    /** Closes all connections and makes no more. */
    void cut() {
        cut = true;
        open.forEach(LogRun::close);
        open.clear();
    }

    @Override
    public void close() {
        cut();
        RUNS.remove(number);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("A socket did not close in order", e);
        }
    }
}
