package io.tailrace.engine.capture;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.SocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the sockets of Debezium's connections to the database and remembers them, run by run. A call that waits for a server that says
 * nothing cannot be interrupted; when its socket is closed it ends. And once they are all closed, and no new one is made, the run
 * cannot hold the slot any more, whatever its threads still do.
 *
 * <p>The driver makes the factory by class name; it finds its run by a number among the options. Thread-safe.
 */
public final class RunSockets extends SocketFactory {

    private static final Logger LOG = LoggerFactory.getLogger(RunSockets.class);

    private static final Map<String, Run> RUNS = new ConcurrentHashMap<>();

    private static final AtomicLong NUMBERS = new AtomicLong();

    private final Run run;

    /** The sockets of one run. */
    static final class Run implements AutoCloseable {

        private final String number = Long.toString(NUMBERS.incrementAndGet());
        private final Set<Socket> open = ConcurrentHashMap.newKeySet();
        private volatile boolean cut;

        Run() {
            RUNS.put(number, this);
        }

        /** The options that lead the driver here. */
        Map<String, String> options() {
            return Map.of("driver.socketFactory", RunSockets.class.getName(), "driver.socketFactoryArg", number);
        }

        /** Closes all of them and makes no more. */
        void cut() {
            cut = true;
            open.forEach(Run::close);
            open.clear();
        }

        @Override
        public void close() {
            cut();
            RUNS.remove(number);
        }

        private Socket make() throws SocketException {
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

        private static void close(Socket socket) {
            try {
                socket.close();
            } catch (IOException e) {
                LOG.debug("A socket did not close in order", e);
            }
        }
    }

    /**
     * Made by the driver.
     *
     * @param number of the run
     */
    public RunSockets(String number) {
        Run found = RUNS.get(number);
        if (found == null) {
            throw new IllegalStateException("there is no run " + number + " any more that may connect");
        }
        this.run = found;
    }

    /** One that is not connected: the driver connects it, with its own timeout. */
    @Override
    public Socket createSocket() throws IOException {
        return run.make();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw unconnected();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw unconnected();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw unconnected();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) {
        throw unconnected();
    }

    private static UnsupportedOperationException unconnected() {
        return new UnsupportedOperationException("the driver connects the sockets itself");
    }
}
