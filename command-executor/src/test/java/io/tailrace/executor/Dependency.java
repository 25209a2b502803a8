package io.tailrace.executor;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;

/** An HTTP server that does what it is told with each request, and remembers them. */
final class Dependency implements AutoCloseable {

    /** As they came; headers under the names that the server gives them. */
    record Request(Map<String, String> headers, String body) {
        String key() {
            return Objects.requireNonNull(headers.get("Idempotency-key"));
        }
    }

    /** What it says. */
    interface Answer {
        void to(HttpExchange exchange) throws Exception;
    }

    final List<Request> requests = new CopyOnWriteArrayList<>();
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** @param answers by the number of the request, from 1 */
    Dependency(IntFunction<Answer> answers) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Map<String, String> headers = new HashMap<>();
            exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
            int number;
            synchronized (requests) {
                requests.add(new Request(headers, body));
                number = requests.size();
            }
            try {
                answers.apply(number).to(exchange);
            } catch (Exception e) {
                throw new IOException(e);
            } finally {
                exchange.close();
            }
        });
        server.start();
    }

    static Answer status(int status) {
        return exchange -> exchange.sendResponseHeaders(status, -1);
    }

    String url() {
        return "http://localhost:%d/hook?token=t0ps3cret"
                .formatted(server.getAddress().getPort());
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
