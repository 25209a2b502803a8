package io.tailrace.embedded;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;

/** Ports on the loopback address. */
final class LocalPorts {

    private LocalPorts() {}

    /** Below the ports that systems give to outgoing connections, one of which could otherwise sit on a server's port. */
    private static final int FIRST = 15_000;

    private static final int LAST = 32_000;

    private static final int TRIES = 200;

    /**
     * A port that nobody listens on now. Another process may take it before the caller binds it: whoever asks for a free
     * port tries again with the next one when that happens.
     */
    static int free() {
        for (int attempt = 0; attempt < TRIES; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            if (isFree(port)) {
                return port;
            }
        }
        throw new EmbeddedStartException("None of %d ports tried between %d and %d on the loopback address is free."
                .formatted(TRIES, FIRST, LAST));
    }

    /** Whether a server could bind this port now. A port that only lingers after a close counts as free. */
    static boolean isFree(int port) {
        try {
            bindOnce(port);
            return true;
        } catch (IOException inUse) {
            return false;
        }
    }

    static void requireFree(int port, String server) {
        try {
            bindOnce(port);
        } catch (IOException inUse) {
            throw new EmbeddedStartException(
                    "Port %d for %s is in use (%s). Stop what listens there, or choose another port."
                            .formatted(port, server, inUse.getMessage()),
                    inUse,
                    OptionalInt.of(port));
        }
    }

    /**
     * Whether a start on a port that was free a moment ago is worth another try with another port.
     *
     * @param failure of the start
     */
    static boolean wasTaken(int port, EmbeddedStartException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException) {
                return true;
            }
        }
        return !isFree(port);
    }

    private static void bindOnce(int port) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1);
        }
    }
}
