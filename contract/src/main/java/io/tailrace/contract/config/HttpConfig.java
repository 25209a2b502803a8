package io.tailrace.contract.config;

/**
 * The HTTP listener for metrics and health.
 *
 * @param enabled whether there is one
 * @param host address to listen on; loopback unless said otherwise
 * @param port 0 takes a free one
 */
public record HttpConfig(boolean enabled, String host, int port) {

    public HttpConfig {
        Ranges.between("http.port", port, 0, 65_535);
    }
}
