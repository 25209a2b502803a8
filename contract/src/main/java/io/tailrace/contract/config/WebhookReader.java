package io.tailrace.contract.config;

import io.tailrace.contract.config.Section.Value;
import java.util.Map;
import java.util.stream.Collectors;

/** {@code executor.webhooks:}, by command name. */
final class WebhookReader {

    private WebhookReader() {}

    static Value<WebhookConfig> read(Section section) {
        var url = section.value(WebhookKeys.URL);
        var timeout = section.value(WebhookKeys.TIMEOUT);
        var connectTimeout = section.value(WebhookKeys.CONNECT_TIMEOUT);
        var retryAfter = section.value(WebhookKeys.RETRY_AFTER);
        var allowPrivate = section.value(WebhookKeys.ALLOW_PRIVATE);
        Map<String, Secret> headers = section.section("headers").texts().entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, header -> Secret.of(header.getValue())));
        return section.make(() -> new WebhookConfig(
                Secret.of(url.get()),
                timeout.get(),
                connectTimeout.get(),
                retryAfter.get(),
                allowPrivate.get(),
                headers));
    }
}
