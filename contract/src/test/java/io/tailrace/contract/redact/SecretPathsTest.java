package io.tailrace.contract.redact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.header.Headers;
import io.tailrace.contract.record.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecretPathsTest {

    private static final String JSON = "application/json";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "card | {'card':1,'b':2} | {'card':null,'b':2}",
                "a.b.c | {'a': {'b' : {'c':[1,{}], 'd':1e400}}} | {'a': {'b' : {'c':null, 'd':1e400}}}",
                "items[*].card | {'items':[{'card':'x'},{'n':1},{'card':2}]} | {'items':[{'card':null},{'n':1},{'card':null}]}",
                "items[1] | {'items':[1,2,3]} | {'items':[1,null,3]}",
                "items[9].x | {'items':[1,2,3]} | {'items':[1,2,3]}",
                "[*].pin | [{'pin':1},{'pin':'2'}] | [{'pin':null},{'pin':null}]",
                "people.*.pin | {'people':{'x':{'pin':1},'y':{}}} | {'people':{'x':{'pin':null},'y':{}}}",
                // Missing: nothing to cut, not a byte changes.
                "a.b.c | {'a':{'x':1}, 'a ':2} | {'a':{'x':1}, 'a ':2}",
                "a.b | {'a':null} | {'a':null}",
                // A value of another shape than the path wants: the secret may be anywhere in it.
                "a.b | {'a':'b=4711','c':1} | {'a':null,'c':1}",
                "a.b | {'a':[{'b':4711}],'c':1} | {'a':null,'c':1}",
                "a[*].b | {'a':{'b':4711},'c':1} | {'a':null,'c':1}",
                "a.b | 'text' | null",
                // Every member of a name that is there twice, however it is written.
                "card | {'card':1,'CARD':2,'card':3} | {'card':null,'CARD':2,'card':null}",
                "card | {'\\u0063ard':1,'c\\u0061rd':[2]} | {'\\u0063ard':null,'c\\u0061rd':null}",
                "\"a.b\".c | {'a.b':{'c':1},'a':{'b':{'c':2}}} | {'a.b':{'c':null},'a':{'b':{'c':2}}}",
                "$.headers.x | {'headers':{'x':1}} | {'headers':{'x':null}}",
                "headers.x | {'headers':{'x':1}} | {'headers':{'x':1}}",
                "$ | {'x':1} | null",
            })
    void cuts(String path, String json, String expected) {
        Optional<Bytes> cut = SecretPaths.of(List.of(path)).cut(Bytes.utf8(quoted(json)), JSON);

        assertThat(cut.map(Bytes::utf8)).contains(quoted(expected));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'card':1",
                "{'card':1}x",
                "{'card':01}",
                "{card:1}",
                "{'card':1,}",
                "",
                " ",
                "'\\x'",
                "{'a':\u0001}"
            })
    void whatIsNotJsonIsWithheld(String text) {
        assertThat(SecretPaths.of(List.of("card")).cut(Bytes.utf8(quoted(text)), JSON))
                .isEmpty();
    }

    @Test
    void whatDoesNotSayThatItIsJsonIsWithheldThoughItMayLookLikeIt() {
        SecretPaths card = SecretPaths.of(List.of("card"));
        Bytes digits = Bytes.utf8("{}");

        assertThat(card.cut(digits, "text/plain")).isEmpty();
        assertThat(card.cut(digits, null)).isEmpty();
        assertThat(card.cut(digits, "application/json; charset=utf-16")).isEmpty();
        assertThat(card.cut(digits, "application/vnd.shop+json; charset=UTF-8")).contains(digits);
        // Nothing of the payload is secret: it goes as it is, whatever it is.
        assertThat(SecretPaths.of(List.of("headers.*")).cut(digits, "text/plain"))
                .contains(digits);
    }

    @Test
    void bytesThatAreNoUtf8AndDepthWithoutEndAreWithheld() {
        SecretPaths card = SecretPaths.of(List.of("card"));
        byte[] overlong = "{\"?ard\":4711}".getBytes(StandardCharsets.ISO_8859_1);
        overlong[2] = (byte) 0xE3;

        assertThat(card.cut(Bytes.of(overlong), JSON)).isEmpty();
        assertThat(card.cut(Bytes.utf8("[".repeat(100_000)), JSON)).isEmpty();
        assertThat(card.cut(Bytes.utf8("{\"x\":" + "[".repeat(900) + "]".repeat(900) + "}"), JSON))
                .isPresent();
    }

    @Test
    void headersLoseTheirValuesAndTailracesOwnDoNot() {
        Headers headers = Headers.builder()
                .put(HeaderName.CE_ID, "1")
                .add("Api-Key", Bytes.utf8("k-4711"))
                .add("region", Bytes.utf8("eu"))
                .build();

        Headers cut = SecretPaths.of(List.of("headers.api-key")).cut(headers);
        assertThat(cut.text("Api-Key")).isEmpty();
        assertThat(cut.entries().stream().map(Headers.Entry::key)).containsExactly("ce_id", "Api-Key", "region");
        assertThat(cut.text("region")).contains("eu");
        assertThat(SecretPaths.of(List.of("headers.*")).cut(headers).text(HeaderName.CE_ID))
                .contains("1");
        assertThat(SecretPaths.of(List.of("headers.*")).cut(headers).text("region"))
                .isEmpty();
    }

    @Test
    void theHeadersOfARowLoseTheSameValuesAndStayAnObjectOfTexts() {
        SecretPaths key = SecretPaths.of(List.of("headers.api-key"));

        assertThat(key.cutHeaders("{ \"Api-Key\":\"k\",\"region\" : \"eu\"}"))
                .contains("{ \"Api-Key\":\"\",\"region\" : \"eu\"}");
        assertThat(SecretPaths.of(List.of("headers.*")).cutHeaders("{\"a\":\"b\"}"))
                .contains("{\"a\":\"\"}");
        assertThat(key.cutHeaders("[\"k\"]")).contains("\"\"");
        assertThat(key.cutHeaders("{\"api-key\"")).isEmpty();
    }

    @Test
    void aVeilHidesWhatTheTextQuotesInEachOfItsForms() {
        Headers headers = Headers.builder().add("token", Bytes.utf8("t-0815")).build();
        Veil veil = SecretPaths.of(List.of("card", "pin", "headers.token"))
                .veil(Bytes.utf8("{\"card\":{\"no\":\"4711\\u002d0042\",\"cvc\":[7]},\"pin\":\"\"}"), JSON, headers);

        assertThat(veil.over("no 4711-0042 or 4711\\u002d0042, cvc 7, but 17 items, t-0815"))
                .isEqualTo("no [redacted] or [redacted], cvc [redacted], but 17 items, [redacted]");
        IllegalStateException thrown =
                new IllegalStateException("x".repeat(1020) + "4711-0042", new RuntimeException("t-0815"));
        assertThat(veil.trailOf(thrown).message()).doesNotContain("4711").doesNotContain("4711-0042");
        assertThat(veil.trailOf(thrown).stack()).doesNotContain("t-0815").contains("SecretPathsTest");
        assertThat(veil.over("x".repeat(256 * 1024 - 5) + "4711-0042"))
                .as("cut in half")
                .doesNotContain("4711");
    }

    @Test
    void aPayloadThatCannotBeReadHidesEveryMessage() {
        Veil veil = SecretPaths.of(List.of("card")).veil(Bytes.utf8("4711"), "text/plain", Headers.empty());

        assertThat(veil.over("cannot take 4711")).isEqualTo("[redacted]");
        assertThat(veil.trailOf(new IllegalStateException("4711")).errorClass()).endsWith("IllegalStateException");
        assertThat(SecretPaths.NONE.veil(Bytes.utf8("4711"), "text/plain", Headers.empty()))
                .isSameAs(Veil.NONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "a.",
                ".a",
                "a..b",
                "a[",
                "a[x]",
                "a[-1]",
                "a b .c",
                "\"a",
                "a]b",
                "headers",
                "headers[0]",
                "headers.a.b"
            })
    void whatIsNoPathIsRefused(String text) {
        assertThatThrownBy(() -> SecretPaths.of(List.of(text)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "' is no path to a secret");
    }

    @Test
    void everyPatternThatTakesANameCountsAndAnInvalidNameHasThePathsOfAll() {
        Secrets secrets = Secrets.of(
                Map.of(
                        "sales.*", List.of("card"),
                        "sales.order.v2", List.of("pin"),
                        "stock.*", List.of("headers.*")),
                Map.of("charge", List.of("iban")));

        assertThat(secrets.ofEvent("sales.order").toString())
                .contains("card", "pin")
                .doesNotContain("headers");
        assertThat(secrets.ofEvent("sales.order.v1").toString()).contains("card", "pin");
        assertThat(secrets.ofEvent("sales.refund")).hasToString("[card]");
        assertThat(secrets.ofEvent("salesx.refund").isEmpty()).isTrue();
        assertThat(secrets.ofEvent("no name!").toString()).contains("card", "pin", "headers.*");
        assertThat(secrets.ofCommand("charge")).hasToString("[iban]");
        assertThat(secrets.ofCommand("sales.order").isEmpty()).isTrue();
        assertThatThrownBy(() -> Secrets.of(Map.of("a b", List.of()), Map.of()))
                .hasMessageContaining("'a b' is no pattern of names");
    }

    private static String quoted(String json) {
        return json.replace('\'', '"');
    }
}
