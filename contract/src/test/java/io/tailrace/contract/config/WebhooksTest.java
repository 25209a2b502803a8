package io.tailrace.contract.config;

import static io.tailrace.contract.config.ConfigFixture.leastWith;
import static io.tailrace.contract.config.ConfigFixture.problems;
import static io.tailrace.contract.config.ConfigFixture.read;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WebhooksTest {

    @Test
    void byDefault() {
        ExecutorConfig none = read(leastWith()).executor();
        assertThat(none.externalLease()).isEqualTo(Duration.ofMinutes(5));
        assertThat(none.webhooks()).isEmpty();
        assertThat(read(leastWith(
                                "executor.webhooks", Map.of("billing.notify", Map.of("url", "https://hooks.example"))))
                        .executor()
                        .webhooks())
                .containsOnly(Map.entry("billing.notify", new WebhookConfig("https://hooks.example")));
    }

    @Test
    void explicitly() {
        ExecutorConfig executor = read(leastWith(
                        "executor.external-lease",
                        "30s",
                        "executor.webhooks",
                        Map.of(
                                "billing.notify",
                                Map.of(
                                        "url", "http://hooks.example:8080/in?x=1",
                                        "timeout", "20s",
                                        "connect-timeout", "1s",
                                        "retry-after", "1m",
                                        "allow-private", true,
                                        "headers", Map.of("Authorization", "Bearer x")))))
                .executor();
        assertThat(executor.externalLease()).isEqualTo(Duration.ofSeconds(30));
        assertThat(executor.webhooks())
                .containsOnly(Map.entry(
                        "billing.notify",
                        new WebhookConfig(
                                Secret.of("http://hooks.example:8080/in?x=1"),
                                Duration.ofSeconds(20),
                                Duration.ofSeconds(1),
                                Duration.ofMinutes(1),
                                true,
                                Map.of("Authorization", Secret.of("Bearer x")))));
    }

    @Test
    void whatIsWrongIsNamedAndNotQuoted() {
        for (String url : new String[] {
            "ftp://t0ps3cret", "hooks/t0ps3cret", "https://u:t0ps3cret@hooks.example", "https://t0ps3cret example"
        }) {
            assertThat(problems(leastWith("executor.webhooks", Map.of("billing.notify", Map.of("url", url)))))
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.toString())
                            .contains("executor.webhooks.billing.notify", "url")
                            .doesNotContain("t0ps3cret"));
        }
        assertThat(problems(leastWith("executor.webhooks", Map.of("..", Map.of("url", "https://hooks.example")))))
                .singleElement()
                .asString()
                .contains("executor.webhooks...");
        assertThat(problems(leastWith("executor.webhooks", Map.of("billing.notify", Map.of("uri", "https://x")))))
                .hasSize(2);
    }
}
