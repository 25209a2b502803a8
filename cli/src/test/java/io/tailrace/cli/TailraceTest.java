package io.tailrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.cli.CommandLines.Ran;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class TailraceTest {

    private static final String GOOD = """
            namespace: shop
            source: {database: shop, user: app, password: s3cret, port: 1}
            kafka: {bootstrap-servers: "127.0.0.1:1"}
            """;

    @TempDir
    Path directory;

    static Stream<CommandLine> verbs() {
        return all(Tailrace.commandLine());
    }

    private static Stream<CommandLine> all(CommandLine line) {
        return Stream.concat(
                Stream.of(line), line.getSubcommands().values().stream().flatMap(TailraceTest::all));
    }

    @ParameterizedTest
    @MethodSource("verbs")
    void everyVerbSaysWhatItIsFor(CommandLine verb) {
        assertThat(verb.getUsageMessage()).contains("Usage: ");
        assertThat(verb.getCommandSpec().usageMessage().description())
                .as(verb.getCommandSpec().qualifiedName())
                .isNotEmpty();
        verb.getCommandSpec()
                .options()
                .forEach(option -> assertThat(option.description())
                        .as(verb.getCommandSpec().qualifiedName() + " " + option.longestName())
                        .isNotEmpty());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "dlq",
                "dlq lst",
                "run nothing",
                "dlq list --reason tired",
                "dlq list --of Mails",
                "dlq replay",
                "dlq discard",
                "dlq list --limit 0",
                "dlq list --after x",
                "dlq list --id ,",
                "commands list --limit 0",
                "commands show nothing",
                "commands purge",
                "commands purge --older-than 1s",
                "demo",
                "prove",
                "prove engine --kills 0",
                "prove engine --fault everything",
                "prove engine --resume stock --fault zombie",
                "prove router --kills 0",
                "prove router --guarantee sometimes",
                "prove commands --kills 0",
                "prove commands --guarantee sometimes",
                "dlq list -o xml"
            })
    void aWrongCommandLineEndsWithTwo(String line) {
        Ran ran = CommandLines.tailrace(line.isEmpty() ? new String[0] : line.split(" "));
        assertThat(ran.exit()).isEqualTo(Exit.USAGE);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err()).isNotEmpty();
    }

    @Test
    void allProblemsOfAConfigurationAreNamedAndItEndsWithThree() throws IOException {
        Path file = file("namespace: shop\nsource:\n  prot: 5432\n  database: shop\n");
        Ran ran = CommandLines.tailrace("config", "check", "-c", file.toString());
        assertThat(ran.exit()).isEqualTo(Exit.REFUSED);
        assertThat(ran.err())
                .contains(
                        "3 problems",
                        "line 3: source.prot: is not known; did you mean source.port?",
                        "  source.user: is missing",
                        "  kafka.bootstrap-servers: is missing");
        Ran json = CommandLines.tailrace("config", "check", "-c", file.toString(), "-o", "json");
        assertThat(json.exit()).isEqualTo(Exit.REFUSED);
        assertThat(json.out()).contains("\"key\" : \"source.prot\"", "\"line\" : 3");
    }

    @Test
    void aGoodConfigurationIsSaidToBeGoodWithoutItsSecrets() throws IOException {
        Ran ran =
                CommandLines.tailrace("config", "check", "--config", file(GOOD).toString());
        assertThat(ran.exit()).isZero();
        assertThat(ran.out())
                .contains("is good: namespace shop, source shop/shop")
                .doesNotContain("s3cret");
    }

    @Test
    void aDatabaseThatCannotBeReachedIsNamedInOneLine() throws IOException {
        Ran ran = CommandLines.tailrace("commands", "list", "-c", file(GOOD).toString());
        assertThat(ran.exit()).isEqualTo(Exit.FAILED);
        assertThat(ran.err())
                .isEqualTo(
                        "PostgreSQL at localhost:1 (source.host, source.port in %s) does not answer. Is it running?%n"
                                .formatted(directory.resolve("tailrace.yml")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"dlq list", "dlq show x", "dlq replay --all --of events"})
    void aKafkaThatDoesNotAnswerIsNamedInOneLineAndSoon(String verb) throws IOException {
        List<String> line = new ArrayList<>(List.of(verb.split(" ")));
        line.addAll(List.of("-c", file(GOOD).toString()));
        Ran ran = Assertions.assertTimeout(
                Duration.ofSeconds(20), () -> CommandLines.tailrace(line.toArray(String[]::new)));
        assertThat(ran.exit()).isEqualTo(Exit.FAILED);
        assertThat(ran.err())
                .isEqualTo("Kafka at 127.0.0.1:1 (kafka.bootstrap-servers in %s) does not answer. Is it running?%n"
                        .formatted(directory.resolve("tailrace.yml")));
    }

    @Test
    void statusDoesNotCallLostWhatItCouldNotSee() throws IOException {
        Ran ran = CommandLines.tailrace("status", "-c", file(GOOD).toString());
        assertThat(ran.exit()).isEqualTo(Exit.FAILED);
        assertThat(ran.out())
                .containsPattern("slot +unknown: PostgreSQL does not answer")
                .containsPattern("position +unknown: Kafka does not answer")
                .doesNotContain("none");
        assertThat(ran.err().lines()).hasSize(2);
    }

    @Test
    void aConfigurationThatDoesNotExistIsSaidNotToExist() {
        Ran ran = CommandLines.tailrace(
                "status", "-c", directory.resolve("nope.yml").toString());
        assertThat(ran.exit()).isEqualTo(Exit.REFUSED);
        assertThat(ran.err()).contains("nope.yml: does not exist");
    }

    @Test
    void aWordThatIsNotKnownIsNamedWithTheOneThatWasMeant() {
        assertThat(CommandLines.tailrace("dlq", "lsit").err())
                .isEqualTo("There is no verb 'lsit'. Did you mean 'list'?%n`tailrace dlq --help` tells what there is.%n"
                        .formatted());
        assertThat(CommandLines.tailrace("dlq", "list", "--limt", "3").err())
                .startsWith("There is no option '--limt'. Did you mean '--limit'")
                .hasLineCount(2);
        assertThat(CommandLines.tailrace("commands", "cancel", "foo").err())
                .startsWith("'foo' is not a row id (a UUID)")
                .hasLineCount(2);
        assertThat(CommandLines.tailrace("dlq", "list", "--limit", "x").err())
                .contains("--limit")
                .hasLineCount(2);
    }

    @Test
    void theScriptNeedsNoDatabase() throws IOException {
        Ran ran = CommandLines.tailrace("db", "script", "-c", file(GOOD).toString());
        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).contains("CREATE TABLE", "tailrace_shop_shop");
        Ran inbox = CommandLines.tailrace(
                "db", "script", "--only", "inbox", "-c", file(GOOD).toString());
        assertThat(inbox.out()).contains("CREATE TABLE").doesNotContain("PUBLICATION");
    }

    @Test
    void listsInOptionsMayHoldBlanksAndCommasTooMany() {
        assertThat(DeadLetterSelection.items(" a, b ,,\tc\t, a,")).containsExactly("a", "b", "c");
        assertThat(DeadLetterSelection.items(" , ")).isEmpty();
    }

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("tailrace.yml"), text);
    }
}
