package io.tailrace.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.Secret;
import io.tailrace.contract.config.WebhookConfig;
import io.tailrace.executor.handler.Handlers;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Commands that are HTTP requests, with a receiver that is up, down, or of another opinion. */
@RealParts
class WebhookTest {

    private static final String NAME = "billing.notify";

    @Test
    void theReceiverGetsThePayloadAndWhoAsked(Stack stack) throws Exception {
        try (Dependency dependency = new Dependency(number -> Dependency.status(204));
                Shop shop = open(stack, hook(dependency.url(), true))) {
            UUID id = shop.due(NAME, "k");
            assertThat(shop.awaitStatus(id, "COMPLETED")).containsEntry("attempts", "0");
            assertThat(dependency.requests).singleElement().satisfies(request -> {
                assertThat(request.body()).isEqualTo("{\"n\": 1}");
                assertThat(request.headers())
                        .containsEntry("Idempotency-key", id.toString())
                        .containsEntry("Content-type", "application/json")
                        .containsEntry("X-correlation-id", "c-1")
                        .containsEntry("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                        .containsEntry("Authorization", "Bearer t0ps3cret");
                assertThat(request.headers().get("Host")).startsWith("localhost:");
            });
        }
    }

    @Test
    void aReceiverThatIsDownForLongerThanTheWholeBudgetKillsNothing(Stack stack) throws Exception {
        // Five times as many refusals as there are attempts, of several kinds.
        int refusals = 5 * Configs.QUICK.maxAttempts();
        try (Dependency dependency = new Dependency(number -> exchange -> {
                    exchange.getResponseHeaders().set("Retry-After", "0");
                    int status = number > refusals ? 200 : number % 3 == 0 ? 429 : 500 + number % 4;
                    exchange.sendResponseHeaders(status, -1);
                });
                Shop shop = open(stack, hook(dependency.url(), true))) {
            UUID id = shop.due(NAME, "k");
            for (int i = 1; i <= refusals; i++) {
                assertThat(shop.answersTo(id, i).get(i - 1))
                        .containsEntry("tailrace-kind", "failed")
                        .containsEntry("tailrace-attempt", "0")
                        .containsEntry("tailrace-wait", "0")
                        .containsEntry("tailrace-error-class", "Unavailable");
                shop.release(shop.answerRecordsTo(id, i).get(i - 1));
            }
            assertThat(shop.awaitStatus(id, "COMPLETED")).containsEntry("attempts", "0");
            assertThat(dependency.requests)
                    .hasSize(refusals + 1)
                    .allSatisfy(request -> assertThat(request.key()).isEqualTo(id.toString()));
        }
    }

    @Test
    void nobodyThereIsNotAFailureEither(Stack stack) throws Exception {
        String gone;
        try (Dependency dependency = new Dependency(number -> Dependency.status(200))) {
            gone = dependency.url();
        }
        try (Shop shop = open(stack, hook(gone, true))) {
            UUID id = shop.due(NAME, "k");
            assertThat(shop.answersTo(id, 1).get(0))
                    .containsEntry("tailrace-attempt", "0")
                    .containsEntry("tailrace-error-message", "localhost (ConnectException) is unavailable");
            assertThat(Long.parseLong(
                            String.valueOf(shop.answersTo(id, 1).get(0).get("tailrace-wait"))))
                    .isBetween(1L, 200L);
        }
    }

    @Test
    void aRefusalIsADeadLetterAtOnce(Stack stack) throws Exception {
        try (Dependency dependency = new Dependency(number -> exchange -> {
                    byte[] secret = "t0ps3cret".getBytes(java.nio.charset.StandardCharsets.UTF_8);
                    exchange.getResponseHeaders().set("Location", "http://localhost:1/");
                    exchange.sendResponseHeaders(number == 1 ? 400 : 302, secret.length);
                    exchange.getResponseBody().write(secret);
                });
                Shop shop = open(stack, hook(dependency.url(), true))) {
            UUID bad = shop.due(NAME, "k");
            assertThat(shop.answersTo(bad, 1).get(0))
                    .containsEntry("tailrace-kind", "dead")
                    .containsEntry("tailrace-reason", "rejected")
                    .containsEntry("tailrace-error-message", "localhost answers HTTP 400");
            UUID moved = shop.due(NAME, "k");
            assertThat(shop.answersTo(moved, 1).get(0))
                    .containsEntry("tailrace-reason", "rejected")
                    .containsEntry("tailrace-error-message", "localhost answers HTTP 302, which is not followed");
            assertThat(shop.row(bad).toString() + shop.row(moved) + shop.answersTo(bad, 1))
                    .doesNotContain("t0ps3cret");
        }
    }

    @Test
    void anAddressThatIsNotPublicIsNotSpokenTo(Stack stack) throws Exception {
        try (Dependency dependency = new Dependency(number -> Dependency.status(200));
                Shop shop = open(stack, hook(dependency.url(), false))) {
            UUID id = shop.due(NAME, "k");
            assertThat(shop.answersTo(id, 1).get(0))
                    .containsEntry("tailrace-kind", "dead")
                    .containsEntry("tailrace-reason", "rejected");
            assertThat(shop.row(id).get("last_error")).contains("localhost resolves to", "allow-private");
            assertThat(dependency.requests).isEmpty();
        }
    }

    @Test
    void aNameHasOneHandler(Stack stack) throws Exception {
        try (Shop shop = Shop.open(
                stack,
                Configs.executor(1).with(Duration.ofMinutes(1), Map.of(NAME, hook("https://hooks.example", false))))) {
            assertThatThrownBy(() -> shop.executor(Effects.succeeding(NAME)))
                    .isInstanceOf(StartRefused.class)
                    .hasMessageContaining("executor.webhooks." + NAME);
        }
    }

    private static Shop open(Stack stack, WebhookConfig hook) throws Exception {
        Shop shop = Shop.open(stack, Configs.executor(4).with(Duration.ofMinutes(1), Map.of(NAME, hook)));
        shop.executor(shop.config, new SimpleMeterRegistry(), Handlers.none());
        return shop;
    }

    private static WebhookConfig hook(String url, boolean allowPrivate) {
        return new WebhookConfig(
                Secret.of(url),
                Duration.ofSeconds(5),
                Duration.ofSeconds(5),
                Duration.ofMillis(200),
                allowPrivate,
                Map.of("Authorization", Secret.of("Bearer t0ps3cret")));
    }
}
