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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
        KeyStore ofName = keys(directory.resolve("name.p12"), "dns:hooks.example");
        int port = serveWith(ofName, server -> {
            int at = server.getAddress().getPort();
            assertThat(receiver("hooks.example", at, ofName)
                            .post(new byte[0], Map.of())
                            .statusCode())
                    .isEqualTo(204);
            // By then there is a session that could be resumed.
            assertThatThrownBy(() -> receiver("other.example", at, ofName).post(new byte[0], Map.of()))
                    .isInstanceOf(SSLException.class);
        });
        assertThat(hosts).containsExactly("hooks.example:%d /".formatted(port));
        KeyStore ofAddress = keys(directory.resolve("address.p12"), "ip:127.0.0.1");
        serveWith(ofAddress, server -> {
            int at = server.getAddress().getPort();
            assertThatThrownBy(() -> receiver("hooks.example", at, ofAddress).post(new byte[0], Map.of()))
                    .isInstanceOf(SSLException.class)
                    .hasMessageContaining("not for hooks.example");
            assertThat(receiver("127.0.0.1", at, ofAddress)
                            .post(new byte[0], Map.of())
                            .statusCode())
                    .isEqualTo(204);
        });
        assertThat(hosts).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({
        "hooks.example.com, true",
        "HOOKS.example.com, true",
        "*.example.com, true",
        "*.com, false",
        "*, false",
        "example.com, false",
        "*.hooks.example.com, false",
        "h*.example.com, false",
        "other.example.com, false",
    })
    void aCertificateIsForAName(String name, boolean isFor) {
        assertThat(NamedTrust.isFor(name, "hooks.example.com")).isEqualTo(isFor);
    }

    private static Receiver receiver(String host, int port, KeyStore roots) {
        return new Receiver(
                config("https://%s:%d".formatted(host, port), true), name -> new InetAddress[] {HERE}, roots);
    }

    private interface Served {
        void by(HttpsServer server) throws Exception;
    }

    private int serveWith(KeyStore keys, Served test) throws Exception {
        HttpsServer server = HttpsServer.create(new InetSocketAddress(HERE, 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context(keys)));
        serve(server);
        try {
            test.by(server);
            return server.getAddress().getPort();
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

    private static KeyStore keys(Path store, String name) throws Exception {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=server",
                        "-ext",
                        "san=" + name,
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "secret",
                        "-keystore",
                        store.toString())
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "secret".toCharArray());
        }
        return keys;
    }

    private static SSLContext context(KeyStore keys) throws Exception {
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, "secret".toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), null, null);
        return context;
    }
}
