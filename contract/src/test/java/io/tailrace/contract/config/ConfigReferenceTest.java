package io.tailrace.contract.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ConfigReferenceTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "configuration.md");

    @Test
    void thePageInTheDocumentationIsThePrintedOne() throws IOException {
        assertThat(Files.readString(PAGE))
                .as("%s is out of date: run `tailrace config reference > docs/reference/configuration.md`", PAGE)
                .isEqualTo(ConfigReference.markdown());
    }

    @Test
    void everyDefaultCanBeReadBackAndLiesInItsRange() {
        // The reader goes the same way for a default as for a value of the file, so this is one reading of everything.
        assertThat(ConfigFixture.problems(ConfigFixture.least())).isEmpty();
    }

    @Test
    void noKeyIsListedTwice() {
        assertThat(Keys.ALL.stream().map(Key::path)).doesNotHaveDuplicates();
    }
}
