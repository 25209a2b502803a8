package io.tailrace.executor.webhook;

import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.Secret;
import io.tailrace.contract.config.WebhookConfig;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.security.KeyStore;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * Whom a webhook speaks to. The name is resolved for each request, all of its addresses are looked at, and the connection goes to one of those
 * that were: the request's URI has the address, the name stands in {@code Host}, in the TLS server name, and is what the certificate is checked
 * against. So a name that resolves to something else a moment later leads nowhere else. HTTP/1.1; no redirects, no proxies; nothing of an answer is
 * read but its status and headers. Thread-safe.
 */
final class Receiver {

    /** Of a name with more addresses than that these are tried. */
    static final int MOST_ADDRESSES = 3;

    private static final String ALLOWED = "jdk.httpclient.allowRestrictedHeaders";

    private final URI uri;
    private final WebhookConfig config;
    private final Resolver resolver;
    private final HttpClient client;

    /** Names to addresses. */
    @FunctionalInterface
    interface Resolver {
        InetAddress[] resolve(String host) throws UnknownHostException;
    }

    /** An address that no request is sent to. */
    static final class AddressRefused extends Exception {
        private static final long serialVersionUID = 1L;

        AddressRefused(String host, InetAddress address) {
            super("%s resolves to %s, which is not public; executor.webhooks.<name>.allow-private: true lets it pass"
                    .formatted(host, address.getHostAddress()));
        }
    }

    /** @param roots whose signatures count; null for those of Java */
    Receiver(WebhookConfig config, Resolver resolver, @Nullable KeyStore roots) {
        this.uri = config.uri();
        this.config = config;
        this.resolver = resolver;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(config.connectTimeout())
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(HttpClient.Builder.NO_PROXY);
        if ("https".equalsIgnoreCase(uri.getScheme())) {
            builder.sslContext(NamedTrust.context(host(), roots));
        }
        if (!isAddress(host())) {
            // With it Java checks the certificate against the name too, though the connection is to an address.
            SSLParameters parameters = new SSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(host())));
            builder.sslParameters(parameters);
        }
        this.client = builder.build();
    }

    /**
     * Makes the JVM's HTTP client take a {@code Host} from us, which it refuses unless it is told otherwise before its first use.
     *
     * @throws StartRefused when it was used before
     */
    static void allowHost() {
        String before = System.getProperty(ALLOWED, "");
        if (Stream.of(before.split(",", -1))
                .noneMatch(name -> name.strip().toLowerCase(Locale.ROOT).equals("host"))) {
            System.setProperty(ALLOWED, before.isBlank() ? "host" : before + ",host");
        }
        try {
            HttpRequest.newBuilder().header("Host", "localhost");
        } catch (IllegalArgumentException tooLate) {
            throw new StartRefused(
                    "webhooks must state the host of a request, and this JVM's HTTP client was used before it could be told so: start the"
                            + " JVM with -D" + ALLOWED + "=host");
        }
    }

    /** As people know it. */
    String host() {
        return Objects.requireNonNull(uri.getHost());
    }

    /**
     * Posts, and waits for the status of the answer.
     *
     * @throws IOException if it does not answer
     */
    HttpResponse<Unread> post(byte[] body, Map<String, String> headers)
            throws IOException, InterruptedException, AddressRefused {
        List<InetAddress> addresses = addresses();
        IOException last = null;
        for (InetAddress address : addresses) {
            try {
                return post(request(address, body, headers));
            } catch (HttpConnectTimeoutException nobodyThere) {
                last = nobodyThere;
            } catch (HttpTimeoutException late) {
                throw late;
            } catch (IOException failed) {
                last = failed;
            }
        }
        throw last == null ? new UnknownHostException(host()) : last;
    }

    private HttpResponse<Unread> post(HttpRequest request) throws IOException, InterruptedException {
        try {
            return client.send(request, answer -> new Unread());
        } catch (HttpTimeoutException | ConnectException late) {
            throw late;
        } catch (IOException closed) {
            // A connection that was kept open had been closed at the other end, mostly. If not, its key tells the
            // receiver.
            return client.send(request, answer -> new Unread());
        }
    }

    /** @throws IllegalArgumentException if a configured header cannot be sent; names the header and not its value */
    void check() {
        HttpRequest.Builder probe = HttpRequest.newBuilder();
        config.headers().forEach((name, value) -> {
            try {
                probe.setHeader(name, value.reveal());
            } catch (IllegalArgumentException refused) {
                throw new IllegalArgumentException("header '%s' cannot be sent".formatted(name));
            }
        });
    }

    private List<InetAddress> addresses() throws UnknownHostException, AddressRefused {
        InetAddress[] all = resolver.resolve(host());
        if (!config.allowPrivate()) {
            for (InetAddress address : all) {
                if (!AddressGuard.isPublic(address)) {
                    throw new AddressRefused(host(), address);
                }
            }
        }
        return Stream.of(all).limit(MOST_ADDRESSES).toList();
    }

    private HttpRequest request(InetAddress address, byte[] body, Map<String, String> headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(at(address))
                .timeout(config.timeout())
                .header("Host", uri.getPort() < 0 ? host() : host() + ":" + uri.getPort())
                .POST(BodyPublishers.ofByteArray(body));
        headers.forEach(request::setHeader);
        for (Map.Entry<String, Secret> own : config.headers().entrySet()) {
            request.setHeader(own.getKey(), own.getValue().reveal());
        }
        return request.build();
    }

    private URI at(InetAddress address) {
        String numbers = address.getHostAddress();
        int scope = numbers.indexOf('%');
        String plain = scope < 0 ? numbers : numbers.substring(0, scope);
        String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return URI.create(uri.getScheme() + "://"
                + (plain.indexOf(':') < 0 ? plain : "[" + plain + "]")
                + (uri.getPort() < 0 ? "" : ":" + uri.getPort())
                + path
                + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery()));
    }

    /** Such a host is its own address. */
    static boolean isAddress(String host) {
        return host.startsWith("[") || host.matches("[0-9.]+");
    }
}
