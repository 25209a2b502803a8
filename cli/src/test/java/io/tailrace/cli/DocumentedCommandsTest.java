package io.tailrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.ParameterException;

/** Every command that the documents and the compose file show is one that this command line understands. Nothing is run. */
class DocumentedCommandsTest {

    private static final Path TOP = top();

    /** A line of its own, perhaps with variables before it. */
    private static final Pattern LINE = Pattern.compile("(?m)^(?:[A-Z_]+=\\S+ )?(?:\\./)?tailrace (.+)$");

    /** In a sentence; one with a placeholder is no command. */
    private static final Pattern INLINE = Pattern.compile("`(?:\\./)?tailrace ([a-z][^`<…|]*)`");

    private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

    @Test
    void everyCommandInTheDocumentsIsUnderstood() throws IOException {
        List<String> problems = new ArrayList<>();
        int found = 0;
        for (Path document : documents()) {
            String text = Files.readString(document);
            for (String command : Stream.of(LINE, INLINE)
                    .flatMap(pattern -> pattern.matcher(text).results())
                    .map(match -> match.group(1))
                    .toList()) {
                problem(words(command)).ifPresent(said -> problems.add(document + ": " + command + ": " + said));
                found++;
            }
        }
        assertThat(problems).isEmpty();
        // Or the patterns have stopped to match.
        assertThat(found).isGreaterThan(20);
    }

    @Test
    void everyServiceOfTheComposeFileIsStartedByAKnownCommand() throws IOException {
        JsonNode services = new YAMLMapper()
                .readTree(TOP.resolve("docker-compose.yml").toFile())
                .get("services");
        for (String service : List.of("migrate", "engine", "router", "executor")) {
            List<String> command = StreamSupport.stream(
                            services.get(service).get("command").spliterator(), false)
                    .map(JsonNode::asText)
                    .toList();
            assertThat(problem(command)).as(service).isEmpty();
        }
    }

    @Test
    void theImageStartsThisClass() throws IOException {
        assertThat(Files.readString(TOP.resolve("Dockerfile"))).contains("\"" + Tailrace.class.getName() + "\"");
    }

    private static Optional<String> problem(List<String> words) {
        try {
            Tailrace.commandLine().parseArgs(words.toArray(String[]::new));
            return Optional.empty();
        } catch (ParameterException notUnderstood) {
            return Optional.of(String.valueOf(notUnderstood.getMessage()));
        }
    }

    /** As a shell would, up to a comment or the next command. */
    private static List<String> words(String command) {
        List<String> words = new ArrayList<>();
        var matcher = WORD.matcher(command);
        while (matcher.find()) {
            String word = Stream.of(1, 2, 3)
                    .map(matcher::group)
                    .filter(group -> group != null)
                    .findFirst()
                    .orElseThrow();
            if (word.startsWith("#") || word.equals("|") || word.equals(">") || word.equals("&&")) {
                break;
            }
            words.add(word);
        }
        return words;
    }

    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>(List.of(TOP.resolve("README.md"), TOP.resolve("CHANGELOG.md")));
        for (String directory : List.of("docs", "connect-config", "deploy")) {
            try (Stream<Path> files = Files.walk(TOP.resolve(directory))) {
                files.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
            }
        }
        return documents;
    }

    private static Path top() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve("docker-compose.yml"))) {
            directory = directory.getParent();
            if (directory == null) {
                throw new IllegalStateException("no directory above this one holds docker-compose.yml");
            }
        }
        return directory;
    }
}
