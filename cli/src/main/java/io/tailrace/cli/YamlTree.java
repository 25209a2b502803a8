package io.tailrace.cli;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A YAML text as a tree of maps, lists and texts, and where its keys stand. Scalars stay the text they are written as: what they mean is
 * for the reader of the key to say, not for YAML.
 *
 * @param root the mapping at the top; empty for an empty text
 * @param lines by path, from 1
 */
record YamlTree(Map<String, ?> root, Map<String, Integer> lines) {

    /** @throws ConfigRefused when this is no YAML, holds a key twice or something else than a mapping at the top */
    static YamlTree parse(String name, String text) {
        try (JsonParser parser = new YAMLFactory().createParser(text)) {
            JsonToken first = parser.nextToken();
            if (first == null) {
                return new YamlTree(Map.of(), Map.of());
            }
            if (first != JsonToken.START_OBJECT) {
                throw new ConfigRefused(name + ": must hold keys, one in a line, such as 'namespace: shop'");
            }
            Map<String, Integer> lines = new HashMap<>();
            Map<String, ?> root = new Walk(name, parser, lines).mapping("");
            return new YamlTree(root, lines);
        } catch (JsonProcessingException notYaml) {
            // The original message alone: the long form quotes the file, and with it a secret.
            JsonLocation at = notYaml.getLocation();
            throw new ConfigRefused("%s: %snot YAML: %s"
                    .formatted(
                            name,
                            at == null ? "" : "line " + at.getLineNr() + ": ",
                            notYaml.getOriginalMessage().lines().findFirst().orElse("")));
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private record Walk(String name, JsonParser parser, Map<String, Integer> lines) {

        Map<String, @Nullable Object> mapping(String path) throws IOException {
            Map<String, @Nullable Object> mapping = new LinkedHashMap<>();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String key = parser.currentName();
                String here = path.isEmpty() ? key : path + "." + key;
                int line = parser.currentTokenLocation().getLineNr();
                if (mapping.containsKey(key)) {
                    throw new ConfigRefused("%s: line %d: %s: stands there twice (line %d)"
                            .formatted(name, line, here, lines.get(here)));
                }
                lines.put(here, line);
                parser.nextToken();
                mapping.put(key, node(here));
            }
            return mapping;
        }

        private List<@Nullable Object> sequence(String path) throws IOException {
            List<@Nullable Object> sequence = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                String here = path + "[" + sequence.size() + "]";
                lines.put(here, parser.currentTokenLocation().getLineNr());
                sequence.add(node(here));
            }
            return sequence;
        }

        private @Nullable Object node(String path) throws IOException {
            return switch (parser.currentToken()) {
                case START_OBJECT -> mapping(path);
                case START_ARRAY -> sequence(path);
                case VALUE_NULL -> null;
                default -> parser.getText();
            };
        }
    }
}
