package io.tailrace.contract.config;

import java.util.Objects;

/**
 * The HTTP listener for metrics and health.
 *
 * @param enabled whether there is one
 * @param host address to listen on; loopback unless said otherwise
 * @param port 0 takes a free one
 */
public record HttpConfig(boolean enabled, String host, int port) {

    public HttpConfig {
        Objects.requireNonNull(host, "host");
        Keys.HTTP_PORT.require(port);
    }
}
