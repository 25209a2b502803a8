package io.tailrace.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A link that a test can break: listens on a port of the loopback address and forwards to another. Thread-safe.
 *
 * <p>States: forwarding; refusing (new connections are refused); silent (connections stay open and are accepted, no byte gets
 * through; what was sent meanwhile arrives after {@link #resume}, as TCP would do).
 */
public final class TcpProxy implements AutoCloseable {

    private enum State {
        FORWARDING,
        SILENT,
        REFUSING,
        CLOSED
    }

    private volatile InetSocketAddress target;
    private final int port;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    // By the client's side of the same connection.
    private final Map<Socket, Socket> servers = new ConcurrentHashMap<>();
    // Sides of the server that are left open although nobody is behind them any more.
    private final Set<Socket> abandoned = ConcurrentHashMap.newKeySet();
    // Connections that are silent whatever the others do, by the port from which they reach the server.
    private final Set<Integer> silenced = ConcurrentHashMap.newKeySet();
    private final Object gate = new Object();
    // Both guarded by gate.
    private State state = State.FORWARDING;
    private @Nullable ServerSocket listener;

    private TcpProxy(InetSocketAddress target) throws IOException {
        this.target = target;
        ServerSocket first = listen(0);
        this.port = first.getLocalPort();
        synchronized (gate) {
            accept(first);
        }
    }

    public static TcpProxy to(String host, int port) {
        try {
            return new TcpProxy(new InetSocketAddress(host, port));
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot listen for a proxy to " + host + ":" + port, e);
        }
    }

    /** The port to connect to, on 127.0.0.1; the same for as long as the proxy lives. */
    public int port() {
        return port;
    }

    /** Resets every connection that is open now; new ones get through. */
    public void cutAll() {
        for (Socket socket : sockets) {
            reset(socket);
        }
    }

    /**
     * Resets every connection on the client's side alone: the server believes in it still, as after a cut cable. New ones get
     * through.
     */
    public void abandonAll() {
        servers.forEach((client, server) -> {
            abandoned.add(server);
            reset(client);
        });
    }

    /** New connections go to another port of the same host. */
    public void retarget(int targetPort) {
        target = new InetSocketAddress(target.getAddress(), targetPort);
    }

    /** Resets every connection and refuses new ones until {@link #resume}. */
    public void refuse() {
        change(State.REFUSING);
        cutAll();
    }

    /** Lets no byte through, in either direction, and closes nothing, until {@link #resume}. */
    public void silence() {
        change(State.SILENT);
    }

    /**
     * Lets no byte through any more on one connection, in either direction, and does not close it: as a firewall that has forgotten it.
     *
     * @param clientPort as the server sees it
     */
    public void silenceForEver(int clientPort) {
        silenced.add(clientPort);
    }

    /** Forwards again. */
    public void resume() {
        change(State.FORWARDING);
    }

    /** Connections that are open now. */
    public int connections() {
        return sockets.size() / 2;
    }

    @Override
    public void close() {
        change(State.CLOSED);
        abandoned.clear();
        cutAll();
    }

    private void change(State next) {
        synchronized (gate) {
            if (state == State.CLOSED) {
                return;
            }
            state = next;
            try {
                if (next == State.REFUSING || next == State.CLOSED) {
                    if (listener != null) {
                        listener.close();
                        listener = null;
                    }
                } else if (listener == null) {
                    accept(listen(port));
                }
            } catch (IOException e) {
                throw new UncheckedIOException("Proxy port " + port, e);
            }
            gate.notifyAll();
        }
    }

    private static ServerSocket listen(int port) throws IOException {
        ServerSocket socket = new ServerSocket();
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 128);
        return socket;
    }

    /** Called with the gate held. */
    private void accept(ServerSocket socket) {
        listener = socket;
        thread("proxy accept " + port, () -> {
            try {
                while (true) {
                    Socket client = socket.accept();
                    thread("proxy connect " + port, () -> connect(client));
                }
            } catch (IOException closed) {
                // The listener was closed: refusing, or the end.
            }
        });
    }

    private void connect(Socket client) {
        sockets.add(client);
        Socket server = new Socket();
        try {
            if (!passGate(0)) {
                reset(client);
                return;
            }
            server.connect(target);
            sockets.add(server);
            servers.put(client, server);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            int link = server.getLocalPort();
            thread("proxy out " + port, () -> pump(client, server, link));
            thread("proxy back " + port, () -> pump(server, client, link));
            // A refusal may have come between the gate and the registration of the second socket.
            synchronized (gate) {
                if (state == State.REFUSING || state == State.CLOSED) {
                    reset(client);
                    reset(server);
                }
            }
        } catch (IOException unreachable) {
            reset(client);
            reset(server);
        }
    }

    /** One direction. The end of one side's stream ends the other's, with a reset if it was not an orderly end. */
    private void pump(Socket from, Socket to, int link) {
        byte[] buffer = new byte[1 << 16];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                if (!passGate(link)) {
                    break;
                }
                out.write(buffer, 0, count);
            }
            passGate(link);
            to.shutdownOutput();
            if (from.isOutputShutdown() || to.isInputShutdown()) {
                from.close();
                to.close();
                forget(from);
                forget(to);
            }
        } catch (IOException broken) {
            reset(from);
            reset(to);
        }
    }

    /** Waits while silent; false when nothing may pass any more. */
    private boolean passGate(int link) {
        synchronized (gate) {
            while (state == State.SILENT || (silenced.contains(link) && state != State.CLOSED)) {
                try {
                    gate.wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
            return state == State.FORWARDING;
        }
    }

    private void reset(Socket socket) {
        if (abandoned.contains(socket)) {
            return;
        }
        forget(socket);
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException gone) {
            // Closed by its peer a moment ago: that is what was wanted.
        }
    }

    private void forget(Socket socket) {
        sockets.remove(socket);
        servers.remove(socket);
    }

    private static void thread(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
    }
}
