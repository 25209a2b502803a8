package io.tailrace.system;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/** The files at the top of the repository, wherever the test was started from. */
final class RepositoryFiles {

    private static final Path TOP = top();

    private RepositoryFiles() {}

    static Path path(String name) {
        return TOP.resolve(name);
    }

    static JsonNode yaml(String name) throws IOException {
        return new YAMLMapper().readTree(path(name).toFile());
    }

    static JsonNode json(String name) throws IOException {
        return new ObjectMapper().readTree(path(name).toFile());
    }

    static Map<String, String> properties(String name) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(path(name))) {
            properties.load(reader);
        }
        Map<String, String> map = new HashMap<>();
        properties.forEach((key, value) -> map.put((String) key, (String) value));
        return map;
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
