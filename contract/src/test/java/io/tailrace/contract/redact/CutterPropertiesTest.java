package io.tailrace.contract.redact;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.contract.record.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * The cutter against a model that knows the tree: a random document is written down piece by piece, once whole and once with
 * {@code null} in the place of each value that a walk over the tree, not over the bytes, calls secret.
 */
class CutterPropertiesTest {

    private static final List<String> NAMES = List.of("a", "b", "c", "a.b", "é", "\"", "\\", "", "card", "😀");

    private static final List<String> NUMBERS =
            List.of("0", "-1", "12345678901234567890123", "1e400", "-0.10", "1E+2", "4.1111111111111111");

    private static final List<String> TEXTS =
            List.of("", "x", "\\u0041", "\\ud800", "😀", "\\\"", "\\\\", "a\\/b", "null", "{\\\"a\\\":1}");

    /** A value: how it is written, and what it is made of. */
    private static final class Node {
        char kind;
        String text = "";
        final List<String> names = new ArrayList<>();
        final List<String> writtenNames = new ArrayList<>();
        final List<Node> below = new ArrayList<>();
        String space = "";
        boolean isSecret;
    }

    @Property(tries = 4_000)
    void whatIsNamedIsCutAndEveryOtherByteStays(@ForAll long seed) {
        Random random = new Random(seed);
        Node document = node(random, 4);
        List<SecretPath> paths = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            paths.add(path(random));
        }
        for (SecretPath path : paths) {
            mark(document, path, 0);
        }
        String whole = written(document, false);

        Bytes cut = SecretPaths.of(paths.stream().map(SecretPath::text).toList())
                .cut(Bytes.utf8(whole), "application/json")
                .orElseThrow(() -> new AssertionError("no JSON: " + whole));

        assertThat(cut.utf8()).as("%s of %s", paths, whole).isEqualTo(written(document, true));
    }

    /** What is not JSON any more is never passed on, and nothing is thrown. */
    @Property(tries = 4_000)
    void aDamagedDocumentIsCutOrWithheld(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] bytes = Bytes.utf8(written(node(random, 3), false)).array().clone();
        if (bytes.length == 0) {
            return;
        }
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        Bytes damaged = Bytes.of(bytes);
        SecretPaths paths = SecretPaths.of(List.of("a", "*.b", "[*].c"));

        paths.cut(damaged, "application/json")
                // What came out is JSON, and there is nothing left to cut.
                .ifPresent(cut -> assertThat(paths.cut(cut, "application/json")).contains(cut));
    }

    /** Whatever leads to a secret, or may: the naive way, over the tree. */
    private static void mark(Node node, SecretPath path, int taken) {
        if (node.kind == 'n') {
            return;
        }
        boolean goesOn = taken < path.steps().size()
                && node.kind == (path.steps().get(taken).isField() ? '{' : '[');
        if (!goesOn) {
            node.isSecret = true;
            return;
        }
        for (int i = 0; i < node.below.size(); i++) {
            boolean takes = path.steps().get(taken) instanceof SecretPath.Field field
                    ? field.name() == null || field.name().equals(node.names.get(i))
                    : path.steps().get(taken) instanceof SecretPath.Element element
                            && (element.index() < 0 || element.index() == i);
            if (takes) {
                mark(node.below.get(i), path, taken + 1);
            }
        }
    }

    private static SecretPath path(Random random) {
        StringBuilder text = new StringBuilder("$");
        for (int i = random.nextInt(4); i > 0; i--) {
            String name = pick(random, NAMES);
            switch (random.nextInt(4)) {
                case 0 -> text.append("[*]");
                case 1 -> text.append("[").append(random.nextInt(3)).append("]");
                case 2 -> text.append(".*");
                default -> text.append(name.contains("\"") ? ".a" : ".\"" + name + "\"");
            }
        }
        return SecretPath.parse(text.toString());
    }

    private static Node node(Random random, int depth) {
        Node node = new Node();
        node.space = pick(random, List.of("", "", " ", "\n\t", "\r\n  "));
        node.kind =
                depth == 0 ? pick(random, List.of('s', 'd', 't', 'n')) : pick(random, List.of('{', '{', '[', 's', 'n'));
        switch (node.kind) {
            case 's' -> node.text = "\"" + pick(random, TEXTS) + "\"";
            case 'd' -> node.text = pick(random, NUMBERS);
            case 't' -> node.text = random.nextBoolean() ? "true" : "false";
            case 'n' -> node.text = "null";
            default -> {
                for (int i = random.nextInt(4); i > 0; i--) {
                    String name = pick(random, NAMES);
                    node.names.add(name);
                    node.writtenNames.add("\"" + escaped(random, name) + "\"");
                    node.below.add(node(random, depth - 1));
                }
            }
        }
        return node;
    }

    /** Each character in one of the ways in which it may be written. */
    private static String escaped(Random random, String name) {
        return name.chars()
                .mapToObj(c -> c != '"' && c != '\\' && random.nextInt(3) > 0
                        ? String.valueOf((char) c)
                        : random.nextBoolean() && (c == '"' || c == '\\')
                                ? "\\" + (char) c
                                : (random.nextBoolean() ? "\\u%04x" : "\\u%04X").formatted(c))
                .collect(Collectors.joining())
                // Half a pair as it is and half as an escape is no text any more.
                .transform(text -> name.codePoints().anyMatch(c -> c > 0xFFFF) ? name : text);
    }

    private static String written(Node node, boolean isCut) {
        if (isCut && node.isSecret) {
            return "null";
        }
        if (node.kind != '{' && node.kind != '[') {
            return node.text;
        }
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < node.below.size(); i++) {
            String name = node.kind == '{' ? node.writtenNames.get(i) + node.space + ":" + node.space : "";
            parts.add(node.space + name + written(node.below.get(i), isCut) + node.space);
        }
        char end = node.kind == '{' ? '}' : ']';
        return node.kind + (parts.isEmpty() ? node.space : String.join(",", parts)) + end;
    }

    private static <T> T pick(Random random, List<T> from) {
        return from.get(random.nextInt(from.size()));
    }
}
