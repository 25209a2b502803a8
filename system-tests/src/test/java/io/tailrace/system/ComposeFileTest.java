package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.tailrace.contract.config.ConfigReader;
import io.tailrace.contract.config.ExecutorConfig.MissingHandler;
import io.tailrace.contract.config.RouterConfig;
import io.tailrace.contract.config.Surroundings;
import io.tailrace.contract.config.TailraceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** {@code docker-compose.yml} and what it mounts: is it whole, and does it agree with itself? No container is run here. */
class ComposeFileTest {

    private static final List<String> PARTS = List.of("engine", "router", "executor");

    private static final Pattern PINNED = Pattern.compile("[a-z0-9-]+(/[a-z0-9-]+)?:v?[0-9][0-9.]*");

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{[A-Z0-9_]+}");

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
            JsonNode dependsOn = service(part).get("depends_on");
            assertThat(dependsOn.at("/kafka/condition").asText()).isEqualTo("service_healthy");
            assertThat(dependsOn.at("/migrate/condition").asText()).isEqualTo("service_completed_successfully");
        }
        assertThat(service("migrate").at("/depends_on/postgres/condition").asText())
                .isEqualTo("service_healthy");
        assertThat(service("postgres").has("healthcheck")).isTrue();
        assertThat(service("kafka").has("healthcheck")).isTrue();
    }

    @Test
    void theDatabaseCanBeTailedAndItsDiskIsBounded() throws IOException {
        Set<String> settings = texts(service("postgres").get("command"));

        assertThat(settings).contains("wal_level=logical");
        assertThat(settings).anySatisfy(setting -> assertThat(setting).matches("max_slot_wal_keep_size=[1-9][0-9]*GB"));
    }

    @Test
    void theRouterKeepsItsNameAndItsState() throws IOException {
        RouterConfig config = read("router").router();

        assertThat(config.instanceId()).isEqualTo("router-1");
        assertThat(texts(service("router").get("volumes")))
                .anySatisfy(volume -> assertThat(volume)
                        .matches("[a-z0-9-]+:"
                                + Pattern.quote(config.stateDirectory().toString())));
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
    void everyServiceCanReadTheConfigurationWithTheVariablesItHas() throws IOException {
        for (String name : List.of("migrate", "engine", "router", "executor")) {
            JsonNode service = service(name);
            assertThat(texts(service.get("command"))).contains("--config", "/etc/tailrace/tailrace.yml");
            assertThat(texts(service.get("volumes"))).contains("./deploy/tailrace.yml:/etc/tailrace/tailrace.yml:ro");
            assertThat(read(name).source().password().reveal()).as(name).isNotEmpty();
        }
    }

    @Test
    void thePasswordIsNotInTheFile() throws IOException {
        assertThat(RepositoryFiles.yaml("deploy/tailrace.yml")
                        .at("/source/password")
                        .asText())
                .matches(PLACEHOLDER);
    }

    @Test
    void commandsWaitUntilSomebodyBringsHandlers() throws IOException {
        assertThat(read("executor").executor().onMissingHandler()).isEqualTo(MissingHandler.WAIT);
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

    /** What a service reads with the variables it has; all problems if it would refuse. */
    private static TailraceConfig read(String service) throws IOException {
        JsonNode environment = service(service).get("environment");
        Map<String, ?> tree = new YAMLMapper()
                .readValue(RepositoryFiles.path("deploy/tailrace.yml").toFile(), new TypeReference<>() {});
        Surroundings surroundings = new Surroundings() {
            @Override
            public Optional<String> variable(String name) {
                return Optional.ofNullable(environment.get(name)).map(JsonNode::asText);
            }

            @Override
            public String file(String path) throws IOException {
                throw new NoSuchFileException(path);
            }
        };
        return ConfigReader.read(tree, Map.of(), surroundings).match(config -> config, problems -> {
            throw new AssertionError(service + ": " + problems);
        });
    }

    private static JsonNode service(String name) throws IOException {
        return Objects.requireNonNull(services().get(name), () -> "no service " + name);
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
