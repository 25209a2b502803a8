package io.tailrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.tailrace.contract.StartRefused;
import io.tailrace.contract.config.RouterConfig;
import io.tailrace.contract.config.TailraceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class ConfigReloadTest {

    private static final Duration OFTEN = Duration.ofMillis(20);
    private static final Duration NEVER = Duration.ofHours(1);

    @TempDir
    Path directory;

    private final BlockingQueue<RouterConfig> taken = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final Logger log = (Logger) LoggerFactory.getLogger(ConfigReload.class);
    private final AppenderBase<ILoggingEvent> ear = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            said.add(event.getLevel() + " " + event.getFormattedMessage());
        }
    };

    @BeforeEach
    void listen() {
        ear.start();
        log.addAppender(ear);
    }

    @AfterEach
    void deafen() {
        log.detachAppender(ear);
    }

    @Test
    void aChangedFileIsTakenABadOneIsNamedOnceAndChangesNothing() throws Exception {
        Path file = write("sales");
        try (ConfigReload reload = reload(file, OFTEN)) {
            write("sales-2");
            assertThat(next(taken).routes().rules())
                    .extracting(rule -> rule.topic().orElse(""))
                    .containsExactly("sales-2");
            assertThat(next(said)).startsWith("INFO Routes changed: rules=1");

            write("shop.commands");
            assertThat(next(said)).startsWith("ERROR").contains("stay as they are", "written by Tailrace");
            write("{");
            assertThat(next(said)).startsWith("ERROR").contains("stay as they are");
            assertThat(said.poll(OFTEN.toMillis() * 15, TimeUnit.MILLISECONDS))
                    .as("said once, however often it is looked at")
                    .isNull();
            Files.delete(file);
            write("refused");
            assertThat(next(taken)).isNotNull();
            assertThat(next(said))
                    .isEqualTo("ERROR Changed configuration is not taken, the routes stay as they are: no");
            write("sales-3");
            assertThat(next(taken).routes().rules())
                    .extracting(rule -> rule.topic().orElse(""))
                    .containsExactly("sales-3");
            assertThat(next(said)).startsWith("INFO Routes changed");
            assertThat(said).as("each said once").isEmpty();
        }
    }

    @Test
    void askedItReadsAtOnceAndNamesWhatOnlyAStartTakesUp() throws Exception {
        Path file = write("sales");
        try (ConfigReload reload = reload(file, NEVER)) {
            reload.ask();
            assertThat(next(said)).isEqualTo("INFO Configuration read again, nothing has changed");
            Files.writeString(file, text("sales-2") + "executor: {workers: 3}\nhttp: {port: 1}\n");
            reload.ask();
            assertThat(next(taken)).isNotNull();
            assertThat(next(said)).startsWith("INFO Routes changed");
            assertThat(next(said)).startsWith("WARN").contains("sections=[executor, http]");
        }
    }

    /** A route and its secrets come together, or not at all. */
    @Test
    void otherSecretsAreRefusedWithAllThatComesWithThem() throws Exception {
        Path file = write("sales");
        try (ConfigReload reload = reload(file, NEVER)) {
            Files.writeString(file, text("sales-2") + "redact: {events: {sales.*: [card]}}\n");
            reload.ask();
            assertThat(next(said)).startsWith("ERROR").contains("stay as they are", "redact has changed", "NOT hidden");
            assertThat(taken).isEmpty();
            Files.writeString(file, text("sales-2"));
            reload.ask();
            assertThat(next(taken)).isNotNull();
        }
    }

    @Test
    void aHangupDoesNotEndTheProcessButAsks() throws Exception {
        try (ConfigReload reload = reload(write("sales"), NEVER)) {
            Hangup.listen(reload::ask);
            new ProcessBuilder(
                            "kill",
                            "-HUP",
                            Long.toString(ProcessHandle.current().pid()))
                    .start()
                    .waitFor();
            assertThat(next(said)).isEqualTo("INFO Configuration read again, nothing has changed");
        }
    }

    private ConfigReload reload(Path file, Duration lookEvery) {
        TailraceConfig running = ConfigOption.read(file);
        return new ConfigReload(
                file,
                text -> ConfigOption.read("tailrace.yml", text),
                running,
                changed -> {
                    taken.add(changed);
                    if (changed.routes()
                            .rules()
                            .get(0)
                            .topic()
                            .filter("refused"::equals)
                            .isPresent()) {
                        throw new StartRefused("no");
                    }
                },
                lookEvery);
    }

    /** In one step, as whoever changes it should. */
    private Path write(String topic) throws IOException {
        Path next = Files.writeString(directory.resolve("next.yml"), text(topic));
        return Files.move(next, directory.resolve("tailrace.yml"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    private static String text(String topic) {
        return """
                namespace: shop
                source: {database: shop, user: app}
                kafka: {bootstrap-servers: "127.0.0.1:1"}
                router: {routes: {rules: [{pattern: sales.*, topic: "%s"}]}}
                """.formatted(topic);
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(60, TimeUnit.SECONDS);
        assertThat(next).as("within a minute").isNotNull();
        return next;
    }
}
