package io.tailrace.executor.webhook;

import io.tailrace.contract.config.WebhookConfig;
import io.tailrace.contract.record.Bytes;
import io.tailrace.executor.handler.ExternalContext;
import io.tailrace.executor.handler.ExternalHandler;
import io.tailrace.executor.handler.Result;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Posts the payload of a command. What the answer says of the command is its status:
 *
 * <table>
 * <caption>Status to result</caption>
 * <tr><td>2xx</td><td>success</td></tr>
 * <tr><td>429, 5xx, none in time, no connection, no address</td><td>unavailable: no attempt, as {@code Retry-After} says</td></tr>
 * <tr><td>3xx, other 4xx, an address that is not public</td><td>rejected: dead</td></tr>
 * </table>
 *
 * <p>Thread-safe.
 */
final class WebhookHandler implements ExternalHandler {

    /** Beyond the limits of the requests, for the look-up of the name: a run that takes longer has hung. */
    private static final Duration BESIDE = Duration.ofSeconds(60);

    private static final int TOO_MANY_REQUESTS = 429;

    private final String name;
    private final WebhookConfig config;
    private final Receiver receiver;
    private final Clock clock;

    WebhookHandler(String name, WebhookConfig config, Receiver receiver, Clock clock) {
        this.name = name;
        this.config = config;
        this.receiver = receiver;
        this.clock = clock;
    }

    @Override
    public Set<String> names() {
        return Set.of(name);
    }

    @Override
    public Optional<Duration> timeout() {
        return Optional.of(config.connectTimeout()
                .multipliedBy(Receiver.MOST_ADDRESSES)
                .plus(config.timeout().multipliedBy(2))
                .plus(BESIDE));
    }

    @Override
    public Result call(ExternalContext command) throws InterruptedException {
        byte[] body = command.payload().map(Bytes::array).orElse(new byte[0]);
        HttpResponse<Unread> answer;
        try {
            answer = receiver.post(body, headers(command));
        } catch (Receiver.AddressRefused refused) {
            return Result.rejected(String.valueOf(refused.getMessage()));
        } catch (IOException down) {
            // Its message may quote what is secret of the address.
            return Result.unavailable(
                    "%s (%s)".formatted(receiver.host(), down.getClass().getSimpleName()), config.retryAfter());
        }
        int status = answer.statusCode();
        if (status / 100 == 2) {
            return Result.success();
        }
        if (status == TOO_MANY_REQUESTS || status / 100 == 5) {
            Duration wait =
                    RetryAfter.of(answer.headers().firstValue("Retry-After"), clock.instant(), config.retryAfter());
            return Result.unavailable("%s (HTTP %d)".formatted(receiver.host(), status), wait);
        }
        return Result.rejected("%s answers HTTP %d%s"
                .formatted(receiver.host(), status, status / 100 == 3 ? ", which is not followed" : ""));
    }

    private static Map<String, String> headers(ExternalContext command) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Idempotency-Key", command.id().toString());
        headers.put("User-Agent", "Tailrace");
        put(headers, "Content-Type", command.payload().isPresent() ? command.contentType() : null);
        put(headers, "X-Correlation-ID", command.origin().correlationId());
        put(headers, "traceparent", command.origin().traceparent());
        return headers;
    }

    /** What no header takes is left out: it is the row's word, and the row cannot be changed. */
    private static void put(Map<String, String> headers, String header, @Nullable String value) {
        if (value != null && value.chars().allMatch(c -> c >= ' ' && c <= '~')) {
            headers.put(header, value);
        }
    }
}
