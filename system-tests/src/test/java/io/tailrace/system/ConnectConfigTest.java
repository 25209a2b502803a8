package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.debezium.config.CommonConnectorConfig;
import io.debezium.config.Configuration;
import io.debezium.config.Field;
import io.debezium.connector.postgresql.PostgresConnectorConfig;
import io.tailrace.contract.name.Namespace;
import io.tailrace.contract.name.TableNames;
import io.tailrace.contract.name.Topics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.connect.json.JsonConverterConfig;
import org.apache.kafka.connect.runtime.SourceConnectorConfig;
import org.apache.kafka.connect.runtime.distributed.DistributedConfig;
import org.junit.jupiter.api.Test;

/** {@code connect-config/}: are these keys that Debezium and Connect know, with values that they take? No Connect is run here. */
class ConnectConfigTest {

    private static final String TOPIC_DEFAULTS = "topic.creation.default.";

    /** What Debezium describes, and two that it reads without describing them. */
    private static final Field.Set DEBEZIUM_FIELDS = PostgresConnectorConfig.ALL_FIELDS.with(
            PostgresConnectorConfig.OFFSET_SLOT_MISMATCH_STRATEGY,
            CommonConnectorConfig.EVENT_CONVERTING_FAILURE_HANDLING_MODE);

    private static final Namespace SHOP = new Namespace("shop");

    @Test
    void everyConnectorKeyIsKnown() throws IOException {
        Set<String> known = new TreeSet<>(DEBEZIUM_FIELDS.allFieldNames());
        known.addAll(SourceConnectorConfig.configDef().names());
        for (String converter : List.of("key.converter.", "value.converter.")) {
            JsonConverterConfig.configDef().names().forEach(name -> known.add(converter + name));
        }
        for (String ofTopic : List.of(
                "partitions",
                "replication.factor",
                TopicConfig.CLEANUP_POLICY_CONFIG,
                TopicConfig.COMPRESSION_TYPE_CONFIG)) {
            known.add(TOPIC_DEFAULTS + ofTopic);
        }

        assertThat(known).containsAll(connector().keySet());
    }

    @Test
    void debeziumTakesEveryValue() throws IOException {
        List<String> problems = new ArrayList<>();

        Configuration.from(connector()).validate(DEBEZIUM_FIELDS).values().stream()
                .filter(value -> !value.errorMessages().isEmpty())
                .forEach(value -> problems.add(value.name() + ": " + value.errorMessages()));

        assertThat(problems).isEmpty();
    }

    @Test
    void connectTakesEveryValue() throws IOException {
        Map<String, String> connector = connector();
        // The REST interface takes it from beside the configuration.
        connector.put(SourceConnectorConfig.NAME_CONFIG, "tailrace-capture-shop");
        List<String> problems = new ArrayList<>();

        SourceConnectorConfig.configDef().validate(connector).stream()
                .filter(value -> !value.errorMessages().isEmpty())
                .forEach(value -> problems.add(value.name() + ": " + value.errorMessages()));

        assertThat(problems).isEmpty();
    }

    @Test
    void theCaptureIsTheEnginesButTheSlotAndTheTopicsAreItsOwn() throws IOException {
        Map<String, String> connector = connector();
        String database = value(connector, "database.dbname");
        Topics topics = new Topics(SHOP);

        assertThat(connector)
                .containsEntry("plugin.name", "pgoutput")
                .containsEntry("publication.name", SHOP.publication(database))
                .containsEntry("publication.autocreate.mode", "disabled")
                .containsEntry("snapshot.mode", "no_data")
                .containsEntry("provide.transaction.metadata", "false")
                .containsEntry("event.converting.failure.handling.mode", "fail")
                .containsEntry(
                        "table.include.list",
                        "%1$s\\.%2$s,%1$s\\.%3$s"
                                .formatted(
                                        TableNames.DEFAULT.schema(),
                                        TableNames.DEFAULT.outbox(),
                                        TableNames.DEFAULT.internalCommand()));
        // On the engine's slot it would move the position that the engine must find again; in its topics it would
        // double every row.
        assertThat(value(connector, "slot.name")).isNotEqualTo(SHOP.slot(database));
        assertThat(topics.rawEvents()).doesNotStartWith(value(connector, "topic.prefix"));
        assertThat(topics.rawCommands()).doesNotStartWith(value(connector, "topic.prefix"));
    }

    @Test
    void theHeartbeatReachesTheSlot() throws IOException {
        Map<String, String> connector = connector();

        // Not transactional, it would leave a restarted task searching until the next row.
        assertThat(value(connector, "heartbeat.action.query"))
                .contains("pg_logical_emit_message(true, 'tailrace.heartbeat'");
        assertThat(value(connector, "message.prefix.include.list").split(","))
                .contains("tailrace\\.heartbeat", "tailrace\\.control");
    }

    @Test
    void theWorkerIsSetUpForExactlyOnceSources() throws IOException {
        Map<String, String> properties = RepositoryFiles.properties("connect-config/worker.properties");

        DistributedConfig worker = new DistributedConfig(properties);

        assertThat(worker.exactlyOnceSourceEnabled()).isTrue();
        assertThat(properties.keySet())
                .allSatisfy(key -> assertThat(worker.values().containsKey(key)
                                || key.startsWith("config.providers.env.")
                                || key.endsWith(".converter.schemas.enable"))
                        .as(key)
                        .isTrue());
    }

    private static String value(Map<String, String> config, String key) {
        return Objects.requireNonNull(config.get(key), key);
    }

    private static Map<String, String> connector() throws IOException {
        JsonNode config =
                RepositoryFiles.json("connect-config/tailrace-capture.json").get("config");
        Map<String, String> map = new TreeMap<>();
        config.properties()
                .forEach(entry -> map.put(entry.getKey(), entry.getValue().textValue()));
        return map;
    }
}
