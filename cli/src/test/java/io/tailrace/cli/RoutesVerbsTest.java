package io.tailrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.broker.ClientSettings;
import io.tailrace.cli.CommandLines.Ran;
import io.tailrace.contract.config.KafkaConfig;
import io.tailrace.testkit.RealParts;
import io.tailrace.testkit.Stack;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@RealParts
class RoutesVerbsTest {

    private static final String ROUTES = """
            router:
              routes:
                default: none
                rules:
                  - pattern: sales.*
                    topic: warehouse.{name}
                  - pattern: sales.order.placed
                    topic: orders
                    legacy-topic: old-{context}
                    partition-key: tenant-id
                    retry: {base: 1s, cap: 2s, max-attempts: 3}
                    on-dead-letter: halt-key
                    audit: false
                  - pattern: patience.*
                    retry: {max-attempts: 9}
                  - pattern: haste.*
                    retry: {max-attempts: 1}
                  - pattern: shop.*
                    topic: "{name}"
            redact: {events: {sales.*: [customer.card]}}
            """;

    @TempDir
    Path directory;

    @Test
    void explainSaysWhereToAndWhichRuleSaysSo() throws Exception {
        Path config = config("shop", "127.0.0.1:1", ROUTES);
        JsonNode placed =
                json(tailrace(config, "routes", "explain", "sales.order.placed", "--version", "2", "-o", "json"));
        assertThat(placed.get("decision").asText()).isEqualTo("publish");
        assertThat(placed.get("version").asInt()).isEqualTo(2);
        assertThat(placed.get("rule").asText()).isEqualTo("sales.order.placed");
        assertThat(placed.get("topics").toString()).isEqualTo("[\"orders\",\"old-sales\"]");
        assertThat(placed.get("partitionKey").asText()).isEqualTo("tenant-id");
        assertThat(placed.get("retry").asText()).isEqualTo("waits for a destination that is down: 1 s doubling to 2 s");
        assertThat(placed.get("onDeadLetter").asText()).isEqualTo("halt-key");
        assertThat(placed.get("audit").asBoolean()).isFalse();
        assertThat(placed.get("secrets").asText()).isEqualTo("[customer.card]");
        assertThat(placed.get("passedOver").toString()).isEqualTo("[\"sales.*\"]");
        assertThat(placed.get("why").asText()).isEqualTo("sales.order.placed is more specific than sales.*");

        assertThat(tailrace(config, "routes", "explain", "sales.order.shipped").out())
                .contains("warehouse.sales.order.shipped", "down: 10 s doubling to 300 s", "the only rule");
    }

    @Test
    void explainSaysWhyThereIsNoRoute() throws Exception {
        Path config = config("shop", "127.0.0.1:1", ROUTES);
        assertDead(config, "no-route", "no rule takes it", "stock.counted");
        assertDead(config, "no-route", "names no topic, and routes.default is none; tried once more", "patience.tried");
        assertDead(config, "no-route", "names no topic, and routes.default is none", "haste.tried");
        assertThat(tailrace(config, "routes", "explain", "haste.tried").out()).doesNotContain("tried once more");
        assertDead(config, "no-route", "shop.commands", "shop.commands");
        assertDead(config, "name-invalid", "two segments", "order");
        assertDead(config, "version-mismatch", "contradicts version 3", "sales.order.v2", "--version", "3");
    }

    @Test
    void everythingWrongWithRulesIsNamedAtOnceWithItsLine() throws Exception {
        Path config = config("shop", "127.0.0.1:1", """
                router:
                  routes:
                    rules:
                      - pattern: sales.*
                        topic: a
                      - pattern: sales.*
                        topic: b
                      - pattern: retry.asked
                        topic: shop.events.retry
                        legacy-topic: "{nmae}"
                      - pattern: sales.order.v2.*
                        topic: c
                        legacy-topic: c
                        partition-key: colour
                """);
        for (List<String> verb : List.of(List.of("config", "check"), List.of("routes", "explain", "a.b"))) {
            Ran ran = tailrace(config, verb.toArray(String[]::new));
            assertThat(ran.exit()).isEqualTo(Exit.REFUSED);
            assertThat(ran.out() + ran.err())
                    .contains("rule 'sales.*': another rule has the same pattern and always wins")
                    .contains("first segment 'retry' is reserved")
                    .contains("written by Tailrace or by Kafka itself")
                    .contains("unknown placeholder {nmae}")
                    .contains("router.routes.rules[3].partition-key: must be one of")
                    .contains("line 9: ");
        }
    }

