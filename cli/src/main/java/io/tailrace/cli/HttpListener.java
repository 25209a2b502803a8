package io.tailrace.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.tailrace.contract.Health;
import io.tailrace.contract.Part;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.HttpConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code /metrics} for Prometheus, {@code /health/live} for whoever restarts the process, {@code /health/ready} for whoever wants to know
 * whether it makes progress: 200 or 503, one line for each part.
 */
final class HttpListener implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);

    private static final int THREADS = 2;

    private final HttpServer server;
    private final ExecutorService threads;

    private HttpListener(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    /** @throws StartRefused when the address cannot be listened on */
    static HttpListener start(HttpConfig config, PrometheusMeterRegistry metrics, Supplier<List<Part>> parts) {
        HttpServer server;
        try {
            server = HttpServer.create(new InetSocketAddress(config.host(), config.port()), 0);
        } catch (IOException taken) {
            throw new StartRefused(
                    "http: cannot listen on %s:%d (%s); set http.port to another one, or 0 for a free one"
                            .formatted(config.host(), config.port(), taken.getMessage()));
        }
        ExecutorService threads = Executors.newFixedThreadPool(THREADS, task -> {
            Thread thread = new Thread(task, "tailrace-http");
            thread.setDaemon(true);
            return thread;
        });
        server.setExecutor(threads);
        server.createContext("/metrics", exchange -> answer(exchange, "/metrics", 200, metrics::scrape));
        server.createContext("/health/live", exchange -> {
            boolean live = parts.get().stream().noneMatch(part -> part.health().state() == Health.State.FAILED);
            answer(exchange, "/health/live", live ? 200 : 503, () -> lines(parts.get()));
        });
        server.createContext("/health/ready", exchange -> {
            boolean ready = parts.get().stream().allMatch(part -> part.health().isReady());
            answer(exchange, "/health/ready", ready ? 200 : 503, () -> lines(parts.get()));
        });
        server.start();
        HttpListener listener = new HttpListener(server, threads);
        LOG.info("Metrics and health on http://{}:{}", config.host(), listener.port());
        return listener;
    }

    int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private static String lines(List<Part> parts) {
        return parts.stream()
                .map(part -> "%s %s %s"
                                .formatted(
                                        part.name(),
                                        part.health().state().name().toLowerCase(java.util.Locale.ROOT),
                                        part.health().detail())
                                .strip()
                        + "\n")
                .collect(Collectors.joining());
    }

    private static void answer(HttpExchange exchange, String path, int status, Supplier<String> body)
            throws IOException {
        try (exchange) {
            if (!exchange.getRequestURI().getPath().equals(path)) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            byte[] bytes = body.get().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
            exchange.sendResponseHeaders(status, bytes.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(bytes);
            }
        }
    }
}
