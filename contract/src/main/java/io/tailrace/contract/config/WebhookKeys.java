package io.tailrace.contract.config;

import java.time.Duration;
import java.util.List;

/** What the executor does outside of the database. */
final class WebhookKeys {

    static final Key<Duration> EXTERNAL_LEASE = Key.of(
                    "executor.external-lease",
                    ValueType.DURATION,
                    "How long the claim of an external handler lasts; it is renewed once a third of that has passed. A command whose worker"
                            + " dies waits for so long before it is tried again, having used an attempt.")
            .between(Duration.ofSeconds(1), Duration.ofHours(1))
            .byDefault(ExecutorConfig.EXTERNAL_LEASE);

    static final Key<String> URL = Key.of(
                    "executor.webhooks.*.url",
                    ValueType.TEXT,
                    "A command of this name is an HTTP POST of its payload to this URL. Redirects are not followed, proxies not used. Never"
                            + " printed.")
            .asSecret();
    static final Key<Duration> TIMEOUT = Key.of(
                    "executor.webhooks.*.timeout",
                    ValueType.DURATION,
                    "From the request until the status of the answer is there; later is as good as down.")
            .between(Duration.ofMillis(100), Duration.ofHours(1))
            .byDefault(Duration.ofSeconds(10));
    static final Key<Duration> CONNECT_TIMEOUT = Key.of(
                    "executor.webhooks.*.connect-timeout", ValueType.DURATION, "Until the connection is there.")
            .between(Duration.ofMillis(100), Duration.ofMinutes(1))
            .byDefault(Duration.ofSeconds(5));
    static final Key<Duration> RETRY_AFTER = Key.of(
                    "executor.webhooks.*.retry-after",
                    ValueType.DURATION,
                    "Wait when the receiver is down, or answers 429 or 5xx, and says nothing itself (`Retry-After`, 1 h at most).")
            .between(Duration.ofMillis(100), Duration.ofHours(1))
            .byDefault(Duration.ofSeconds(10));
    static final Key<Boolean> ALLOW_PRIVATE = Key.of(
                    "executor.webhooks.*.allow-private",
                    ValueType.SWITCH,
                    "Whether the receiver may have an address that is not public: one of this machine or of a private network.")
            .byDefault(false);
    static final Key<String> HEADERS = Key.of(
                    "executor.webhooks.*.headers.*",
                    ValueType.TEXT,
                    "Sent with each request, what authorises it for example. Never printed.")
            .byDefault("")
            .asSecret();

    private WebhookKeys() {}

    static List<Key<?>> all() {
        return List.of(EXTERNAL_LEASE, URL, TIMEOUT, CONNECT_TIMEOUT, RETRY_AFTER, ALLOW_PRIVATE, HEADERS);
    }
}
