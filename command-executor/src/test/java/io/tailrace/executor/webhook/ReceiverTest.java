package io.tailrace.executor.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.tailrace.contract.config.Secret;
import io.tailrace.contract.config.WebhookConfig;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a request goes, and under which name. */
class ReceiverTest {

    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    private final List<String> hosts = new CopyOnWriteArrayList<>();

    @BeforeAll
    static void allowHost() {
        Receiver.allowHost();
    }

    @Test
    void aNameIsResolvedOncePerRequestAndAllItsAddressesMustBePublic() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(HERE, 0), 0);
        serve(server);
        try {
            String url = "http://hooks.example:%d/in?a=b%%20c"
                    .formatted(server.getAddress().getPort());
            AtomicInteger asked = new AtomicInteger();
            // Public when it is looked at, this machine a moment later.
            Receiver.Resolver rebound = host -> asked.getAndIncrement() == 0
                    ? new InetAddress[] {InetAddress.getByName("192.0.1.1")}
                    : new InetAddress[] {HERE};
            assertThatThrownBy(() -> new Receiver(config(url, false), rebound, null).post(new byte[0], Map.of()))
                    .isInstanceOf(java.io.IOException.class);
            assertThat(asked).hasValue(1);

            Receiver.Resolver mixed = host -> new InetAddress[] {InetAddress.getByName("192.0.1.1"), HERE};
            assertThatThrownBy(() -> new Receiver(config(url, false), mixed, null).post(new byte[0], Map.of()))
                    .isInstanceOf(Receiver.AddressRefused.class)
                    .hasMessageContaining("hooks.example resolves to 127.0.0.1");
            assertThat(hosts).isEmpty();

            Receiver allowed = new Receiver(config(url, true), host -> new InetAddress[] {HERE}, null);
            assertThat(allowed.post(new byte[] {1}, Map.of()).statusCode()).isEqualTo(204);
            assertThat(hosts)
                    .containsExactly("hooks.example:%d /in?a=b%%20c"
                            .formatted(server.getAddress().getPort()));
        } finally {
            server.stop(0);
        }
    }

    @Test
    void theCertificateMustBeThatOfTheNameAndNotOfTheAddress(@TempDir Path directory) throws Exception {
        Path store = directory.resolve("server.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=hooks.example",
                        "-ext",
                        "san=dns:hooks.example",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "secret",
                        "-keystore",
                        store.toString())
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
        SSLContext tls = context(store);
        HttpsServer server = HttpsServer.create(new InetSocketAddress(HERE, 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        serve(server);
        try {
            int port = server.getAddress().getPort();
            Receiver right = new Receiver(
                    config("https://hooks.example:%d".formatted(port), true), host -> new InetAddress[] {HERE}, tls);
            assertThat(right.post(new byte[0], Map.of()).statusCode()).isEqualTo(204);
            assertThat(hosts).containsExactly("hooks.example:%d /".formatted(port));
            Receiver wrong = new Receiver(
                    config("https://other.example:%d".formatted(port), true), host -> new InetAddress[] {HERE}, tls);
            assertThatThrownBy(() -> wrong.post(new byte[0], Map.of()))
                    .isInstanceOf(SSLException.class)
                    .hasMessageContaining("other.example");
            assertThat(hosts).hasSize(1);
        } finally {
            server.stop(0);
        }
    }

    private void serve(HttpServer server) {
        server.createContext("/", exchange -> {
            hosts.add(exchange.getRequestHeaders().getFirst("Host") + " " + exchange.getRequestURI());
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
    }

    private static WebhookConfig config(String url, boolean allowPrivate) {
        return new WebhookConfig(
                Secret.of(url),
                Duration.ofSeconds(20),
                allowPrivate ? Duration.ofSeconds(20) : Duration.ofMillis(300),
                Duration.ofSeconds(1),
                allowPrivate,
                Map.of());
    }

    private static SSLContext context(Path store) throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "secret".toCharArray());
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, "secret".toCharArray());
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }
}
