package io.tailrace.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Ports on the loopback address. */
final class LocalPorts {

    private LocalPorts() {}

    /**
     * A port that nobody listens on now. Another process may take it before the caller binds it: whoever asks for a free
     * port tries again with the next one when that happens.
     */
    static int free() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("No free port on the loopback address", e);
        }
    }

    /** Whether a server could bind this port now. A port that only lingers after a close counts as free. */
    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1);
            return true;
        } catch (IOException inUse) {
            return false;
        }
    }

    static void requireFree(int port, String server) {
        if (!isFree(port)) {
            throw new EmbeddedStartException("Port " + port + " for " + server
                    + " is in use. Stop what listens there, or choose another port (0 takes a free one).");
        }
    }
}
