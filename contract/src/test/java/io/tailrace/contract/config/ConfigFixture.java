package io.tailrace.contract.config;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Trees as a YAML parser would give them, made from paths. */
final class ConfigFixture {

    private ConfigFixture() {}

    static final Surroundings NOTHING = surroundings(Map.of(), Map.of());

    static Surroundings surroundings(Map<String, String> variables, Map<String, String> files) {
        return new Surroundings() {
            @Override
            public Optional<String> variable(String name) {
                return Optional.ofNullable(variables.get(name));
            }

            @Override
            public String file(String path) throws IOException {
                String content = files.get(path);
                if (content == null) {
                    throw new IOException(path);
                }
                return content;
            }
        };
    }

    /** The required keys and nothing else. */
    static Map<String, Object> least() {
        return tree(
                "namespace", "shop",
                "source.database", "shop",
                "source.user", "app",
                "kafka.bootstrap-servers", "broker:9092");
    }

    static Map<String, Object> tree(Object... pathsAndValues) {
        Map<String, Object> tree = new HashMap<>();
        for (int i = 0; i < pathsAndValues.length; i += 2) {
            put(tree, (String) pathsAndValues[i], pathsAndValues[i + 1]);
        }
        return tree;
    }

    static Map<String, Object> leastWith(Object... pathsAndValues) {
        Map<String, Object> tree = least();
        for (int i = 0; i < pathsAndValues.length; i += 2) {
            put(tree, (String) pathsAndValues[i], pathsAndValues[i + 1]);
        }
        return tree;
    }

    /** The required keys, with a list of sources. */
    static Map<String, Object> severalWith(Object... sources) {
        Map<String, Object> tree = least();
        tree.remove("source");
        tree.put("sources", List.of(sources));
        return tree;
    }

    @SuppressWarnings("unchecked")
    private static void put(Map<String, Object> tree, String path, Object value) {
        int dot = path.indexOf('.');
        if (dot < 0) {
            tree.put(path, value);
            return;
        }
        put(
                (Map<String, Object>) tree.computeIfAbsent(path.substring(0, dot), absent -> new HashMap<>()),
                path.substring(dot + 1),
                value);
    }

    static TailraceConfig read(Map<String, Object> tree) {
        return read(tree, NOTHING);
    }

    static TailraceConfig read(Map<String, Object> tree, Surroundings surroundings) {
        return ConfigReader.read(tree, Map.of(), surroundings).match(config -> config, problems -> {
            throw new AssertionError(problems);
        });
    }

    static List<String> problems(Map<String, Object> tree) {
        return problems(tree, Map.of(), NOTHING);
    }

    static List<String> problems(Map<String, Object> tree, Map<String, Integer> lines, Surroundings surroundings) {
        return ConfigReader.read(tree, lines, surroundings)
                .match(
                        config -> List.of(),
                        problems -> problems.stream().map(Problem::toString).toList());
    }
}
