package io.tailrace.contract.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * A command that is an HTTP POST.
 *
 * @param url where to, http or https; a secret, since it may hold one
 * @param timeout from the request until the answer's status is there
 * @param connectTimeout until the connection is there
 * @param retryAfter wait when the receiver is down and does not say for how long
 * @param allowPrivate whether the receiver may have an address that is not public
 * @param headers sent with each request
 */
public record WebhookConfig(
        Secret url,
        Duration timeout,
        Duration connectTimeout,
        Duration retryAfter,
        boolean allowPrivate,
        Map<String, Secret> headers) {

    public WebhookConfig {
        Objects.requireNonNull(url, "url");
        headers = Map.copyOf(headers);
        WebhookKeys.TIMEOUT.require(timeout);
        WebhookKeys.CONNECT_TIMEOUT.require(connectTimeout);
        WebhookKeys.RETRY_AFTER.require(retryAfter);
        parsed(url);
    }

    /** With everything but the address as it is when nothing is said. */
    public WebhookConfig(String url) {
        this(Secret.of(url), Duration.ofSeconds(10), Duration.ofSeconds(5), Duration.ofSeconds(10), false, Map.of());
    }

    /** The address. */
    public URI uri() {
        return parsed(url);
    }

    /** What is wrong with it must not quote it. */
    private static URI parsed(Secret url) {
        URI uri;
        try {
            uri = new URI(url.reveal());
        } catch (URISyntaxException none) {
            throw new IllegalArgumentException("url is not a URL: " + none.getReason());
        }
        boolean isHttp = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
        if (!isHttp || uri.getHost() == null || uri.getUserInfo() != null || uri.getFragment() != null) {
            throw new IllegalArgumentException(
                    "url must be http://host… or https://host…, without a user and a fragment; what authorises goes into headers");
        }
        return uri;
    }
}
