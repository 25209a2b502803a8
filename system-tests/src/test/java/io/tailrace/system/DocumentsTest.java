package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.tailrace.contract.config.ConfigReader;
import io.tailrace.contract.config.ConfigReference;
import io.tailrace.contract.config.Problem;
import io.tailrace.contract.config.Surroundings;
import io.tailrace.contract.header.HeaderName;
import io.tailrace.contract.record.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the documents say, as far as a machine can tell: links, configuration, the lists that have to be complete. */
class DocumentsTest {

    private static final Pattern LINK = Pattern.compile("]\\(([^)#]+)(#[^)]*)?\\)");

    private static final Pattern JAVA = Pattern.compile("(?ms)^```java\n(.*?)^```");

    private static final Pattern YAML = Pattern.compile("(?ms)^```yaml\n(.*?)^```");

    private static final Surroundings A_READERS_MACHINE = new Surroundings() {
        @Override
        public Optional<String> variable(String name) {
            return Optional.empty();
        }

        @Override
        public String file(String path) {
            return "what stands in " + path;
        }
    };

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        for (Path document : documents()) {
            for (MatchResult link : matches(LINK, document)) {
                assertThat(document.resolveSibling(link.group(1)))
                        .as("link in %s", document)
                        .exists();
            }
        }
    }

    @Test
    void everyPieceOfConfigurationIsAccepted() throws IOException {
        for (Path document : documents()) {
            for (MatchResult block : matches(YAML, document)) {
                Map<String, Object> tree = new HashMap<>(Map.of(
                        "namespace", "shop",
                        "source", Map.of("database", "shop", "user", "tailrace"),
                        "kafka", Map.of("bootstrap-servers", "localhost:9092")));
                tree.putAll(new YAMLMapper().readValue(block.group(1), new TypeReference<Map<String, Object>>() {}));
                if (tree.containsKey("sources")) {
                    tree.remove("source");
                }

                List<Problem> problems =
                        ConfigReader.read(tree, Map.of(), A_READERS_MACHINE).match(config -> List.of(), found -> found);

                assertThat(problems).as("configuration in %s", document).isEmpty();
            }
        }
    }

    @Test
    void everySampleCompiles(@TempDir Path directory) throws IOException {
        int samples = 0;
        for (Path document : documents()) {
            for (MatchResult block : matches(JAVA, document)) {
                assertThat(errors(block.group(1), directory))
                        .as("sample in %s", document)
                        .isEmpty();
                samples++;
            }
        }
        assertThat(samples).isPositive();
    }

    @Test
    void theReferenceIsWhatTheProgramPrints() throws IOException {
        assertThat(RepositoryFiles.path("docs/reference/configuration.md"))
                .as("write it anew: ./tailrace config reference > docs/reference/configuration.md")
                .hasContent(ConfigReference.markdown());
    }

    @Test
    void everyReasonOfADeadLetterIsExplained() throws IOException {
        String operations = Files.readString(RepositoryFiles.path("docs/operations.md"));

        assertThat(Arrays.stream(Reason.values()).map(Reason::text))
                .allSatisfy(reason -> assertThat(operations).contains("`" + reason + "`"));
    }

    @Test
    void everyHeaderThatAConsumerSeesIsExplained() throws IOException {
        String guide = Files.readString(RepositoryFiles.path("docs/guide.md"));

        assertThat(Arrays.stream(HeaderName.values())
                        .filter(HeaderName::keptAtDestination)
                        .map(HeaderName::key))
                .allSatisfy(header -> assertThat(guide).contains("`" + header + "`"));
    }

    /** What the compiler has against a sample: a class, or statements that are given a data source. */
    private static List<String> errors(String sample, Path directory) throws IOException {
        Matcher named = Pattern.compile("class (\\w+)").matcher(sample);
        String name = named.find() ? named.group(1) : "Sample";
        Path source = directory.resolve(name + ".java");
        Files.writeString(source, named.reset().find() ? sample : asClass(sample));
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(found, null, null)) {
            List<String> options = List.of("-proc:none", "--release", "17", "-d", directory.toString());
            compiler.getTask(null, files, found, options, null, files.getJavaFileObjects(source))
                    .call();
        }
        return found.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .map(Object::toString)
                .toList();
    }

    private static String asClass(String statements) {
        String imports =
                statements.lines().filter(line -> line.startsWith("import ")).collect(Collectors.joining("\n"));
        String body =
                statements.lines().filter(line -> !line.startsWith("import ")).collect(Collectors.joining("\n"));
        return imports + "\nclass Sample { void run(javax.sql.DataSource dataSource) throws Exception {\n" + body
                + "\n}}";
    }

    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>(List.of(RepositoryFiles.path("README.md")));
        for (String directory : List.of("docs", "connect-config", "deploy")) {
            try (Stream<Path> files = Files.walk(RepositoryFiles.path(directory))) {
                files.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
            }
        }
        return documents;
    }

    private static List<MatchResult> matches(Pattern pattern, Path document) throws IOException {
        return pattern.matcher(Files.readString(document)).results().toList();
    }
}
