package io.tailrace.engine.log;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/**
 * Makes the sockets of Debezium's connections to the database, each known to its run: {@link LogRun}. The driver makes the factory by
 * class name, with the number of the run. Thread-safe.
 */
public final class RunSockets extends SocketFactory {

    private final LogRun run;

    /**
     * Made by the driver.
     *
     * @param number of the run
     */
    public RunSockets(String number) {
        this.run = LogRun.numbered(number)
                .orElseThrow(
                        () -> new IllegalStateException("there is no run " + number + " any more that may connect"));
    }

    /** One that is not connected: the driver connects it, with its own timeout. */
    @Override
    public Socket createSocket() throws IOException {
        return run.socket();
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
