package io.tailrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SuspectNamesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "password",
                "userPassword",
                "PASSWORD",
                "api_key",
                "apiKey",
                "X-Api-Key",
                "access-token",
                "iban",
                "cardNumber",
                "card",
                "PIN",
                "Authorization",
                "clientSecret",
                "creditCardNo"
            })
    void looksSecret(String name) {
        assertThat(SuspectNames.isSuspect(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "_", "total", "pinned", "cardinality", "tokenCount", "cardId", "shipping", "secretary", "key"
            })
    void looksHarmless(String name) {
        assertThat(SuspectNames.isSuspect(name)).isFalse();
    }

    @Test
    void pathsAreWrittenAsTheConfigurationWantsThem() {
        assertThat(SuspectNames.ofJson("""
                        {"a": {"b.c": [[{"pin": 1}]], "token": null}, "headers": {"secret": {"x": 1}}, "cookie": ["x"]}
                        """.getBytes(StandardCharsets.UTF_8)))
                .containsExactly("$.headers.secret", "a.\"b.c\"[*][*].pin", "cookie");
        assertThat(SuspectNames.ofJson("[{\"pin\": 1}]".getBytes(StandardCharsets.UTF_8)))
                .containsExactly("[*].pin");
        assertThat(SuspectNames.ofJson("nothing".getBytes(StandardCharsets.UTF_8)))
                .isEmpty();
    }
}
