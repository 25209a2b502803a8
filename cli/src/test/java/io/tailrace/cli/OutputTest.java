package io.tailrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.cli.Output.Row;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class OutputTest {

    @Test
    void aTableHasColumnsAsWideAsTheyNeedToBeAndNothingThatMovesTheCursor() {
        assertThat(printed("table", List.of(row("a", 1, "x\u001b[2Jy\nz"), row("longer", 22, null))))
                .isEqualTo("""
                        ID      N   TEXT
                        a       1   x [2Jy z
                        longer  22
                        """);
    }

    @Test
    void jsonKeepsTypesAndEverything() {
        assertThat(printed("json", List.of(row("a", 1, "x".repeat(100)), row("b", 2, null))))
                .isEqualTo("""
                        [ {
                          "id" : "a",
                          "n" : 1,
                          "text" : "%s"
                        }, {
                          "id" : "b",
                          "n" : 2,
                          "text" : null
                        } ]
                        """.formatted("x".repeat(100)));
    }

    @Test
    void whatDoesNotGoToATerminalIsNotCut() {
        assertThat(printed("table", List.of(row("a", 1, "x".repeat(100))))).contains("x".repeat(100));
    }

    @Test
    void anEmptyListIsAnEmptyArrayOrNoDataAtAll() {
        assertThat(printed("json", List.of())).isEqualTo("[]\n");
        assertThat(printed("table", List.of())).isEmpty();
    }

    private static Row row(String id, int n, @org.jspecify.annotations.Nullable String text) {
        return new Row().with("id", id).with("n", n).with("text", Optional.ofNullable(text));
    }

    private static String printed(String form, List<Row> rows) {
        return CommandLines.run(new Printing(rows), "-o", form).out();
    }

    @Command(name = "printing")
    private record Printing(List<Row> rows, @Mixin Output output) implements Runnable {
        private Printing(List<Row> rows) {
            this(rows, new Output());
        }

        @Override
        public void run() {
            output.list(rows, "nothing");
        }
    }
}