    @Test
    void lintNamesWhatLooksSecretAndNeverAValue(Stack stack) throws Exception {
        Path config = config(stack.namespace(), stack.bootstrapServers(), ROUTES);
        assertThat(tailrace(config, "routes", "lint").exit())
                .as("no topic is there")
                .isZero();
        KafkaConfig kafka = new KafkaConfig(stack.bootstrapServers(), Map.of());
        List<NewTopic> topics = List.of(
                new NewTopic(stack.namespace() + ".raw.events", 2, (short) 1),
                new NewTopic(stack.namespace() + ".raw.commands", 2, (short) 1));
        try (Admin admin = Admin.create(ClientSettings.admin(kafka))) {
            admin.createTopics(topics).all().get(60, TimeUnit.SECONDS);
        }
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(ClientSettings.producer(kafka))) {
            String events = stack.namespace() + ".raw.events";
            producer.send(
                    record(events, "event", "sales.order", "{\"customer\":{\"card\":\"4711\",\"pin\":\"4711\"}}"));
            producer.send(
                    record(events, "event", "sales.order", "{\"lines\":[{\"apiKey\":4711}],\"tokenCount\":4711}"));
            producer.send(record(events, "event", "stock.counted", "no JSON, password 4711"));
            producer.send(record(stack.namespace() + ".raw.commands", "command", "charge", "{\"iban\":\"4711\"}"));
            producer.flush();
        }
        Ran ran = tailrace(config, "routes", "lint", "-o", "json");
        assertThat(ran.exit()).isEqualTo(Exit.FAILED);
        assertThat(ran.out() + ran.err()).doesNotContain("4711");
        List<String> found = new ArrayList<>();
        json(new Ran(0, ran.out(), ""))
                .forEach(each -> found.add(each.get("kind").asText() + " "
                        + each.get("name").asText() + " " + each.get("path").asText()));
        assertThat(found)
                .containsExactly(
                        "command charge headers.X-Secret",
                        "command charge iban",
                        "event sales.order customer.pin",
                        "event sales.order headers.X-Secret",
                        "event sales.order lines[*].apiKey",
                        "event stock.counted headers.X-Secret");
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, String kind, String name, String payload) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, utf8("k"), utf8(payload));
        record.headers()
                .add("tailrace-kind", utf8(kind))
                .add("ce_type", utf8(name))
                .add("content-type", utf8("application/json"))
                .add("X-Secret", utf8("4711"));
        return record;
    }

    private void assertDead(Path config, String reason, String why, String... words) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("routes", "explain", "-o", "json"));
        arguments.addAll(List.of(words));
        JsonNode said = json(tailrace(config, arguments.toArray(String[]::new)));
        assertThat(said.get("decision").asText()).isEqualTo("dead-letter");
        assertThat(said.get("reason").asText()).isEqualTo(reason);
        assertThat(said.get("why").asText()).contains(why);
    }

    private Path config(String namespace, String servers, String more) throws Exception {
        return Files.writeString(directory.resolve("tailrace.yml"), """
                namespace: %s
                source: {database: shop, user: app}
                kafka: {bootstrap-servers: "%s"}
                """.formatted(namespace, servers) + more);
    }

    private static Ran tailrace(Path config, String... words) {
        List<String> arguments = new ArrayList<>(List.of(words));
        arguments.addAll(List.of("--config", config.toString()));
        return CommandLines.tailrace(arguments.toArray(String[]::new));
    }

    private static JsonNode json(Ran ran) throws Exception {
        assertThat(ran.exit()).as(ran.err()).isZero();
        return new ObjectMapper().readTree(ran.out());
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
