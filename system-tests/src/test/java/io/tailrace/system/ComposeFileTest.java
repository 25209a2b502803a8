package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** {@code docker-compose.yml} and what it mounts: is it whole, and does it agree with itself? No container is run here. */
class ComposeFileTest {

    private static final List<String> PARTS = List.of("engine", "router", "executor");

    private static final Pattern PINNED = Pattern.compile("[a-z0-9-]+(/[a-z0-9-]+)?:v?[0-9][0-9.]*");

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([A-Z0-9_]+)(:-[^}]*)?}");

    @Test
    void everythingOfThePipelineIsThere() throws IOException {
        assertThat(services().keySet())
                .containsExactlyInAnyOrder(
                        "postgres", "kafka", "migrate", "engine", "router", "executor", "prometheus");
    }

    @Test
    void imagesArePinnedAndNamedWithoutAHost() throws IOException {
        assertThat(services())
                .allSatisfy((name, service) ->
                        assertThat(service.path("image").asText()).as(name).matches(PINNED));
    }

    @Test
    void aPartStartsWhenWhatItNeedsIsThere() throws IOException {
        for (String part : PARTS) {
            JsonNode dependsOn = services().get(part).get("depends_on");
            assertThat(dependsOn.at("/kafka/condition").asText()).isEqualTo("service_healthy");
            assertThat(dependsOn.at("/migrate/condition").asText()).isEqualTo("service_completed_successfully");
        }
        assertThat(services()
                        .get("migrate")
                        .at("/depends_on/postgres/condition")
                        .asText())
                .isEqualTo("service_healthy");
        assertThat(services().get("postgres").has("healthcheck")).isTrue();
        assertThat(services().get("kafka").has("healthcheck")).isTrue();
    }

    @Test
    void theDatabaseCanBeTailedAndItsDiskIsBounded() throws IOException {
        Set<String> settings = texts(services().get("postgres").get("command"));

        assertThat(settings).contains("wal_level=logical");
        assertThat(settings).anySatisfy(setting -> assertThat(setting).matches("max_slot_wal_keep_size=[1-9][0-9]*GB"));
    }

    @Test
    void theRouterKeepsItsNameAndItsState() throws IOException {
        JsonNode router = services().get("router");
        String stateDirectory = RepositoryFiles.yaml("deploy/tailrace.yml")
                .at("/router/state-directory")
                .asText();

        assertThat(router.at("/environment/TAILRACE_INSTANCE_ID").asText()).isEqualTo("router-1");
        assertThat(texts(router.get("volumes")))
                .anySatisfy(volume -> assertThat(volume).matches("[a-z0-9-]+:" + Pattern.quote(stateDirectory)));
    }

    @Test
    void everyVolumeAndEveryMountedFileExists() throws IOException {
        JsonNode compose = RepositoryFiles.yaml("docker-compose.yml");

        services()
                .forEach((name, service) -> texts(service.path("volumes")).forEach(volume -> {
                    String source = volume.substring(0, volume.indexOf(':'));
                    boolean there = source.startsWith(".")
                            ? Files.exists(RepositoryFiles.path(source))
                            : compose.get("volumes").has(source);
                    assertThat(there).as("%s: %s", name, volume).isTrue();
                }));
    }

    @Test
    void everyVariableOfTheConfigurationIsSet() throws IOException {
        String config = Files.readString(RepositoryFiles.path("deploy/tailrace.yml"));
        Map<String, JsonNode> services = services();

        Matcher placeholder = PLACEHOLDER.matcher(config);
        while (placeholder.find()) {
            boolean hasDefault = placeholder.group(2) != null;
            for (String name : hasDefault ? List.of("router") : List.of("migrate", "engine", "router", "executor")) {
                assertThat(services.get(name)
                                .at("/environment/" + placeholder.group(1))
                                .asText())
                        .as("%s of %s", placeholder.group(1), name)
                        .isNotEmpty();
            }
        }
        // A password in the file itself would be found here.
        assertThat(RepositoryFiles.yaml("deploy/tailrace.yml")
                        .at("/source/password")
                        .asText())
                .matches(PLACEHOLDER);
    }

    @Test
    void prometheusAsksEveryPartWhereItListens() throws IOException {
        int port = RepositoryFiles.yaml("deploy/tailrace.yml").at("/http/port").asInt();

        Set<String> targets = new TreeSet<>();
        RepositoryFiles.yaml("deploy/prometheus.yml")
                .at("/scrape_configs/0/static_configs")
                .forEach(config -> targets.addAll(texts(config.get("targets"))));

        assertThat(targets)
                .isEqualTo(
                        PARTS.stream().map(part -> part + ":" + port).collect(Collectors.toCollection(TreeSet::new)));
        assertThat(Files.readString(RepositoryFiles.path("deploy/ready.sh"))).contains("${1:-" + port + "}");
    }

    private static Map<String, JsonNode> services() throws IOException {
        return RepositoryFiles.yaml("docker-compose.yml").get("services").properties().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static Set<String> texts(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false)
                .map(JsonNode::asText)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
