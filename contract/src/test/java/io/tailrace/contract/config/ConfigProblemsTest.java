package io.tailrace.contract.config;

import static io.tailrace.contract.config.ConfigFixture.NOTHING;
import static io.tailrace.contract.config.ConfigFixture.least;
import static io.tailrace.contract.config.ConfigFixture.leastWith;
import static io.tailrace.contract.config.ConfigFixture.problems;
import static io.tailrace.contract.config.ConfigFixture.read;
import static io.tailrace.contract.config.ConfigFixture.severalWith;
import static io.tailrace.contract.config.ConfigFixture.surroundings;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigProblemsTest {

    @Test
    void everythingThatIsMissingIsNamedAtOnce() {
        assertThat(problems(Map.of()))
                .containsExactlyInAnyOrder(
                        "namespace: is missing",
                        "source.database: is missing",
                        "source.user: is missing",
                        "kafka.bootstrap-servers: is missing");
    }

    @Test
    void problemsComeInTheOrderOfTheFileWithTheirLines() {
        Map<String, Object> tree = leastWith("engine.poll-interval", "10", "executor.workers", 0, "sourcse", Map.of());
        Map<String, Integer> lines = Map.of("executor.workers", 3, "engine.poll-interval", 7, "sourcse", 12);
        assertThat(problems(tree, lines, NOTHING))
                .containsExactly(
                        "line 3: executor.workers: must be 1 to 1000",
                        "line 7: engine.poll-interval: needs a unit: ms, s, m, h or d",
                        "line 12: sourcse: is not known; did you mean source?");
    }

    @ParameterizedTest
    @CsvSource({
        "engine.pol-interval, engine.poll-interval",
        "engine.pollInterval, engine.poll-interval",
        "engine.max_batch_size, engine.max-batch-size",
        "router.poll-interval, engine.poll-interval",
        "nmaespace, namespace",
        "executor.retry.max-attempt, executor.retry.max-attempts",
    })
    void anUnknownKeyNamesTheOneThatWasMeant(String unknown, String meant) {
        assertThat(problems(leastWith(unknown, "1")))
                .containsExactly(unknown + ": is not known; did you mean " + meant + "?");
    }

    @Test
    void anUnknownKeyOfAnElementNamesTheOneThatWasMeant() {
        assertThat(problems(severalWith(Map.of("database", "a", "user", "u"), Map.of("databse", "b", "user", "u"))))
                .containsExactlyInAnyOrder(
                        "sources[1].databse: is not known; did you mean sources[1].database?",
                        "sources[1].database: is missing");
    }

    @Test
    void oneSourceAndSeveralAreNotSaidTogether() {
        Map<String, Object> both = leastWith("sources", List.of(Map.of("database", "b"), "x"), "source.port", 0);
        assertThat(problems(both))
                .containsExactlyInAnyOrder(
                        "sources: stands beside source: move that one into the list, and delete it there",
                        "source.port: must be 1 to 65535",
                        "sources[0].user: is missing",
                        "sources[1]: must be a section with keys of its own");
        assertThat(problems(severalWith())).containsExactly("sources: lists no source");
        Map<String, Object> noList = severalWith();
        noList.put("sources", Map.of("database", "a"));
        assertThat(problems(noList)).containsExactly("sources: must be a list");
    }

    @Test
    void sourcesThatWouldBeNamedAlikeAreAllNamedAtOnce() {
        assertThat(problems(severalWith(
                        Map.of("host", "one", "database", "app", "user", "u"),
                        Map.of("host", "two", "database", "app", "user", "u"),
                        Map.of("host", "two", "database", "app", "user", "u", "name", "again"),
                        Map.of("database", "app2", "user", "u", "name", "app"),
                        Map.of("database", "fine", "user", "u"))))
                .containsExactlyInAnyOrder(
                        "sources[1]: is called app like sources[0], and slot, publication, ce_source and transactional.id are named after"
                                + " that; give one of the two a name of its own (name:)",
                        "sources[2]: has the same tables as sources[1], those of two:5432/app: each of their rows would be published"
                                + " twice; delete one of the two",
                        "sources[3]: is called app like sources[0], and slot, publication, ce_source and transactional.id are named after"
                                + " that; give one of the two a name of its own (name:)");
    }

    @Test
    void aNameOfASourceHasAForm() {
        assertThat(problems(leastWith("source.name", "a/b")))
                .containsExactly("source: name 'a/b' must be 1 to 63 characters of A-Z, a-z, 0-9, '_', '-' and '.'");
        assertThat(problems(leastWith("source.database", "änderung/1"))).isEmpty();
    }

    @Test
    void aKeyLikeNoOtherGetsNoSuggestion() {
        assertThat(problems(leastWith("colour", "blue"))).containsExactly("colour: is not known");
    }

    @ParameterizedTest
    @CsvSource({
        "engine.poll-interval, 1.5s, 'must be a number with a unit: 250ms, 10s, 5m, 2h or 14d'",
        "engine.poll-interval, 6s, must be 1ms to 5s",
        "engine.poll-interval, 3w, 'has a unit that is not ms, s, m, h or d'",
        "topics.max-message-bytes, 1MB, 'has a unit that is not KiB, MiB or GiB'",
        "topics.partitions, many, must be a whole number",
        "http.enabled, yes, must be true or false",
        "router.guarantee, twice, 'must be one of [exactly-once, at-least-once]'",
        "source.sslmode, maybe, 'must be one of [disable, allow, prefer, require, verify-ca, verify-full]'",
    })
    void aValueOfTheWrongFormSaysWhichFormIsRight(String key, String value, String problem) {
        assertThat(problems(leastWith(key, value))).containsExactly(key + ": " + problem);
    }

    @Test
    void whatTwoKeysSayAgainstEachOtherIsAProblemOfTheirSection() {
        assertThat(problems(leastWith("router.retry.base", "10m", "engine.max-queue-size", 10)))
                .containsExactlyInAnyOrder(
                        "router.retry: retry cap PT5M must not be below base PT10M",
                        "engine: max-queue-size (10) must be more than max-batch-size (2048)");
    }

    @Test
    void aSectionWhereAValueShouldBeAndTheReverse() {
        Map<String, Object> nothing = new HashMap<>();
        nothing.put("host", null);
        assertThat(problems(leastWith("http", "on", "engine.poll-interval", List.of(1), "router.routes.rules", "x")))
                .containsExactlyInAnyOrder(
                        "http: must be a section with keys of its own",
                        "engine.poll-interval: must be a single value (duration)",
                        "router.routes.rules: must be a list");
        assertThat(problems(leastWith("http", nothing))).containsExactly("http.host: has no value");
    }

    @Test
    void aRouteMayNotWriteATopicOfTailrace() {
        assertThat(problems(leastWith(
                        "router.routes.rules", List.of(Map.of("pattern", "a.b", "topic", "shop.events.dlq")))))
                .containsExactly(
                        "router.routes.rules[0]: rule 'a.b': topic 'shop.events.dlq': this topic is written by Tailrace or by Kafka itself; name another");
    }

    @Test
    void placeholdersAreFilledFromEnvironmentAndFiles() {
        Surroundings surroundings =
                surroundings(Map.of("DB_PORT", "6000", "EMPTY", ""), Map.of("/run/secret", "p${x}\n"));
        SourceConfig source = read(
                        leastWith(
                                "source.port", "${DB_PORT}",
                                "source.password", "${file:/run/secret}",
                                "source.host", "${EMPTY:-db}.${NOT_SET:-example.org}",
                                "source.user", "$${literal}"),
                        surroundings)
                .source();
        assertThat(source.port()).isEqualTo(6000);
        assertThat(source.password().reveal()).isEqualTo("p${x}");
        assertThat(source.host()).isEqualTo("db.example.org");
        assertThat(source.user()).isEqualTo("${literal}");
    }

    @Test
    void aPlaceholderThatCannotBeFilledIsNamed() {
        assertThat(problems(leastWith(
                        "source.host", "${NOWHERE}",
                        "source.password", "${file:/gone}",
                        "source.user", "${open",
                        "http.host", "${a b}")))
                .containsExactlyInAnyOrder(
                        "source.host: names the environment variable NOWHERE, which is not set",
                        "source.password: names the file /gone, which cannot be read (IOException)",
                        "source.user: has a '${' without its '}'",
                        "http.host: has a placeholder that is neither ${NAME}, ${NAME:-otherwise} nor ${file:/path}");
    }

    @Test
    void noSecretIsPrinted() {
        TailraceConfig config = read(leastWith("source.password", "s3cret", "kafka.properties", Map.of("p", "s3cret")));
        assertThat(config.toString()).doesNotContain("s3cret");
        assertThat(problems(leastWith("source.password", List.of("s3cret"), "kafka.properties.p", List.of("s3cret"))))
                .hasSize(2)
                .noneMatch(problem -> problem.contains("s3cret"));
        TailraceConfig several = read(severalWith(Map.of("database", "a", "user", "u", "password", "s3cret")));
        assertThat(several.toString()).doesNotContain("s3cret");
        assertThat(several.eachSource().get(0).source().password().reveal()).isEqualTo("s3cret");
    }

    @Test
    void leastIsEnough() {
        assertThat(problems(least())).isEmpty();
    }
}
