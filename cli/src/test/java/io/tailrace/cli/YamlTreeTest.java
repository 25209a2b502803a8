package io.tailrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class YamlTreeTest {

    @Test
    void scalarsStayTheTextTheyAreWrittenAsAndKeysKnowTheirLine() {
        YamlTree tree = YamlTree.parse("f.yml", """
                # a comment
                namespace: on
                source:
                  port: 0666
                  password: "a: b"
                router:
                  routes:
                    rules:
                      - pattern: sales.*
                        topic: t
                """);
        assertThat(tree.root())
                .isEqualTo(Map.of(
                        "namespace",
                        "on",
                        "source",
                        Map.of("port", "0666", "password", "a: b"),
                        "router",
                        Map.of("routes", Map.of("rules", List.of(Map.of("pattern", "sales.*", "topic", "t"))))));
        assertThat(tree.lines())
                .containsEntry("namespace", 2)
                .containsEntry("source.port", 4)
                .containsEntry("router.routes.rules[0].topic", 10);
    }

    @Test
    void nothingAndOnlyCommentsAreAnEmptyTree() {
        assertThat(YamlTree.parse("f.yml", "").root()).isEmpty();
        assertThat(YamlTree.parse("f.yml", "# nothing\n").root()).isEmpty();
    }

    @Test
    void aKeyThatStandsThereTwiceIsRefused() {
        assertThatThrownBy(() -> YamlTree.parse("f.yml", "http:\n  port: 1\n  host: x\n  port: 2\n"))
                .isInstanceOf(ConfigRefused.class)
                .hasMessage("f.yml: line 4: http.port: stands there twice (line 2)");
    }

    @Test
    void whatIsNoYamlIsNamedWithItsLineAndWithoutItsText() {
        assertThatThrownBy(() -> YamlTree.parse("f.yml", "source:\n  password: 's3cret\n"))
                .isInstanceOf(ConfigRefused.class)
                .hasMessageStartingWith("f.yml: line ")
                .hasMessageNotContaining("s3cret");
        assertThatThrownBy(() -> YamlTree.parse("f.yml", "- a\n- b\n"))
                .isInstanceOf(ConfigRefused.class)
                .hasMessageStartingWith("f.yml: must hold keys");
    }
}
